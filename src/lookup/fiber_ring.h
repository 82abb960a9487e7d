/* SPDX-License-Identifier: MIT */
/* The fibers of a variant that interleaves by them, in the frames of its run: made on the thread
 * that runs them, off the clock, and reset for each run. */
#ifndef WEFT_LOOKUP_FIBER_RING_H
#define WEFT_LOOKUP_FIBER_RING_H

#include "lookup/variant.h"
#include "weft/fiber.h"

/* Where a fiber switches to when its turn ends. A local of its body, one load away from the stack
 * pointer: each switch has to wait for these loads of all the switches before it, so that a longer
 * way there would be what a turn takes. */
struct weft_fiber_turn {
    struct weft_fiber *next; /* of those that have not returned; the last one has NULL */
};

/* A fiber's place in the ring, and the argument of its body. */
struct weft_fiber_slot {
    struct weft_fiber *fiber;
    struct weft_fiber_slot *next; /* of those whose bodies have not returned, or NULL */
    struct weft_fiber_turn *turn;
    struct weft_fiber_ring *ring;
};

/* In weft_run.frames; followed by the slots. */
struct weft_fiber_ring {
    struct weft_fiber_pool *pool;
    void (*body)(struct weft_fiber_slot *slot);
    void *argument;                 /* of the run, for the body */
    struct weft_fiber_slot *first;  /* of those whose bodies have not returned */
    struct weft_fiber_slot *ended;  /* one that has just returned, or NULL */
    struct weft_fiber_slot slots[]; /* weft_run.group of them */
};

enum {
    WEFT_FIBER_RING_FRAME_BYTES = sizeof(struct weft_fiber_slot),
    WEFT_FIBER_RING_STACK_BYTES = 8192, /* touched: 4 KiB from somewhere in a page on */
};

/* For weft_variant.open and .close. Errors: those of weft_fiber_pool_create(). */
enum weft_status weft_fiber_ring_open(const struct weft_run *run);
void weft_fiber_ring_close(const struct weft_run *run);

/* For the body, before its first turn ends. */
WEFT_ALWAYS_INLINE void weft_fiber_ring_join(struct weft_fiber_slot *const slot,
                                             struct weft_fiber_turn *const turn)
{
    turn->next = slot->next ? slot->next->fiber : NULL;
    slot->turn = turn;
}

/* Ends the turn of the fiber that calls it. It switches straight to the next one; only the last one
 * goes back to weft_fiber_ring_run(). */
WEFT_ALWAYS_INLINE void weft_fiber_ring_yield(const struct weft_fiber_turn *const turn)
{
    struct weft_fiber *const next = turn->next;

    if (WEFT_LIKELY(next != NULL))
        weft_fiber_yield_to_inline(next);
    else
        weft_fiber_yield_inline();
}

/* Runs `body` on the ring's fibers, one turn each, round and round, until every one has returned;
 * at most weft_run.count of them. */
void weft_fiber_ring_run(const struct weft_run *run, void (*body)(struct weft_fiber_slot *slot),
                         void *argument);

#endif
