/* SPDX-License-Identifier: MIT */
/* The pointer chase's data: nodes of one or more cache lines, linked into one random cycle.
 *
 * The cycle visits all nodes in the order of a keyed bijection: the node at cycle position p lies
 * in slot sigma(p) of the array and stores p. So what a lookup of any depth must return follows
 * from the position it starts at, without walking it; and the chain is built in one pass in
 * address order, without a shuffle array.
 *
 * A node of more than one line stores p + k in line k, so that no line can stand in for another;
 * what a hop reads is then the sum of its lines, lines * p + lines * (lines - 1) / 2. */
#ifndef WEFT_LOOKUP_CHAIN_H
#define WEFT_LOOKUP_CHAIN_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bijection.h"
#include "lookup/progress.h"
#include "weft/status.h"

/* One line of a node. */
struct weft_chain_node {
    const struct weft_chain_node *next; /* the next node's first line; NULL but in the first line */
    uint64_t value; /* the node's position in the cycle, plus the line's number */
    uint64_t padding[6];
};

static_assert(sizeof(struct weft_chain_node) == 64, "one cache line");

struct weft_chain {
    struct weft_chain_node *nodes; /* the node in slot s begins at nodes[s * lines] */
    uint64_t count;                /* nodes */
    uint64_t lines;                /* of a node */
    struct weft_bijection slots;   /* cycle position -> slot */
    struct weft_bijection starts;  /* lookup number -> cycle position it starts at */
};

/* Links `count` nodes of `lines` lines each at `nodes` (count * lines * 64 bytes, 64-byte aligned)
 * into the cycle that `seed` gives. `progress` may be NULL. Every line is written once, in address
 * order: the first touch of its page.
 * Errors: WEFT_E_INVALID (count or lines 0, or their product beyond 2^58), WEFT_E_INTERRUPTED
 * (progress said so). */
enum weft_status weft_chain_build(struct weft_chain *chain, struct weft_chain_node *nodes,
                                  uint64_t count, uint64_t lines, uint64_t seed,
                                  weft_build_progress_fn *progress, void *argument);

/* Reads every line once, in address order: what then fits in a cache is there, as in a chain that
 * is in use, whatever was done since. Does nothing for a chain above 64 MiB, of which no cache
 * would hold enough to matter. */
void weft_chain_touch(const struct weft_chain *chain);

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

/* Which way the branch at the node at cycle position `position` goes: half of the positions each.
 * The top bit of a product by an odd constant, of the position folded by another: of a lookup's
 * neighbouring positions themselves the top bits follow a pattern (a Sturmian word) that a branch
 * predictor learns. */
static inline bool weft_chain_turns(const uint64_t position)
{
    const uint64_t spread = position * UINT64_C(0x9e3779b97f4a7c15);

    return (int64_t)((spread ^ spread >> 32) * UINT64_C(0xbf58476d1ce4e5b9)) < 0;
}

/* The sum of the values of all lines of the node at cycle position `position`. */
static inline uint64_t weft_chain_node_sum(const struct weft_chain *const chain,
                                           const uint64_t position)
{
    return chain->lines * position + chain->lines * (chain->lines - 1) / 2;
}

/* The sum of the values of all lines of `depth` nodes from `position` on, modulo 2^64. */
uint64_t weft_chain_sum(const struct weft_chain *chain, uint64_t position, uint64_t depth);

/* Likewise with a branch at every node: the lines of a node are added where weft_chain_turns(),
 * else subtracted. Takes a step for each node. */
uint64_t weft_chain_branch_sum(const struct weft_chain *chain, uint64_t position, uint64_t depth);

#endif
