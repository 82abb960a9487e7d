/* SPDX-License-Identifier: MIT */
#include "lookup/chase.h"

#include "lookup/chase_forms.h"
#include "weft/coro.h"
#include "weft/interleave.h"

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
        const struct weft_chain_node *const node = frame->node;
        frame->node = node->next; /* the other way round gcc stores the sum twice */
        frame->sum = visit(chase, node, frame->sum);
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
