/* SPDX-License-Identifier: MIT */
/* The straight form of the chase on fibers. */
#include "lookup/chase_forms.h"
#include "lookup/fiber_ring.h"

/* Of a run. */
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
