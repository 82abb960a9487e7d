/* SPDX-License-Identifier: MIT */
/* Fibers: stackful coroutines. A fiber runs on a stack of its own until it yields to the code that
 * resumed it; resumed again, it goes on behind that yield. x86-64 (System V) and AArch64.
 *
 * Pools and fibers belong to the thread that created them. Every misuse of a live fiber (resuming
 * a finished or running one, resuming on another thread, yielding outside a fiber, destroying a
 * running one) is answered with WEFT_E_STATE and changes nothing. C++ exceptions work inside a
 * fiber, also across a yield inside a handler, but do not leave it: one that reaches the fiber's
 * start ends in std::terminate(). Code and library must be built with the same sanitizers. */
#ifndef WEFT_FIBER_H
#define WEFT_FIBER_H

#include <stddef.h>

#include "weft/fiber_switch.h"
#include "weft/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_fiber_pool;

typedef void weft_fiber_function(void *argument);

/* What happens to the floating-point environment: MXCSR and the x87 control word, or FPCR. */
enum weft_fiber_fpu {
    WEFT_FIBER_FPU_SHARED,  /* not touched: a change is seen by everyone, like in a function call */
    WEFT_FIBER_FPU_PRIVATE, /* the fiber's own, at first that of the thread that creates it */
};

enum weft_fiber_state {
    WEFT_FIBER_SUSPENDED, /* new, reset or yielded: can be resumed */
    WEFT_FIBER_RUNNING,   /* the current one, or one that waits for a fiber it has resumed */
    WEFT_FIBER_FINISHED,  /* its function has returned */
};

/* Reserves `capacity` > 0 stacks of at least `stack_bytes` >= 4096 usable bytes, each above a
 * guard page that ends an overflow with SIGSEGV. Only addresses are reserved; memory is taken when
 * a stack is touched, and a stack comes back warm: reuse makes no system call. The tops are offset
 * so that they do not share cache sets. The pool is for the calling thread alone.
 * Errors: WEFT_E_INVALID (a size out of range), WEFT_E_NOMEM, WEFT_E_SYSTEM, WEFT_E_UNSUPPORTED
 * (this thread has a user shadow stack, which a fiber would contradict). */
enum weft_status weft_fiber_pool_create(struct weft_fiber_pool **pool, size_t stack_bytes,
                                        size_t capacity);

/* NULL is allowed. Errors: WEFT_E_STATE (a fiber is left in it, or another thread's pool). */
enum weft_status weft_fiber_pool_destroy(struct weft_fiber_pool *pool);

/* Usable bytes of every stack, at least what was asked for; stacks it can hold; fibers in it. */
size_t weft_fiber_pool_stack_bytes(const struct weft_fiber_pool *pool);
size_t weft_fiber_pool_capacity(const struct weft_fiber_pool *pool);
size_t weft_fiber_pool_count(const struct weft_fiber_pool *pool);

/* Bytes of a fiber's control block, which lies on top of its stack, outside the usable bytes. */
size_t weft_fiber_control_bytes(void);

/* Makes a suspended fiber that runs function(argument) when it is resumed, on a stack of `pool`.
 * Errors: WEFT_E_INVALID (NULL or an unknown `fpu`), WEFT_E_NOMEM (the pool is exhausted, or the
 * system allows no more guard pages), WEFT_E_STATE (another thread's pool), WEFT_E_UNSUPPORTED
 * (this thread has a user shadow stack). */
enum weft_status weft_fiber_create(struct weft_fiber **fiber, struct weft_fiber_pool *pool,
                                   weft_fiber_function *function, void *argument,
                                   enum weft_fiber_fpu fpu);

/* Makes the fiber as new, for another run on the same stack with the same kind of floating-point
 * environment. What a suspended one still had to do is forgotten, no destructor runs.
 * Errors: WEFT_E_INVALID (NULL), WEFT_E_STATE (running, destroyed or another thread's). */
enum weft_status weft_fiber_reset(struct weft_fiber *fiber, weft_fiber_function *function,
                                  void *argument);

/* Gives the stack back to its pool; a suspended fiber is forgotten as in weft_fiber_reset(). NULL
 * is allowed. Errors: WEFT_E_STATE (running, already destroyed or another thread's). */
enum weft_status weft_fiber_destroy(struct weft_fiber *fiber);

/* Runs the fiber until it yields or its function returns. It may resume others itself.
 * Errors: WEFT_E_INVALID (NULL), WEFT_E_STATE (not suspended, or another thread's). */
enum weft_status weft_fiber_resume(struct weft_fiber *fiber);

/* Suspends the current fiber; returns when it is resumed. Errors: WEFT_E_STATE (no fiber runs). */
enum weft_status weft_fiber_yield(void);

/* Suspends the current fiber and runs `next` in its place: whoever resumed the current one is the
 * resumer of `next` from now on. One switch where a yield and a resume would be two.
 * A fiber may yield to itself and goes on at once. Errors: WEFT_E_INVALID (NULL), WEFT_E_STATE (no
 * fiber runs, or `next` is not suspended, or is another thread's). */
enum weft_status weft_fiber_yield_to(struct weft_fiber *next);

/* The same three with the switch inlined. The compiler saves what is live around it instead of all
 * callee-saved registers, and no return address is left behind for the processor to mispredict.
 * Both forms can be mixed freely. With a sanitizer they are the out-of-line ones. */
WEFT_ALWAYS_INLINE enum weft_status weft_fiber_resume_inline(struct weft_fiber *fiber);
WEFT_ALWAYS_INLINE enum weft_status weft_fiber_yield_inline(void);
WEFT_ALWAYS_INLINE enum weft_status weft_fiber_yield_to_inline(struct weft_fiber *next);

/* The fiber that runs on this thread, or NULL. */
WEFT_ALWAYS_INLINE struct weft_fiber *weft_fiber_current(void);

/* What was passed to weft_fiber_create() or weft_fiber_reset(). */
WEFT_ALWAYS_INLINE void *weft_fiber_argument(const struct weft_fiber *fiber);

/* May be asked on the fiber's own thread, until it is destroyed. */
WEFT_ALWAYS_INLINE enum weft_fiber_state weft_fiber_state(const struct weft_fiber *fiber);

/* ---- Implementation of what is inlined ---- */

/* Whatever is not the plain case is left to the function out of line, errors too: one call is all
 * that stands in the way of the switch. */

WEFT_ALWAYS_INLINE enum weft_status weft_fiber_resume_inline(struct weft_fiber *const fiber)
{
#if !WEFT_FIBER_HOOKED_
    if (WEFT_LIKELY(fiber && weft_fiber_is_here_(fiber) && !weft_fiber_resumer_must_be_kept_())) {
        weft_fiber_enter_(fiber);
        weft_fiber_swap_inline_(&weft_fiber_thread_.resumer, &fiber->context);
        return WEFT_OK;
    }
#endif
    return weft_fiber_resume(fiber);
}

WEFT_ALWAYS_INLINE enum weft_status weft_fiber_yield_inline(void)
{
#if !WEFT_FIBER_HOOKED_
    struct weft_fiber *const fiber = weft_fiber_thread_.current;

    if (WEFT_LIKELY(fiber && !weft_fiber_handles_exception_())) {
        weft_fiber_leave_(fiber);
        weft_fiber_swap_inline_(&fiber->context, &weft_fiber_thread_.resumer);
        return WEFT_OK;
    }
#endif
    return weft_fiber_yield();
}

WEFT_ALWAYS_INLINE enum weft_status weft_fiber_yield_to_inline(struct weft_fiber *const next)
{
#if !WEFT_FIBER_HOOKED_
    struct weft_fiber *const fiber = weft_fiber_thread_.current;

    if (WEFT_LIKELY(fiber && next && weft_fiber_have_same_link_(fiber, next) &&
                    !weft_fiber_handles_exception_())) {
        weft_fiber_thread_.current = next;
        weft_fiber_swap_inline_(&fiber->context, &next->context);
        return WEFT_OK;
    }
#endif
    return weft_fiber_yield_to(next);
}

WEFT_ALWAYS_INLINE struct weft_fiber *weft_fiber_current(void)
{
    return weft_fiber_thread_.current;
}

WEFT_ALWAYS_INLINE void *weft_fiber_argument(const struct weft_fiber *const fiber)
{
    return fiber->argument;
}

WEFT_ALWAYS_INLINE enum weft_fiber_state weft_fiber_state(const struct weft_fiber *const fiber)
{
    const uintptr_t link = __atomic_load_n(&fiber->link, __ATOMIC_RELAXED);

    if (link & WEFT_FIBER_LINK_SUSPENDED_ && fiber != weft_fiber_thread_.current)
        return WEFT_FIBER_SUSPENDED;
    return link & WEFT_FIBER_LINK_DONE_ ? WEFT_FIBER_FINISHED : WEFT_FIBER_RUNNING;
}

#ifdef __cplusplus
}
#endif
#endif
