/* SPDX-License-Identifier: MIT */
/* What the machine's functions read, with a directory put before every path ("" is the system
 * itself): the parts that a made-up tree of files can stand in for. */
#ifndef WEFT_MACHINE_UNDER_ROOT_H
#define WEFT_MACHINE_UNDER_ROOT_H

#include <stddef.h>
#include <stdint.h>

/* weft_memory_available_bytes() with these RLIMIT_AS and RLIMIT_DATA; UINT64_MAX is no limit. */
uint64_t weft_memory_available_under(const char *root, uint64_t address_space_limit,
                                     uint64_t data_limit);

/* weft_memory_free_hugetlb_pages() */
uint64_t weft_memory_free_hugetlb_pages_under(const char *root, uint64_t page_bytes);

#endif
