/* SPDX-License-Identifier: MIT */
#include "lookup/fiber_ring.h"

/* A lookup needs little; the rest of a stack is never touched. */
#define STACK_BYTES 16384

/* What a lookup may use of its stack, so that no page fault comes in a timed part. */
#define TOUCHED_BYTES 4096

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

void weft_fiber_ring_run(const struct weft_run *const run,
                         void (*const body)(struct weft_fiber_slot *slot), void *const argument)
{
    struct weft_fiber_ring *const ring = run->frames;
    const size_t live = run->group < run->count ? run->group : run->count;
    struct weft_fiber_slot *first = NULL;

    ring->body = body;
    ring->argument = argument;
    for (size_t i = live; i-- > 0; first = &ring->slots[i]) {
        ring->slots[i].next = first;
        ring->slots[i].ring = ring;
        weft_fiber_reset(ring->slots[i].fiber, run_body, &ring->slots[i]);
    }
    for (struct weft_fiber_slot *turn = first; first; turn = turn ? turn : first) {
        struct weft_fiber_slot *before = NULL;

        ring->ended = NULL;
        weft_fiber_resume_inline(turn->fiber);
        turn = NULL;
        if (!ring->ended)
            continue;
        turn = ring->ended->next;
        if (first == ring->ended) {
            first = turn;
            continue;
        }
        for (before = first; before->next != ring->ended;)
            before = before->next;
        before->next = turn;
        before->turn->next = turn ? turn->fiber : NULL;
    }
}
