/* SPDX-License-Identifier: MIT */
/* The executor's out-of-line form. */
#include "weft/interleave.h"

#include <stdint.h>

/* The inline form is compiled into callers: what they were built with must fit a newer library. */
_Static_assert(sizeof(struct weft_interleave) == 9 * sizeof(void *), "part of the ABI");
_Static_assert(sizeof(struct weft_interleave_ops) == 5 * sizeof(void *), "part of the ABI");

enum weft_status weft_interleave_init(struct weft_interleave *const executor, const size_t group,
                                      const size_t frame_bytes, void *const memory,
                                      const size_t memory_bytes)
{
    if (group == 0 || frame_bytes == 0 || frame_bytes > SIZE_MAX - 15)
        return WEFT_E_INVALID;
    const size_t stride = (frame_bytes + 15) / 16 * 16;
    if (stride > SIZE_MAX - sizeof(void *) || group > (SIZE_MAX - 15) / (stride + sizeof(void *)) ||
        memory_bytes < WEFT_INTERLEAVE_BYTES(group, frame_bytes))
        return WEFT_E_INVALID;

    char *const frames = (char *)memory + (-(uintptr_t)memory & 15);
    void **const list = (void **)(void *)(frames + group * stride);
    for (size_t i = 0; i < group; ++i)
        list[i] = frames + i * stride;
    *executor = (struct weft_interleave){.frames = list, .group = group};
    return WEFT_OK;
}

WEFT_ALWAYS_INLINE enum weft_progress turns(struct weft_interleave *const executor,
                                            const struct weft_interleave_ops *const ops,
                                            void *const context, const enum weft_hint hint,
                                            const bool pull)
{
    switch (hint) {
    case WEFT_HINT_T0:
        return weft_interleave_turns_(executor, ops, context, WEFT_HINT_T0, pull);
    case WEFT_HINT_T1:
        return weft_interleave_turns_(executor, ops, context, WEFT_HINT_T1, pull);
    case WEFT_HINT_T2:
        return weft_interleave_turns_(executor, ops, context, WEFT_HINT_T2, pull);
    case WEFT_HINT_NTA:
        return weft_interleave_turns_(executor, ops, context, WEFT_HINT_NTA, pull);
    case WEFT_HINT_NONE:
    case WEFT_HINT_COUNT:
        break;
    }
    return weft_interleave_turns_(executor, ops, context, WEFT_HINT_NONE, pull);
}

enum weft_progress weft_interleave_run(struct weft_interleave *const executor,
                                       const struct weft_interleave_ops *const ops,
                                       void *const context, const enum weft_hint hint)
{
    return turns(executor, ops, context, hint, true);
}

enum weft_progress weft_interleave_drain(struct weft_interleave *const executor,
                                         const struct weft_interleave_ops *const ops,
                                         void *const context, const enum weft_hint hint)
{
    return turns(executor, ops, context, hint, false);
}

void weft_interleave_finish_(struct weft_interleave *const executor,
                             const struct weft_interleave_ops *const ops, void *const context,
                             const enum weft_hint hint)
{
    while (weft_interleave_run(executor, ops, context, hint) != WEFT_PROGRESS_DONE)
        ;
}

enum weft_status weft_interleave_batch(const struct weft_interleave_ops *const ops,
                                       void *const context, const size_t group,
                                       const enum weft_hint hint, void *const memory,
                                       const size_t memory_bytes)
{
    struct weft_interleave executor;
    const enum weft_status status =
        weft_interleave_init(&executor, group, ops->frame_bytes, memory, memory_bytes);

    if (status != WEFT_OK)
        return status;
    weft_interleave_finish_(&executor, ops, context, hint);
    return WEFT_OK;
}

size_t weft_interleave_cancel(struct weft_interleave *const executor,
                              const struct weft_interleave_ops *const ops, void *const context)
{
    const size_t dropped = executor->live;

    for (size_t i = 0; ops->cancel && i < dropped; ++i)
        ops->cancel(context, executor->frames[i]);
    executor->live = 0;
    executor->cursor = 0;
    executor->undelivered = false;
    return dropped;
}
