/* SPDX-License-Identifier: MIT */
/* The pointer chase's data: nodes of one cache line each, linked into one random cycle.
 *
 * The cycle visits all nodes in the order of a keyed bijection: the node at cycle position p lies
 * in slot sigma(p) of the array and stores p. So what a lookup of any depth must return follows
 * from the position it starts at, without walking it; and the chain is built in one pass in
 * address order, without a shuffle array. */
#ifndef WEFT_LOOKUP_CHAIN_H
#define WEFT_LOOKUP_CHAIN_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bijection.h"
#include "weft/status.h"

struct weft_chain_node {
    const struct weft_chain_node *next;
    uint64_t value; /* the node's position in the cycle */
    uint64_t padding[6];
};

static_assert(sizeof(struct weft_chain_node) == 64, "a node is one cache line");

struct weft_chain {
    struct weft_chain_node *nodes;
    uint64_t count;
    struct weft_bijection slots;  /* cycle position -> slot */
    struct weft_bijection starts; /* lookup number -> cycle position it starts at */
};

/* Called about every 64 MiB with the share that is built, 0 to 1; false stops the build. */
typedef bool weft_chain_progress_fn(double share, void *argument);

/* Links `count` nodes at `nodes` (count * 64 bytes, 64-byte aligned) into the cycle that `seed`
 * gives. `progress` may be NULL. Every node is written once, in address order: the first touch of
 * its page.
 * Errors: WEFT_E_INVALID (count 0 or beyond 2^62), WEFT_E_INTERRUPTED (progress said so). */
enum weft_status weft_chain_build(struct weft_chain *chain, struct weft_chain_node *nodes,
                                  uint64_t count, uint64_t seed, weft_chain_progress_fn *progress,
                                  void *argument);

/* The cycle position where lookup number `lookup` starts: no position comes twice before all
 * came once. */
static inline uint64_t weft_chain_start(const struct weft_chain *const chain, const uint64_t lookup)
{
    return weft_bijection_apply(&chain->starts, lookup % chain->count);
}

/* The slot in which the node at cycle position `position`, below the count, lies. */
static inline uint64_t weft_chain_slot(const struct weft_chain *const chain,
                                       const uint64_t position)
{
    return weft_bijection_apply(&chain->slots, position);
}

/* The sum of the values of `depth` nodes from `position` on, modulo 2^64. */
uint64_t weft_chain_sum(const struct weft_chain *chain, uint64_t position, uint64_t depth);

#endif
