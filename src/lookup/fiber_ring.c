/* SPDX-License-Identifier: MIT */
#include "lookup/fiber_ring.h"

/* A lookup needs little; the rest of a stack is never touched. */
#define STACK_BYTES 16384

/* What a lookup may use of its stack, so that no page fault comes in a timed part. */
#define TOUCHED_BYTES 4096

_Static_assert(sizeof(struct weft_fiber_ring) <= 64, "weft_variant_frames_bytes() has room for it");

static void touch_stack(void *const argument)
{
    volatile char touched[TOUCHED_BYTES];

    (void)argument;
    for (size_t i = 0; i < sizeof(touched); i += 64)
        touched[i] = 0;
}

enum weft_status weft_fiber_ring_open(const struct weft_run *const run)
{
    struct weft_fiber_ring *const ring = run->frames;
    enum weft_status status = weft_fiber_pool_create(&ring->pool, STACK_BYTES, run->group);

    if (status != WEFT_OK)
        return status;
    for (size_t i = 0; i < run->group; ++i) {
        ring->slots[i].fiber = NULL;
        if (status == WEFT_OK)
            status = weft_fiber_create(&ring->slots[i].fiber, ring->pool, touch_stack, NULL,
                                       WEFT_FIBER_FPU_SHARED);
        if (status == WEFT_OK)
            status = weft_fiber_resume(ring->slots[i].fiber);
    }
    if (status != WEFT_OK)
        weft_fiber_ring_close(run);
    return status;
}

void weft_fiber_ring_close(const struct weft_run *const run)
{
    struct weft_fiber_ring *const ring = run->frames;

    for (size_t i = 0; i < run->group; ++i)
        weft_fiber_destroy(ring->slots[i].fiber);
    weft_fiber_pool_destroy(ring->pool);
    ring->pool = NULL;
}

static void run_body(void *const argument)
{
    struct weft_fiber_slot *const slot = argument;

    slot->ring->body(slot);
    slot->ring->ended = slot;
}

/* Takes the one that has returned out of the ring; gives whose turn it is. */
static struct weft_fiber_slot *take_out_ended(struct weft_fiber_ring *const ring)
{
    struct weft_fiber_slot *const next = ring->ended->next;

    if (ring->first == ring->ended) {
        ring->first = next;
        return next;
    }
    struct weft_fiber_slot *before = ring->first;
    while (before->next != ring->ended)
        before = before->next;
    before->next = next;
    before->turn->next = next ? next->fiber : NULL;
    return next ? next : ring->first;
}

void weft_fiber_ring_run(const struct weft_run *const run,
                         void (*const body)(struct weft_fiber_slot *slot), void *const argument)
{
    struct weft_fiber_ring *const ring = run->frames;

    ring->body = body;
    ring->argument = argument;
    ring->first = NULL;
    for (size_t i = run->group < run->count ? run->group : run->count; i-- > 0;) {
        struct weft_fiber_slot *const slot = &ring->slots[i];

        slot->next = ring->first;
        slot->ring = ring;
        weft_fiber_reset(slot->fiber, run_body, slot);
        ring->first = slot;
    }
    for (struct weft_fiber_slot *turn = ring->first; turn;) {
        ring->ended = NULL;
        weft_fiber_resume_inline(turn->fiber);
        turn = ring->ended ? take_out_ended(ring) : ring->first;
    }
}
