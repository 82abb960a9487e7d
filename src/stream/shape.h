/* SPDX-License-Identifier: MIT */
/* How large the arrays are and how threads share them. Pure functions. */
#ifndef WEFT_STREAM_SHAPE_H
#define WEFT_STREAM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_stream_part {
    size_t first; /* element */
    size_t count; /* elements; 0 when there are fewer cache lines than parts */
};

/* Part `index` < `parts` of `elements` elements: contiguous, in order, beginning on a cache line of
 * an array that does, and at most one line larger than any other; together they cover exactly. */
struct weft_stream_part weft_stream_partition(size_t elements, unsigned parts, unsigned index);

struct weft_stream_large {
    uint64_t array_bytes; /* of one whole array; a power of two */
    bool clamped;         /* memory allows less than the rule asks for */
};

/* The default of the large working set: the larger of 512 MiB and the power of two not below twice
 * `last_level_bytes` (0: unknown), so that nothing of an array survives in a cache until the next
 * round; halved until three arrays take at most half of `available_bytes`. */
struct weft_stream_large weft_stream_large_default(uint64_t last_level_bytes,
                                                   uint64_t available_bytes);

/* The default of the cache-resident working set, bytes per thread and array: an eighth of the L2
 * cache, so that three arrays leave room; a power of two, at least one cache line. An unknown L2
 * (0) is taken as the smallest that servers have, 256 KiB. */
uint64_t weft_stream_slice_default(uint64_t l2_bytes);

/* Passes over `threads` slices that move at least the bytes of one pass over arrays of
 * `array_bytes`; at least 1. */
size_t weft_stream_slice_passes(uint64_t slice_bytes, unsigned threads, uint64_t array_bytes);

enum { WEFT_STREAM_SWEEP_FIRST_BYTES = 4096 };

/* The size after `bytes` in a sweep by `factor` > 1, per thread and array: whole KiB, always
 * larger. Begin at WEFT_STREAM_SWEEP_FIRST_BYTES. */
uint64_t weft_stream_sweep_next(uint64_t bytes, double factor);

/* The default thread counts: 1, 2, 4 and so on below `allowed`, then `allowed` itself. Writes at
 * most `capacity` and returns how many there are; none when `allowed` is 0. */
size_t weft_stream_thread_counts(unsigned allowed, unsigned *counts, size_t capacity);

#endif
