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
        ring->fiber[i] = NULL;
        if (status == WEFT_OK)
            status = weft_fiber_create(&ring->fiber[i], ring->pool, touch_stack, NULL,
                                       WEFT_FIBER_FPU_SHARED);
        if (status == WEFT_OK)
            status = weft_fiber_resume(ring->fiber[i]);
    }
    if (status != WEFT_OK)
        weft_fiber_ring_close(run);
    return status;
}

void weft_fiber_ring_close(const struct weft_run *const run)
{
    struct weft_fiber_ring *const ring = run->frames;

    for (size_t i = 0; i < run->group; ++i)
        weft_fiber_destroy(ring->fiber[i]);
    weft_fiber_pool_destroy(ring->pool);
    ring->pool = NULL;
}
