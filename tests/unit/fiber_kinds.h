/* SPDX-License-Identifier: MIT */
/* The two switches behind plain functions, for tests that run in every combination. */
#ifndef WEFT_TESTS_UNIT_FIBER_KINDS_H
#define WEFT_TESTS_UNIT_FIBER_KINDS_H

#include "weft/fiber.h"

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND 0
#endif

enum { kind_outline, kind_inline, kinds };

__attribute__((noinline, unused)) static enum weft_status resume_inline(struct weft_fiber *fiber)
{
    return weft_fiber_resume_inline(fiber);
}

__attribute__((noinline, unused)) static enum weft_status yield_inline(void)
{
    return weft_fiber_yield_inline();
}

__attribute__((noinline, unused)) static enum weft_status yield_to_inline(struct weft_fiber *next)
{
    return weft_fiber_yield_to_inline(next);
}

__attribute__((unused)) static enum weft_status (*const resume_of[kinds])(struct weft_fiber *) = {
    weft_fiber_resume,
    resume_inline,
};

__attribute__((unused)) static enum weft_status (*const yield_of[kinds])(void) = {
    weft_fiber_yield,
    yield_inline,
};

__attribute__((unused)) static enum weft_status (*const yield_to_of[kinds])(struct weft_fiber *) = {
    weft_fiber_yield_to,
    yield_to_inline,
};

#endif
