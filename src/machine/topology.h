/* SPDX-License-Identifier: MIT */
/* Processors, caches and NUMA nodes as the system describes them. */
#ifndef WEFT_MACHINE_TOPOLOGY_H
#define WEFT_MACHINE_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the data or unified cache of `level` (1 to 4) that the first allowed processor uses; 0
 * when there is none or the system does not tell. */
uint64_t weft_cache_bytes(unsigned level);

/* Bytes of the last-level cache: the highest level that weft_cache_bytes() knows; 0 if none. */
uint64_t weft_last_level_cache_bytes(void);

#endif
