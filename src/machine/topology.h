/* SPDX-License-Identifier: MIT */
/* Processors, caches and NUMA nodes as the system describes them. */
#ifndef WEFT_MACHINE_TOPOLOGY_H
#define WEFT_MACHINE_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_CACHE_LEVEL_MAX 4u

/* What is online; 0 is what the system does not tell. */
struct weft_topology {
    unsigned threads; /* hardware threads, that is, processors as the system numbers them */
    unsigned cores;
    unsigned sockets;
    unsigned numa_nodes;
};

struct weft_cache {
    uint64_t bytes;     /* 0: there is none or the system does not tell */
    unsigned shared_by; /* hardware threads that share it; 0: the system does not tell */
};

struct weft_topology weft_topology_read(void);

/* The data or unified cache of `level` (1 to WEFT_CACHE_LEVEL_MAX) that the first processor of
 * weft_affinity_order() uses. */
struct weft_cache weft_cache_read(unsigned level);

/* Its bytes; 0 when there is none or the system does not tell. */
uint64_t weft_cache_bytes(unsigned level);

/* Bytes of the last-level cache: the highest level that weft_cache_bytes() knows; 0 if none. */
uint64_t weft_last_level_cache_bytes(void);

#endif
