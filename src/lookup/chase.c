/* SPDX-License-Identifier: MIT */
#include "lookup/chase.h"

#include "lookup/chain.h"
#include "lookup/fiber_ring.h"
#include "weft/coro.h"
#include "weft/interleave.h"
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

static void plan(const void *const data, const size_t depth, const bool serial, const bool branch,
                 const uint64_t first, const size_t count, uint64_t *const starts,
                 uint64_t *const expected)
{
    const struct weft_chain *const chain = data;

    for (size_t i = 0; i < count; ++i) {
        const uint64_t lookup = first + i;
        const uint64_t position =
            serial ? lookup * depth % chain->count : weft_chain_start(chain, lookup);

        starts[i] = weft_chain_slot(chain, position) * chain->lines;
        expected[i] = branch ? weft_chain_branch_sum(chain, position, depth)
                             : weft_chain_sum(chain, position, depth);
    }
}

static enum weft_status build(void *const data, void *const memory,
                              const struct weft_data_shape *const shape,
                              weft_build_progress_fn *const progress, void *const argument)
{
    const size_t lines = shape->payload_bytes / sizeof(struct weft_chain_node);

    return weft_chain_build(data, memory, lines ? shape->size_bytes / shape->payload_bytes : 0,
                            lines, shape->seed, progress, argument);
}

const struct weft_workload weft_chase = {
    .name = "chase",
    .depth_key = "depth",
    .data_bytes = sizeof(struct weft_chain),
    .build = build,
    .plan = plan,
};

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

WEFT_INLINE void straight(void *const context, const size_t index, weft_await_fn *const await,
                          void *const argument)
{
    const struct chase *const chase = context;

    walk(chase, &chase->nodes[chase->starts[index]], &chase->results[index], await, argument);
}

WEFT_INLINE enum weft_status serial(const struct weft_run *const run, const size_t lines,
                                    const bool branch, const enum weft_hint hint)
{
    const struct chase chase = chase_of(run, lines, branch, hint);
    const struct weft_chain_node *node = chase.count > 0 ? &chase.nodes[chase.starts[0]] : NULL;

    WEFT_NO_UNROLL
    for (size_t i = 0; i < chase.count; ++i)
        node = walk(&chase, node, &chase.results[i], weft_await_nothing, NULL);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_serial(const struct weft_run *const run)
{
    return run_shaped(run, WEFT_HINT_NONE, serial);
}

WEFT_INLINE enum weft_status scalar(const struct weft_run *const run, const size_t lines,
                                    const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    weft_scalar(straight, &chase, chase.count);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_scalar(const struct weft_run *const run)
{
    return run_shaped(run, WEFT_HINT_NONE, scalar);
}

WEFT_INLINE enum weft_status scalar_prefetch(const struct weft_run *const run, const size_t lines,
                                             const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    weft_scalar_prefetch(straight, &chase, chase.count, chase.hint);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_scalar_prefetch(const struct weft_run *const run)
{
    return run_hinted(run, scalar_prefetch);
}

/* The start/step form. */
struct chase_frame {
    const struct weft_chain_node *node;
    uint64_t sum;
    uint64_t *result;
    size_t hops_left; /* not kept up by hop() and finish() */
};

_Static_assert(sizeof(struct chase_frame) == WEFT_CHASE_FRAME_BYTES, "as the table says");

WEFT_INLINE const void *start(void *const context, void *const memory, const size_t index)
{
    const struct chase *const chase = context;
    struct chase_frame *const frame = memory;

    *frame = (struct chase_frame){
        .node = &chase->nodes[chase->starts[index]],
        .result = &chase->results[index],
        .hops_left = chase->depth,
    };
    prefetch_rest(chase, frame->node);
    return frame->node;
}

WEFT_INLINE const void *hop(void *const context, void *const memory)
{
    const struct chase *const chase = context;
    struct chase_frame *const frame = memory;

    frame->sum = visit(chase, frame->node, frame->sum);
    frame->node = frame->node->next;
    prefetch_rest(chase, frame->node);
    return frame->node;
}

WEFT_INLINE void finish(void *const context, void *const memory)
{
    const struct chase *const chase = context;
    struct chase_frame *const frame = memory;

    *frame->result = visit(chase, frame->node, frame->sum);
}

WEFT_INLINE const void *step(void *const context, void *const memory)
{
    struct chase_frame *const frame = memory;

    if (--frame->hops_left > 0)
        return hop(context, frame);
    finish(context, frame);
    return NULL;
}

static const struct weft_lookup lookup = {
    .frame_bytes = sizeof(struct chase_frame),
    .start = start,
    .step = step,
    .hop = hop,
    .finish = finish,
};

WEFT_INLINE enum weft_status amac(const struct weft_run *const run, const size_t lines,
                                  const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    weft_amac(&lookup, &chase, chase.count, run->group, chase.hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_amac(const struct weft_run *const run)
{
    return run_hinted(run, amac);
}

WEFT_INLINE enum weft_status gp(const struct weft_run *const run, const size_t lines,
                                const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    weft_gp(&lookup, &chase, chase.count, run->group, chase.depth, chase.hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_gp(const struct weft_run *const run)
{
    return run_hinted(run, gp);
}

WEFT_INLINE enum weft_status spp(const struct weft_run *const run, const size_t lines,
                                 const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    weft_spp(&lookup, &chase, chase.count, run->group, chase.depth, chase.hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_chase_spp(const struct weft_run *const run)
{
    return run_hinted(run, spp);
}

/* The coroutine. */
struct chase_coro {
    struct weft_coro coro;
    const struct weft_chain_node *node;
    uint64_t sum;
    uint64_t *result;
    size_t hops_left;
};

_Static_assert((sizeof(struct chase_coro) + 15) / 16 * 16 + sizeof(void *) ==
                   WEFT_CHASE_CORO_FRAME_BYTES,
               "as the table says");

WEFT_INLINE enum weft_source pull(void *const context, void *const memory, const size_t index)
{
    const struct chase *const chase = context;
    struct chase_coro *const frame = memory;

    if (index == chase->count)
        return WEFT_SOURCE_END;
    weft_coro_init(&frame->coro);
    frame->node = &chase->nodes[chase->starts[index]];
    frame->sum = 0;
    frame->result = &chase->results[index];
    frame->hops_left = chase->depth;
    return WEFT_SOURCE_ITEM;
}

WEFT_INLINE const void *resume(void *const context, void *const memory)
{
    const struct chase *const chase = context;
    struct chase_coro *const frame = memory;

    WEFT_CORO_BEGIN(&frame->coro);
    for (; frame->hops_left > 0; frame->hops_left--) {
        prefetch_rest(chase, frame->node);
        WEFT_AWAIT(frame->node);
        frame->sum = visit(chase, frame->node, frame->sum);
        frame->node = frame->node->next;
    }
    *frame->result = frame->sum;
    WEFT_CORO_END();
}

static const struct weft_interleave_ops coroutines = {
    .frame_bytes = sizeof(struct chase_coro),
    .pull = pull,
    .resume = resume,
};

WEFT_INLINE enum weft_status async(const struct weft_run *const run, const size_t lines,
                                   const bool branch, const enum weft_hint hint)
{
    struct chase chase = chase_of(run, lines, branch, hint);
    struct weft_interleave executor;
    const enum weft_status status =
        weft_interleave_init(&executor, run->group, coroutines.frame_bytes, run->frames,
                             WEFT_INTERLEAVE_BYTES(run->group, sizeof(struct chase_coro)));

    /* One run ends it. Not weft_interleave_batch_inline(): it hands the context's address out, and
     * its fields would be no constants any more. */
    if (status == WEFT_OK)
        weft_interleave_run_inline(&executor, &coroutines, &chase, chase.hint);
    return status;
}

WEFT_FLATTEN enum weft_status weft_chase_async_no_prefetch(const struct weft_run *const run)
{
    return run_shaped(run, WEFT_HINT_NONE, async);
}

WEFT_FLATTEN enum weft_status weft_chase_async_prefetch(const struct weft_run *const run)
{
    return run_hinted(run, async);
}

/* The straight form on fibers. */
struct chase_fibers {
    const struct weft_run *run;
    size_t next; /* the next lookup to be taken */
    enum weft_status status;
};

struct chase_turn {
    const struct weft_fiber_turn *ring;
    enum weft_hint hint; /* a constant: apart from what the ring has the address of */
};

WEFT_INLINE void await_turn(const void *const address, void *const argument)
{
    const struct chase_turn *const turn = argument;

    weft_prefetch(address, turn->hint);
    weft_fiber_ring_yield(turn->ring);
}

WEFT_INLINE enum weft_status fiber_loop(const struct weft_run *const run, const size_t lines,
                                        const bool branch, const enum weft_hint hint)
{
    struct weft_fiber_slot *const slot = weft_fiber_argument(weft_fiber_current());
    struct chase_fibers *const fibers = slot->ring->argument;
    struct chase chase = chase_of(run, lines, branch, hint);
    struct weft_fiber_turn ring;
    struct chase_turn turn = {&ring, hint};

    weft_fiber_ring_join(slot, &ring);
    WEFT_NO_UNROLL
    while (fibers->next < chase.count) {
        const size_t index = fibers->next++;

        walk(&chase, &chase.nodes[chase.starts[index]], &chase.results[index], await_turn, &turn);
    }
    return WEFT_OK;
}

/* The status is kept: gcc does not inline a body whose value nobody uses. */
WEFT_FLATTEN static void fiber_body_no_prefetch(struct weft_fiber_slot *const slot)
{
    struct chase_fibers *const fibers = slot->ring->argument;

    fibers->status = run_shaped(fibers->run, WEFT_HINT_NONE, fiber_loop);
}

WEFT_FLATTEN static void fiber_body_prefetch(struct weft_fiber_slot *const slot)
{
    struct chase_fibers *const fibers = slot->ring->argument;

    fibers->status = run_hinted(fibers->run, fiber_loop);
}

enum weft_status weft_chase_fiber_no_prefetch(const struct weft_run *const run)
{
    struct chase_fibers fibers = {.run = run, .status = WEFT_OK};

    weft_fiber_ring_run(run, fiber_body_no_prefetch, &fibers);
    return fibers.status;
}

enum weft_status weft_chase_fiber_prefetch(const struct weft_run *const run)
{
    struct chase_fibers fibers = {.run = run, .status = WEFT_OK};

    if (run->hint == WEFT_HINT_NONE)
        return WEFT_E_INVALID;
    weft_fiber_ring_run(run, fiber_body_prefetch, &fibers);
    return fibers.status;
}
