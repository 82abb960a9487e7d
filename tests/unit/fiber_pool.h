/* SPDX-License-Identifier: MIT */
/* The one pool of a test program, and fibers from it. */
#ifndef WEFT_TESTS_UNIT_FIBER_POOL_H
#define WEFT_TESTS_UNIT_FIBER_POOL_H

#include "cmocka_main.h"

#include "weft/fiber.h"

static struct weft_fiber_pool *pool;

static int make_pool(void **state)
{
    (void)state;
    return weft_fiber_pool_create(&pool, 16384, 64) != WEFT_OK;
}

static int drop_pool(void **state)
{
    (void)state;
    return weft_fiber_pool_destroy(pool) != WEFT_OK;
}

static struct weft_fiber *new_fiber(weft_fiber_function *const function, void *const argument,
                                    const enum weft_fiber_fpu fpu)
{
    struct weft_fiber *fiber = NULL;

    assert_int_equal(weft_fiber_create(&fiber, pool, function, argument, fpu), WEFT_OK);
    return fiber;
}

#endif
