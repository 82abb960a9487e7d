/* SPDX-License-Identifier: MIT */
#include "weft/fiber.h"

#include <assert.h>
#include <stdbool.h>

#include "fiber/assembly.h"
#include "fiber/hooks.h"
#include "fiber/shadow_stack.h"
#include "fiber/stacks.h"

static_assert(offsetof(struct weft_fiber_context_, stack_pointer) == CONTEXT_STACK_POINTER, "");
static_assert(offsetof(struct weft_fiber_context_, resume_address) == CONTEXT_RESUME_ADDRESS, "");
static_assert(offsetof(struct weft_fiber_context_, frame_pointer) == CONTEXT_FRAME_POINTER, "");
static_assert(offsetof(struct weft_fiber_context_, base_pointer) == CONTEXT_BASE_POINTER, "");
static_assert(sizeof(struct weft_fiber) == 64, "a switch touches one line");

__thread struct weft_fiber_thread_ weft_fiber_thread_;

/* switch_*.S */
enum weft_status weft_fiber_swap_(struct weft_fiber_context_ *from,
                                  const struct weft_fiber_context_ *to);
void weft_fiber_start_(void);
_Noreturn void weft_fiber_main_(weft_fiber_function *function);

static struct weft_fiber_control *control_of(struct weft_fiber *const fiber)
{
    return (struct weft_fiber_control *)fiber;
}

static bool is_suspended_here(const struct weft_fiber *const fiber)
{
    return weft_fiber_is_here_(fiber) && fiber != weft_fiber_thread_.current;
}

WEFT_ALWAYS_INLINE enum weft_status switch_into(struct weft_fiber *const fiber)
{
    void *kept = NULL;

    weft_fiber_enter_(fiber);
    weft_fiber_hook_resume(control_of(fiber), &kept);
    const enum weft_status status = weft_fiber_swap_(&weft_fiber_thread_.resumer, &fiber->context);
    weft_fiber_hook_resumed(kept);
    return status;
}

WEFT_ALWAYS_INLINE enum weft_status switch_out_of(struct weft_fiber *const fiber)
{
    void *kept = NULL;

    weft_fiber_leave_(fiber);
    weft_fiber_hook_yield(control_of(fiber), &kept);
    const enum weft_status status = weft_fiber_swap_(&fiber->context, &weft_fiber_thread_.resumer);
    weft_fiber_hook_yielded(control_of(fiber), kept);
    return status;
}

WEFT_ALWAYS_INLINE enum weft_status switch_between(struct weft_fiber *const fiber,
                                                   struct weft_fiber *const next)
{
    void *kept = NULL;

    weft_fiber_leave_(fiber);
    weft_fiber_enter_(next);
    weft_fiber_hook_yield_to(control_of(fiber), control_of(next), &kept);
    const enum weft_status status = weft_fiber_swap_(&fiber->context, &next->context);
    weft_fiber_hook_yielded(control_of(fiber), kept);
    return status;
}

/* The rare switches are functions of their own, so that the plain ones end in a jump. */
__attribute__((noinline)) static enum weft_status enter_and_keep(struct weft_fiber *const fiber)
{
    struct weft_fiber_thread_ *const thread = &weft_fiber_thread_;
    const struct weft_fiber_exceptions_ exceptions = *thread->exceptions;
    const struct weft_fiber_context_ resumer = thread->resumer;
    struct weft_fiber *const current = thread->current;
    const uintptr_t link = current ? current->link : 0;
    const bool handles_exception = weft_fiber_handles_exception_();

    if (handles_exception)
        *thread->exceptions = (struct weft_fiber_exceptions_){NULL, 0};
    if (current)
        weft_fiber_set_running_(current);
    switch_into(fiber);
    if (current)
        __atomic_store_n(&current->link, link, __ATOMIC_RELAXED);
    thread->current = current;
    thread->resumer = resumer;
    if (handles_exception)
        *thread->exceptions = exceptions;
    return WEFT_OK;
}

__attribute__((noinline)) static enum weft_status leave_and_keep(struct weft_fiber *const fiber)
{
    struct weft_fiber_thread_ *const thread = &weft_fiber_thread_;
    const struct weft_fiber_exceptions_ exceptions = *thread->exceptions;

    *thread->exceptions = (struct weft_fiber_exceptions_){NULL, 0};
    switch_out_of(fiber);
    *thread->exceptions = exceptions;
    return WEFT_OK;
}

__attribute__((noinline)) static enum weft_status leave_for_and_keep(struct weft_fiber *const fiber,
                                                                     struct weft_fiber *const next)
{
    struct weft_fiber_thread_ *const thread = &weft_fiber_thread_;
    const struct weft_fiber_exceptions_ exceptions = *thread->exceptions;

    *thread->exceptions = (struct weft_fiber_exceptions_){NULL, 0};
    switch_between(fiber, next);
    *thread->exceptions = exceptions;
    return WEFT_OK;
}

enum weft_status weft_fiber_resume(struct weft_fiber *const fiber)
{
    if (!fiber)
        return WEFT_E_INVALID;
    if (!is_suspended_here(fiber))
        return WEFT_E_STATE;
    if (__builtin_expect(weft_fiber_resumer_must_be_kept_(), 0))
        return enter_and_keep(fiber);
    return switch_into(fiber);
}

enum weft_status weft_fiber_yield(void)
{
    struct weft_fiber *const fiber = weft_fiber_thread_.current;

    if (!fiber)
        return WEFT_E_STATE;
    if (__builtin_expect(weft_fiber_handles_exception_(), 0))
        return leave_and_keep(fiber);
    return switch_out_of(fiber);
}

enum weft_status weft_fiber_yield_to(struct weft_fiber *const next)
{
    struct weft_fiber *const fiber = weft_fiber_thread_.current;

    if (!next)
        return WEFT_E_INVALID;
    if (fiber && next == fiber)
        return WEFT_OK;
    if (!fiber || !is_suspended_here(next))
        return WEFT_E_STATE;
    if (__builtin_expect(weft_fiber_handles_exception_(), 0))
        return leave_for_and_keep(fiber, next);
    return switch_between(fiber, next);
}

/* The bottom frame of every fiber; weft_fiber_start_ calls it on the fiber's stack. */
_Noreturn void weft_fiber_main_(weft_fiber_function *const function)
{
    struct weft_fiber *const fiber = weft_fiber_thread_.current;

    weft_fiber_hook_yielded(control_of(fiber), NULL);
    function(fiber->argument);
    weft_fiber_leave_(fiber);
    __atomic_store_n(&fiber->link, WEFT_FIBER_LINK_DONE_, __ATOMIC_RELAXED);
    weft_fiber_hook_yield(control_of(fiber), NULL);
    weft_fiber_swap_(&fiber->context, &weft_fiber_thread_.resumer);
    __builtin_trap(); /* nobody resumes a finished fiber */
}

static void prepare(struct weft_fiber *const fiber, weft_fiber_function *const function,
                    void *const argument, const uint8_t fpu)
{
    fiber->context = (struct weft_fiber_context_){
        .stack_pointer = fiber,
        .resume_address = (void *)weft_fiber_start_,
        .base_pointer = (void *)function, /* weft_fiber_start_ passes it on */
        .fpu = fpu,
    };
    if (fpu)
        weft_fiber_note_fpu_(&fiber->context);
    fiber->argument = argument;
    fiber->link = weft_fiber_thread_.suspended_link | (fpu ? WEFT_FIBER_LINK_PRIVATE_ : 0);
    weft_fiber_hook_create(control_of(fiber), weft_fiber_stack_bottom(fiber));
}

static uint8_t private_kind(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd"))
        return WEFT_FIBER_FPU_WRITTEN_;
#endif
    return WEFT_FIBER_FPU_COMPARED_;
}

enum weft_status weft_fiber_create(struct weft_fiber **const result,
                                   struct weft_fiber_pool *const pool,
                                   weft_fiber_function *const function, void *const argument,
                                   const enum weft_fiber_fpu fpu)
{
    struct weft_fiber_control *control;

    if (!result || !pool || !function ||
        (fpu != WEFT_FIBER_FPU_SHARED && fpu != WEFT_FIBER_FPU_PRIVATE))
        return WEFT_E_INVALID;
    if (pool->owner != weft_fiber_thread_.suspended_link)
        return WEFT_E_STATE;
    if (weft_fiber_shadow_stack_is_on())
        return WEFT_E_UNSUPPORTED;
    const enum weft_status status = weft_fiber_stack_take(pool, &control);
    if (status != WEFT_OK)
        return status;
    control->fiber.pool = pool;
    prepare(&control->fiber, function, argument,
            fpu == WEFT_FIBER_FPU_PRIVATE ? private_kind() : WEFT_FIBER_FPU_SHARED_);
    *result = &control->fiber;
    return WEFT_OK;
}

/* Destroyed fibers have their link set, so that a second destroy is seen as long as the stack is
 * not in use again. */
static bool is_idle_here(const struct weft_fiber *const fiber)
{
    return is_suspended_here(fiber) || (fiber->pool->owner == weft_fiber_thread_.suspended_link &&
                                        fiber->link == WEFT_FIBER_LINK_DONE_);
}

enum weft_status weft_fiber_reset(struct weft_fiber *const fiber,
                                  weft_fiber_function *const function, void *const argument)
{
    if (!fiber || !function)
        return WEFT_E_INVALID;
    if (!is_idle_here(fiber))
        return WEFT_E_STATE;
    weft_fiber_hook_destroy(control_of(fiber));
    prepare(fiber, function, argument, fiber->context.fpu);
    return WEFT_OK;
}

enum weft_status weft_fiber_destroy(struct weft_fiber *const fiber)
{
    if (!fiber)
        return WEFT_OK;
    if (!is_idle_here(fiber))
        return WEFT_E_STATE;
    weft_fiber_hook_destroy(control_of(fiber));
    fiber->link = WEFT_FIBER_LINK_DONE_ | WEFT_FIBER_LINK_DESTROYED_;
    weft_fiber_stack_give_back(fiber);
    return WEFT_OK;
}

size_t weft_fiber_control_bytes(void)
{
    return sizeof(struct weft_fiber_control);
}
