/* SPDX-License-Identifier: MIT */
/* The executor: a stream of lookups written as coroutines, `group` of them in flight on one thread.
 *
 * Each turn resumes every lookup in flight once and prefetches the address it then waits for. A
 * lookup that ends gives its result to the sink, and its frame takes the next input in the same
 * turn, with its first prefetch. Lookups may differ in length: what is in flight is kept dense, so
 * a finished lookup costs no further turn.
 *
 * - The source may have nothing now, or nothing any more; the sink may be full. A run then returns
 *   with everything in place, and a later one goes on: nothing is lost or done twice.
 * - Lookups end in any order. Inputs are numbered from 0 as they are pulled; what is to be stored
 *   by number keeps it in the frame.
 * - The caller owns all memory, nothing is allocated, and a frame stays where it is.
 * - One executor belongs to one thread at a time. The caller's functions must not call it, and
 *   must return: neither throw nor longjmp.
 *
 * Either the caller's functions are inlined (weft_interleave_run_inline() with a constant struct
 * and hint) or they are called through the struct (weft_interleave_run(), in the library). Both
 * work on the same state, whose layout is fixed, and may be mixed. */
#ifndef WEFT_INTERLEAVE_H
#define WEFT_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "weft/prefetch.h"
#include "weft/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the source has. */
enum weft_source {
    WEFT_SOURCE_ITEM,  /* an input: it is in the frame now */
    WEFT_SOURCE_LATER, /* nothing now; it is asked again in this turn or the next */
    WEFT_SOURCE_END,   /* nothing any more; it is not asked again */
};

/* Why a run came back. */
enum weft_progress {
    WEFT_PROGRESS_DONE, /* the source has ended and every result was delivered */
    WEFT_PROGRESS_IDLE, /* nothing is in flight and the source has nothing now */
    WEFT_PROGRESS_FULL, /* the sink took no result; run again to offer it once more */
};

struct weft_interleave_ops {
    size_t frame_bytes;
    /* Puts input number `index` into the frame as a coroutine at its beginning. */
    enum weft_source (*pull)(void *context, void *frame, size_t index);
    /* Runs to the next await: its address, or NULL at the end (weft/coro.h). */
    const void *(*resume)(void *context, void *frame);
    /* Takes the result of an ended lookup; false: full, offer it again. NULL: the coroutine stores
     * its own result. */
    bool (*push)(void *context, void *frame);
    /* Releases what a lookup dropped by weft_interleave_cancel() holds. NULL: nothing. */
    void (*cancel)(void *context, void *frame);
};

/* The state between calls; not to be touched from outside. */
struct weft_interleave {
    void **frames;      /* [0, live) are in flight, [live, group) are free */
    size_t group;       /* frames there are */
    size_t live;        /* lookups in flight */
    size_t cursor;      /* the frame to be resumed next, of [0, live] */
    size_t pulled;      /* inputs taken so far */
    bool source_ended;  /* the source has said so */
    bool undelivered;   /* the lookup at the cursor has ended, and the sink was full */
    size_t reserved[3]; /* zero; keeps the size when fields are added */
};

/* Bytes of memory for `group` lookups in flight; a constant expression for constant arguments. */
#define WEFT_INTERLEAVE_BYTES(group, frame_bytes)                                                  \
    ((size_t)(group) * (sizeof(void *) + ((size_t)(frame_bytes) + 15) / 16 * 16) + 15)

/* Prepares `executor` for a stream, `group` >= 1 lookups in flight in `memory`, which holds at
 * least WEFT_INTERLEAVE_BYTES(group, frame_bytes) bytes, of any alignment, and must live as long;
 * frames are aligned to 16 bytes. Errors: WEFT_E_INVALID (group or frame_bytes 0, or more than
 * memory_bytes). */
enum weft_status weft_interleave_init(struct weft_interleave *executor, size_t group,
                                      size_t frame_bytes, void *memory, size_t memory_bytes);

/* Runs until the source has ended, or has nothing while nothing is in flight, or the sink is full.
 * `hint` may be any value of enum weft_hint; it changes no result. */
enum weft_progress weft_interleave_run(struct weft_interleave *executor,
                                       const struct weft_interleave_ops *ops, void *context,
                                       enum weft_hint hint);

/* Runs what is in flight to its end and asks the source for nothing: DONE or FULL. */
enum weft_progress weft_interleave_drain(struct weft_interleave *executor,
                                         const struct weft_interleave_ops *ops, void *context,
                                         enum weft_hint hint);

/* Drops every lookup in flight, an undelivered result included, and returns how many. The source
 * is as it was: a later run goes on with the next input. */
size_t weft_interleave_cancel(struct weft_interleave *executor,
                              const struct weft_interleave_ops *ops, void *context);

/* All of it in one call: init, then run until the source has ended and every result was delivered;
 * a source that has nothing and a full sink are asked again and again.
 * Errors: those of weft_interleave_init(). */
enum weft_status weft_interleave_batch(const struct weft_interleave_ops *ops, void *context,
                                       size_t group, enum weft_hint hint, void *memory,
                                       size_t memory_bytes);

/* Runs until nothing is left. */
void weft_interleave_finish_(struct weft_interleave *executor,
                             const struct weft_interleave_ops *ops, void *context,
                             enum weft_hint hint);

/* Lookups in flight, an undelivered result included. */
WEFT_ALWAYS_INLINE size_t weft_interleave_in_flight(const struct weft_interleave *const executor)
{
    return executor->live;
}

/* Fills free frames while the source gives inputs. */
WEFT_ALWAYS_INLINE void weft_interleave_refill_(struct weft_interleave *const executor,
                                                const struct weft_interleave_ops *const ops,
                                                void *const context)
{
    while (executor->live < executor->group && !executor->source_ended) {
        const enum weft_source source =
            ops->pull(context, executor->frames[executor->live], executor->pulled);

        if (source == WEFT_SOURCE_END)
            executor->source_ended = true;
        if (source != WEFT_SOURCE_ITEM)
            return;
        executor->live++;
        executor->pulled++;
    }
}

/* Gives `frame`, the one at the cursor, whose lookup was delivered, its next input (true) or frees
 * it. */
WEFT_ALWAYS_INLINE bool weft_interleave_replace_(struct weft_interleave *const executor,
                                                 const struct weft_interleave_ops *const ops,
                                                 void *const context, void *const frame,
                                                 const bool pull)
{
    if (pull && !executor->source_ended) {
        const enum weft_source source = ops->pull(context, frame, executor->pulled);

        if (source == WEFT_SOURCE_ITEM) {
            executor->pulled++;
            return true;
        }
        executor->source_ended = source == WEFT_SOURCE_END;
    }
    executor->live--;
    executor->frames[executor->cursor] = executor->frames[executor->live];
    executor->frames[executor->live] = frame;
    return false;
}

WEFT_ALWAYS_INLINE enum weft_progress
weft_interleave_turns_(struct weft_interleave *const state,
                       const struct weft_interleave_ops *const ops, void *const context,
                       const enum weft_hint hint, const bool pull)
{
    struct weft_interleave executor = *state; /* a copy that lives in registers */
    enum weft_progress progress = WEFT_PROGRESS_FULL;
    void *frame;

    if (executor.undelivered) {
        frame = executor.frames[executor.cursor];
        goto deliver;
    }
    for (;;) {
        const void *address;

        if (executor.cursor == executor.live) { /* a turn has ended */
            executor.cursor = 0;
            if (pull)
                weft_interleave_refill_(&executor, ops, context);
            if (executor.live == 0) {
                progress = !pull || executor.source_ended ? WEFT_PROGRESS_DONE : WEFT_PROGRESS_IDLE;
                break;
            }
        }
        frame = executor.frames[executor.cursor];
        address = ops->resume(context, frame);
        if (WEFT_UNLIKELY(!address)) {
        deliver:
            executor.undelivered = ops->push && !ops->push(context, frame);
            if (executor.undelivered)
                break;
            if (!weft_interleave_replace_(&executor, ops, context, frame, pull))
                continue;
            /* Apart from the call above: the coroutine is known to be at its beginning here. */
            address = ops->resume(context, frame);
            if (WEFT_UNLIKELY(!address))
                goto deliver;
        }
        weft_prefetch(address, hint);
        executor.cursor++;
    }
    *state = executor;
    return progress;
}

/* weft_interleave_run() with the functions of a constant `ops` inlined; `hint` a constant. */
WEFT_ALWAYS_INLINE enum weft_progress
weft_interleave_run_inline(struct weft_interleave *const executor,
                           const struct weft_interleave_ops *const ops, void *const context,
                           const enum weft_hint hint)
{
    return weft_interleave_turns_(executor, ops, context, hint, true);
}

/* weft_interleave_drain(), likewise. */
WEFT_ALWAYS_INLINE enum weft_progress
weft_interleave_drain_inline(struct weft_interleave *const executor,
                             const struct weft_interleave_ops *const ops, void *const context,
                             const enum weft_hint hint)
{
    return weft_interleave_turns_(executor, ops, context, hint, false);
}

/* weft_interleave_batch(), likewise. */
WEFT_ALWAYS_INLINE enum weft_status
weft_interleave_batch_inline(const struct weft_interleave_ops *const ops, void *const context,
                             const size_t group, const enum weft_hint hint, void *const memory,
                             const size_t memory_bytes)
{
    struct weft_interleave executor;
    const enum weft_status status =
        weft_interleave_init(&executor, group, ops->frame_bytes, memory, memory_bytes);

    if (status != WEFT_OK)
        return status;
    /* Once more is rare: out of line, so that the loop is not one in another. */
    if (weft_interleave_run_inline(&executor, ops, context, hint) != WEFT_PROGRESS_DONE)
        weft_interleave_finish_(&executor, ops, context, hint);
    return WEFT_OK;
}

#ifdef __cplusplus
}
#endif
#endif
