/* SPDX-License-Identifier: MIT */
/* The fibers of a variant that interleaves by them, in the frames of its run: made on the thread
 * that runs them, off the clock, and reset for each run. */
#ifndef WEFT_LOOKUP_FIBER_RING_H
#define WEFT_LOOKUP_FIBER_RING_H

#include "lookup/variant.h"
#include "weft/fiber.h"

/* In weft_run.frames; followed by the fibers. */
struct weft_fiber_ring {
    struct weft_fiber_pool *pool;
    struct weft_fiber *fiber[]; /* weft_run.group of them */
};

enum { WEFT_FIBER_RING_FRAME_BYTES = sizeof(struct weft_fiber *) };

/* For weft_variant.open and .close. Errors: those of weft_fiber_pool_create(). */
enum weft_status weft_fiber_ring_open(const struct weft_run *run);
void weft_fiber_ring_close(const struct weft_run *run);

/* Runs `body(argument)` on the ring's fibers, one turn each, round and round, until every one has
 * returned; at most weft_run.count of them. */
WEFT_ALWAYS_INLINE void weft_fiber_ring_run(const struct weft_run *const run,
                                            weft_fiber_function *const body, void *const argument)
{
    struct weft_fiber **const fiber = ((struct weft_fiber_ring *)run->frames)->fiber;
    size_t live = run->group < run->count ? run->group : run->count;

    for (size_t i = 0; i < live; ++i)
        weft_fiber_reset(fiber[i], body, argument);
    WEFT_NO_UNROLL
    while (live > 0) {
        WEFT_NO_UNROLL
        for (size_t i = 0; i < live;) {
            struct weft_fiber *const current = fiber[i];

            weft_fiber_resume_inline(current);
            if (WEFT_LIKELY(weft_fiber_state(current) == WEFT_FIBER_SUSPENDED)) {
                ++i;
            } else { /* the last one takes its place */
                fiber[i] = fiber[--live];
                fiber[live] = current;
            }
        }
    }
}

#endif
