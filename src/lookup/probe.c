/* SPDX-License-Identifier: MIT */
#include "lookup/probe.h"

#include "lookup/hash_table.h"
#include "weft/coro.h"
#include "weft/interleave.h"
#include "weft/technique.h"

/* A run with its types, in a local whose address never leaves the inlined code. */
struct probe {
    struct weft_hash_table table;
    const uint64_t *keys;
    uint64_t *results;
    size_t count;
    size_t steps; /* of a lookup, about: SPP's pipeline */
};

WEFT_ALWAYS_INLINE struct probe probe_of(const struct weft_run *const run)
{
    return (struct probe){
        .table = *(const struct weft_hash_table *)run->data,
        .keys = run->starts,
        .results = run->results,
        .count = run->count,
        /* the bucket, the node itself, and half of those it shares the bucket with */
        .steps = 2 + run->depth / 2,
    };
}

WEFT_ALWAYS_INLINE const struct weft_hash_node *const *bucket_of(const struct probe *const probe,
                                                                 const uint64_t key)
{
    return &probe->table.buckets[weft_hash_bucket(&probe->table, key)];
}

static enum weft_status build(void *const data, void *const memory,
                              const struct weft_data_shape *const shape,
                              weft_build_progress_fn *const progress, void *const argument)
{
    return weft_hash_table_build(data, memory, shape->size_bytes, shape->depth, shape->seed,
                                 progress, argument);
}

static void plan(const void *const data, const size_t depth, const bool serial, const bool branch,
                 const uint64_t first, const size_t count, uint64_t *const starts,
                 uint64_t *const expected)
{
    const struct weft_hash_table *const table = data;

    (void)depth, (void)serial, (void)branch; /* no variant takes them */
    for (size_t i = 0; i < count; ++i) {
        const uint64_t number = weft_hash_number(table, first + i);

        starts[i] = weft_hash_key(table, number);
        expected[i] = weft_hash_expected(table, number);
    }
}

const struct weft_workload weft_probe = {
    .name = "probe",
    .depth_key = "chain",
    .depth_in_data = true,
    .data_bytes = sizeof(struct weft_hash_table),
    .build = build,
    .plan = plan,
};

/* The straight form. */
WEFT_INLINE void straight(void *const context, const size_t index, weft_await_fn *const await,
                          void *const argument)
{
    const struct probe *const probe = context;
    const uint64_t key = probe->keys[index];
    const struct weft_hash_node *const *const bucket = bucket_of(probe, key);
    uint64_t result = WEFT_HASH_MISSING;

    await(bucket, argument);
    WEFT_NO_UNROLL
    for (const struct weft_hash_node *node = *bucket; node; node = node->next) {
        await(node, argument);
        if (node->key == key) {
            result = node->value;
            break;
        }
    }
    probe->results[index] = result;
}

WEFT_FLATTEN enum weft_status weft_probe_scalar(const struct weft_run *const run)
{
    struct probe probe = probe_of(run);

    weft_scalar(straight, &probe, probe.count);
    return WEFT_OK;
}

WEFT_INLINE enum weft_status scalar_prefetch(const struct weft_run *const run,
                                             const enum weft_hint hint)
{
    struct probe probe = probe_of(run);

    weft_scalar_prefetch(straight, &probe, probe.count, hint);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_probe_scalar_prefetch(const struct weft_run *const run)
{
    return weft_run_hinted(run, scalar_prefetch);
}

/* The start/step form. */
struct probe_frame {
    const struct weft_hash_node *const *bucket; /* NULL once it was read */
    const struct weft_hash_node *node;
    uint64_t key;
    uint64_t *result;
};

_Static_assert(sizeof(struct probe_frame) + 1 == WEFT_PROBE_FRAME_BYTES, "as the table says");

WEFT_INLINE const void *start(void *const context, void *const memory, const size_t index)
{
    const struct probe *const probe = context;
    struct probe_frame *const frame = memory;

    frame->key = probe->keys[index];
    frame->bucket = bucket_of(probe, frame->key);
    frame->result = &probe->results[index];
    return frame->bucket;
}

WEFT_INLINE const void *step(void *const context, void *const memory)
{
    struct probe_frame *const frame = memory;

    (void)context;
    if (frame->bucket) {
        frame->node = *frame->bucket;
        frame->bucket = NULL;
    } else if (frame->node->key == frame->key) {
        *frame->result = frame->node->value;
        return NULL;
    } else {
        frame->node = frame->node->next;
    }
    if (!frame->node)
        *frame->result = WEFT_HASH_MISSING;
    return frame->node;
}

static const struct weft_lookup lookup = {
    .frame_bytes = sizeof(struct probe_frame),
    .start = start,
    .step = step,
};

WEFT_INLINE enum weft_status amac(const struct weft_run *const run, const enum weft_hint hint)
{
    struct probe probe = probe_of(run);

    weft_amac(&lookup, &probe, probe.count, run->group, hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_probe_amac(const struct weft_run *const run)
{
    return weft_run_hinted(run, amac);
}

WEFT_INLINE enum weft_status gp(const struct weft_run *const run, const enum weft_hint hint)
{
    struct probe probe = probe_of(run);

    weft_gp(&lookup, &probe, probe.count, run->group, probe.steps, hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_probe_gp(const struct weft_run *const run)
{
    return weft_run_hinted(run, gp);
}

WEFT_INLINE enum weft_status spp(const struct weft_run *const run, const enum weft_hint hint)
{
    struct probe probe = probe_of(run);

    weft_spp(&lookup, &probe, probe.count, run->group, probe.steps, hint, run->frames);
    return WEFT_OK;
}

WEFT_FLATTEN enum weft_status weft_probe_spp(const struct weft_run *const run)
{
    return weft_run_hinted(run, spp);
}

/* The coroutine. */
struct probe_coro {
    struct weft_coro coro;
    union { /* one after the other: two frames fit in a cache line */
        const struct weft_hash_node *const *bucket;
        const struct weft_hash_node *node;
    };
    uint64_t key;
    uint64_t *result;
};

_Static_assert((sizeof(struct probe_coro) + 15) / 16 * 16 + sizeof(void *) ==
                   WEFT_PROBE_CORO_FRAME_BYTES,
               "as the table says");

WEFT_INLINE enum weft_source pull(void *const context, void *const memory, const size_t index)
{
    const struct probe *const probe = context;
    struct probe_coro *const frame = memory;

    if (index == probe->count)
        return WEFT_SOURCE_END;
    weft_coro_init(&frame->coro);
    frame->key = probe->keys[index];
    frame->bucket = bucket_of(probe, frame->key);
    frame->result = &probe->results[index];
    return WEFT_SOURCE_ITEM;
}

WEFT_INLINE const void *resume(void *const context, void *const memory)
{
    struct probe_coro *const frame = memory;

    (void)context;
    WEFT_CORO_BEGIN(&frame->coro);
    WEFT_AWAIT(frame->bucket);
    for (frame->node = *frame->bucket; frame->node; frame->node = frame->node->next) {
        WEFT_AWAIT(frame->node);
        if (frame->node->key == frame->key) {
            *frame->result = frame->node->value;
            WEFT_CORO_RETURN();
        }
    }
    *frame->result = WEFT_HASH_MISSING;
    WEFT_CORO_END();
}

static const struct weft_interleave_ops coroutines = {
    .frame_bytes = sizeof(struct probe_coro),
    .pull = pull,
    .resume = resume,
};

WEFT_INLINE enum weft_status async(const struct weft_run *const run, const enum weft_hint hint)
{
    struct probe probe = probe_of(run);
    struct weft_interleave executor;
    const enum weft_status status =
        weft_interleave_init(&executor, run->group, coroutines.frame_bytes, run->frames,
                             WEFT_INTERLEAVE_BYTES(run->group, sizeof(struct probe_coro)));

    /* One run ends it. Not weft_interleave_batch_inline(): it hands the context's address out, and
     * its fields would be no constants any more. */
    if (status == WEFT_OK)
        weft_interleave_run_inline(&executor, &coroutines, &probe, hint);
    return status;
}

WEFT_FLATTEN enum weft_status weft_probe_async_no_prefetch(const struct weft_run *const run)
{
    return async(run, WEFT_HINT_NONE);
}

WEFT_FLATTEN enum weft_status weft_probe_async_prefetch(const struct weft_run *const run)
{
    return weft_run_hinted(run, async);
}
