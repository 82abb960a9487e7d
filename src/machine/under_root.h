/* SPDX-License-Identifier: MIT */
/* What the machine's functions read, with a directory put before every path ("" is the system
 * itself): the parts that a made-up tree of files can stand in for. */
#ifndef WEFT_MACHINE_UNDER_ROOT_H
#define WEFT_MACHINE_UNDER_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/topology.h"

/* weft_memory_available_bytes() with these RLIMIT_AS and RLIMIT_DATA; UINT64_MAX is no limit. */
uint64_t weft_memory_available_under(const char *root, uint64_t address_space_limit,
                                     uint64_t data_limit);

/* weft_memory_free_hugetlb_pages() */
uint64_t weft_memory_free_hugetlb_pages_under(const char *root, uint64_t page_bytes);

/* Brings `cpus[count]`, ascending, into the order of weft_affinity_order(). False without memory;
 * they then keep their order. */
bool weft_affinity_sort_under(const char *root, int *cpus, size_t count);

/* weft_topology_read() */
struct weft_topology weft_topology_read_under(const char *root);

/* weft_cache_read() for this processor. */
struct weft_cache weft_cache_read_under(const char *root, int cpu, unsigned level);

#endif
