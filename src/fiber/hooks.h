/* SPDX-License-Identifier: MIT */
/* What AddressSanitizer, ThreadSanitizer and Valgrind are told about stacks and switches, and the
 * control block, which is larger with a sanitizer. Without one the hooks are empty. They are always
 * inlined, and next to the switch: ThreadSanitizer counts a function's entry and its exit on the
 * stack that is current then. */
#ifndef WEFT_FIBER_HOOKS_H
#define WEFT_FIBER_HOOKS_H

#include <stdbool.h>

#include "weft/fiber.h"

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define WEFT_FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define WEFT_FIBER_TSAN 1
#endif
#endif

#if WEFT_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif WEFT_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__linux__) && defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_STACK_REGISTER(low, high) ((void)(low), (void)(high), 0u)
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

struct weft_fiber_control {
    _Alignas(64) struct weft_fiber fiber;
#if WEFT_FIBER_ASAN
    const void *stack;
    size_t stack_bytes;
    const void *resumer_stack;
    size_t resumer_stack_bytes;
    bool resumer_is_known; /* handed on by the fiber that switched to this one */
#elif WEFT_FIBER_TSAN
    void *context;
    void *resumer_context;
#endif
};

/* Before the first resume, and again after a reset. The stack is [stack, control). */
WEFT_ALWAYS_INLINE void weft_fiber_hook_create(struct weft_fiber_control *const control,
                                               const void *const stack)
{
#if WEFT_FIBER_ASAN
    control->stack = stack;
    control->stack_bytes = (size_t)((const char *)control - (const char *)stack);
    control->resumer_is_known = false;
#elif WEFT_FIBER_TSAN
    control->context = __tsan_create_fiber(0);
#endif
    (void)control;
    (void)stack;
}

WEFT_ALWAYS_INLINE void weft_fiber_hook_destroy(struct weft_fiber_control *const control)
{
#if WEFT_FIBER_ASAN
    /* Frames that were forgotten have left their red zones. */
    __asan_unpoison_memory_region(control->stack, control->stack_bytes);
#elif WEFT_FIBER_TSAN
    __tsan_destroy_fiber(control->context);
#endif
    (void)control;
}

/* Before a switch into the fiber, and after the switch back, both on the resumer's stack; `*kept`
 * connects the two. */
WEFT_ALWAYS_INLINE void weft_fiber_hook_resume(struct weft_fiber_control *const control,
                                               void **const kept)
{
#if WEFT_FIBER_ASAN
    __sanitizer_start_switch_fiber(kept, control->stack, control->stack_bytes);
#elif WEFT_FIBER_TSAN
    control->resumer_context = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(control->context, 0);
#endif
    (void)control;
    (void)kept;
}

WEFT_ALWAYS_INLINE void weft_fiber_hook_resumed(void *const kept)
{
#if WEFT_FIBER_ASAN
    __sanitizer_finish_switch_fiber(kept, NULL, NULL);
#endif
    (void)kept;
}

/* Before a switch out of the fiber, and after the next one into it, both on the fiber's stack. The
 * last switch out passes NULL for `kept`, and so does the fiber's start after the first one in. */
WEFT_ALWAYS_INLINE void weft_fiber_hook_yield(struct weft_fiber_control *const control,
                                              void **const kept)
{
#if WEFT_FIBER_ASAN
    __sanitizer_start_switch_fiber(kept, control->resumer_stack, control->resumer_stack_bytes);
#elif WEFT_FIBER_TSAN
    __tsan_switch_to_fiber(control->resumer_context, 0);
#endif
    (void)control;
    (void)kept;
}

/* Before a switch from the fiber to another one, which weft_fiber_hook_yielded() follows too. */
WEFT_ALWAYS_INLINE void weft_fiber_hook_yield_to(struct weft_fiber_control *const control,
                                                 struct weft_fiber_control *const next,
                                                 void **const kept)
{
#if WEFT_FIBER_ASAN
    next->resumer_stack = control->resumer_stack;
    next->resumer_stack_bytes = control->resumer_stack_bytes;
    next->resumer_is_known = true;
    __sanitizer_start_switch_fiber(kept, next->stack, next->stack_bytes);
#elif WEFT_FIBER_TSAN
    next->resumer_context = control->resumer_context;
    __tsan_switch_to_fiber(next->context, 0);
#endif
    (void)control;
    (void)next;
    (void)kept;
}

WEFT_ALWAYS_INLINE void weft_fiber_hook_yielded(struct weft_fiber_control *const control,
                                                void *const kept)
{
#if WEFT_FIBER_ASAN
    if (control->resumer_is_known)
        __sanitizer_finish_switch_fiber(kept, NULL, NULL);
    else
        __sanitizer_finish_switch_fiber(kept, &control->resumer_stack,
                                        &control->resumer_stack_bytes);
    control->resumer_is_known = false;
#endif
    (void)control;
    (void)kept;
}

#endif
