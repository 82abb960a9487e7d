/* SPDX-License-Identifier: MIT */
/* Independent random reads: what the memory gives when nothing waits for anything.
 *
 * The nodes to read lie in an index array that is written off the clock, so that every address is
 * known in advance: each read may be prefetched by any hint any number of nodes ahead. What no way
 * of reading exceeds is the roofline of every lookup over the same memory. A batch is short, so
 * that the index array stays in the second cache and takes nothing from the memory itself. */
#ifndef WEFT_LIMITS_RANDOM_READ_H
#define WEFT_LIMITS_RANDOM_READ_H

#include <stddef.h>
#include <stdint.h>

#include "lookup/chain.h"
#include "measure/measure.h"
#include "memory/arena.h"
#include "weft/prefetch.h"

enum {
    WEFT_READ_DISTANCE_MAX = 256,
    WEFT_READ_BATCH = 8192, /* nodes of a thread and batch */
};

/* How it is read. */
struct weft_read_way {
    enum weft_hint hint;
    unsigned distance; /* nodes from the one prefetched to the one read, up to the maximum */
};

struct weft_random_read_sum;

struct weft_random_read {
    const struct weft_chain *chain; /* every line of a node is read */
    struct weft_read_way way;
    unsigned threads;
    size_t reads;                      /* nodes of a batch: WEFT_READ_BATCH for each thread */
    uint32_t *slots;                   /* for each thread, with WEFT_READ_DISTANCE_MAX behind */
    struct weft_random_read_sum *sums; /* one for each thread */
    uint64_t expected;                 /* what they must give together */
    struct weft_arena arena;
};

/* Maps and touches memory for `threads` >= 1. Chain and way are the caller's to set, between two
 * batches too.
 * Errors: WEFT_E_INVALID, those of weft_arena_create(). */
enum weft_status weft_random_read_create(struct weft_random_read *read, unsigned threads);

/* A zeroed or destroyed one is allowed. */
void weft_random_read_destroy(struct weft_random_read *read);

/* For weft_measure_init(), with a struct weft_random_read as `self` and a team of its threads.
 * Every batch draws its nodes anew, any of them each time, as independent lookups do: in an order
 * in which none comes again before all others came, a cache that holds half of them gives no hit.
 * Fails with WEFT_E_MISMATCH when the sum is wrong, WEFT_E_INVALID when the distance is beyond the
 * maximum, WEFT_E_UNSUPPORTED when the chain has 2^32 nodes or more. */
extern const struct weft_measured weft_random_read_measured;

#endif
