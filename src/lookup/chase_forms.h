/* SPDX-License-Identifier: MIT */
/* What all forms of the chase share: a run with its types, the shapes of its loop, and the straight
 * form. */
#ifndef WEFT_LOOKUP_CHASE_FORMS_H
#define WEFT_LOOKUP_CHASE_FORMS_H

#include "lookup/chain.h"
#include "lookup/chase.h"
#include "weft/technique.h"

/* A run with its types, in a local whose address never leaves the inlined code; the last three are
 * constants there, `lines` where it is 1. */
struct chase {
    const struct weft_chain_node *nodes;
    const uint64_t *starts;
    uint64_t *results;
    size_t count;
    size_t depth;
    size_t lines; /* of a node */
    bool branch;
    enum weft_hint hint;
};

typedef enum weft_status chase_fn(const struct weft_run *run, size_t lines, bool branch,
                                  enum weft_hint hint);

WEFT_ALWAYS_INLINE struct chase chase_of(const struct weft_run *const run, const size_t lines,
                                         const bool branch, const enum weft_hint hint)
{
    const struct weft_chain *const chain = run->data;

    return (struct chase){
        .nodes = chain->nodes,
        .starts = run->starts,
        .results = run->results,
        .count = run->count,
        .depth = run->depth,
        .lines = lines,
        .branch = branch,
        .hint = hint,
    };
}

/* The four shapes of a loop; `body` is inlined for each. */
WEFT_ALWAYS_INLINE enum weft_status run_shaped(const struct weft_run *const run,
                                               const enum weft_hint hint, chase_fn *const body)
{
    const size_t lines = ((const struct weft_chain *)run->data)->lines;

    if (lines == 1 && !run->branch)
        WEFT_NO_MERGE_ return body(run, 1, false, hint);
    if (lines == 1)
        WEFT_NO_MERGE_ return body(run, 1, true, hint);
    if (lines == 0)
        return WEFT_E_INVALID;
    if (!run->branch)
        WEFT_NO_MERGE_ return body(run, lines, false, hint);
    WEFT_NO_MERGE_ return body(run, lines, true, hint);
}

/* Switches over hint and shape once, outside the loop. */
WEFT_ALWAYS_INLINE enum weft_status run_hinted(const struct weft_run *const run,
                                               chase_fn *const body)
{
    switch (run->hint) {
    case WEFT_HINT_T0:
        return run_shaped(run, WEFT_HINT_T0, body);
    case WEFT_HINT_T1:
        return run_shaped(run, WEFT_HINT_T1, body);
    case WEFT_HINT_T2:
        return run_shaped(run, WEFT_HINT_T2, body);
    case WEFT_HINT_NTA:
        return run_shaped(run, WEFT_HINT_NTA, body);
    case WEFT_HINT_NONE:
    case WEFT_HINT_COUNT:
        break;
    }
    return WEFT_E_INVALID;
}

/* What a technique's own prefetch of a node leaves out: the lines beyond the first. Not left to the
 * compiler to inline: gcc takes a function that only prefetches for one without effect. */
WEFT_ALWAYS_INLINE void prefetch_rest(const struct chase *const chase,
                                      const struct weft_chain_node *const node)
{
    WEFT_NO_UNROLL
    for (size_t line = 1; line < chase->lines; ++line)
        weft_prefetch(&node[line], chase->hint);
}

/* Reads a node: the sum with its lines' values. */
WEFT_ALWAYS_INLINE uint64_t visit(const struct chase *const chase,
                                  const struct weft_chain_node *const node, const uint64_t sum)
{
    uint64_t value = node->value;

    WEFT_NO_UNROLL
    for (size_t line = 1; line < chase->lines; ++line)
        value += node[line].value;
    if (!chase->branch)
        return sum + value;
    if (weft_chain_turns(node->value)) {
        __asm__ volatile(""); /* else both arms become one conditional move */
        return sum + value;
    }
    return sum - value;
}

/* The straight form. Returns the node after the last one. */
WEFT_ALWAYS_INLINE const struct weft_chain_node *
walk(const struct chase *const chase, const struct weft_chain_node *node, uint64_t *const result,
     weft_await_fn *const await, void *const argument)
{
    uint64_t sum = 0;

    WEFT_NO_UNROLL
    for (size_t hops_left = chase->depth; hops_left > 0; --hops_left) {
        prefetch_rest(chase, node);
        await(node, argument);
        sum = visit(chase, node, sum);
        node = node->next;
    }
    *result = sum;
    return node;
}

#endif
