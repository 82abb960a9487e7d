/* SPDX-License-Identifier: MIT */
/* Which level of the memory hierarchy a working set lies in, judged by its measured latency: the
 * cache sizes that a system announces need not be what a process gets. Pure functions. */
#ifndef WEFT_STREAM_LEVEL_H
#define WEFT_STREAM_LEVEL_H

#include <stddef.h>
#include <stdint.h>

enum { WEFT_LEVEL_MEMORY = 0 };

/* What a load takes in a level, on this machine and in the pages in question. */
struct weft_level_reference {
    unsigned level; /* 1 and up: a cache; WEFT_LEVEL_MEMORY */
    double latency_ns;
};

/* A size that lies in a cache of `bytes` and not in the one of `inner_bytes` (0: there is none)
 * below it: half of a first level, else the geometric mean; whole cache lines. */
uint64_t weft_level_reference_bytes(uint64_t inner_bytes, uint64_t bytes);

/* The reference of `count` whose latency is closest to `latency_ns` > 0 in proportion; the first of
 * equals, NULL when there is none. */
const struct weft_level_reference *weft_level_nearest(const struct weft_level_reference *references,
                                                      size_t count, double latency_ns);

#endif
