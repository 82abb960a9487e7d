/* SPDX-License-Identifier: MIT */
/* The inlined switch of weft/fiber.h, which is the header to include. Names that end in an
 * underscore are no part of the interface. */
#ifndef WEFT_FIBER_SWITCH_H
#define WEFT_FIBER_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#include "weft/prefetch.h"

#if !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "weft fibers run on x86-64 (System V) and AArch64"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_FIBER_HOOKED_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_FIBER_HOOKED_ 1
#endif
#endif
#ifndef WEFT_FIBER_HOOKED_
#define WEFT_FIBER_HOOKED_ 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct weft_fiber_pool;

enum weft_fiber_fpu_ {
    WEFT_FIBER_FPU_SHARED_,
    WEFT_FIBER_FPU_COMPARED_, /* private, written where it differs */
    WEFT_FIBER_FPU_WRITTEN_,  /* private, MXCSR written without looking */
};

/* Where a suspended side goes on. Whatever else it needs back is on its stack: the code at
 * `resume_address` fetches it. */
struct weft_fiber_context_ {
    void *stack_pointer;
    void *resume_address;
    void *frame_pointer;  /* rbp, x29: cannot be a clobber where it is in use as such */
    void *base_pointer;   /* rbx, x19: likewise, clang's base of frames that have alloca() */
    uint32_t fpu_control; /* MXCSR or FPCR, for private environments */
    uint16_t x87_control;
    uint8_t fpu; /* enum weft_fiber_fpu_, of a fiber */
    uint8_t unused;
};

struct weft_fiber {
    struct weft_fiber_context_ context; /* while it is suspended */
    uintptr_t link;
    void *argument;
    struct weft_fiber_pool *pool;
};

/* `link` is the owning thread + SUSPENDED_, and PRIVATE_ if the floating-point environment is, so
 * that one comparison tells a fiber that can be resumed. A fiber with the shared environment keeps
 * it while it is the current one: nothing is written at a switch, and two fibers with the same link
 * can change places. One with a private environment that runs, and one that waits for a fiber it
 * has resumed, have their own address + RUNNING_, a link that no other fiber has. Then there are
 * DONE_ (finished), and DONE_ | DESTROYED_. */
#define WEFT_FIBER_LINK_SUSPENDED_ ((uintptr_t)1)
#define WEFT_FIBER_LINK_DONE_ ((uintptr_t)2)
#define WEFT_FIBER_LINK_DESTROYED_ ((uintptr_t)4)
#define WEFT_FIBER_LINK_RUNNING_ ((uintptr_t)8)
#define WEFT_FIBER_LINK_PRIVATE_ ((uintptr_t)16)

/* A thread's __cxa_eh_globals, as the C++ ABI for exception handling lays it out. */
struct weft_fiber_exceptions_ {
    void *caught;
    unsigned uncaught;
};

/* On a line of its own: a switch reads and writes most of it. */
struct __attribute__((aligned(64))) weft_fiber_thread_ {
    struct weft_fiber *current; /* one that resumes another is `current` again afterwards */
    uintptr_t suspended_link;   /* the two are set before the thread's first fiber exists */
    struct weft_fiber_exceptions_ *exceptions;
    struct weft_fiber_context_ resumer; /* of the current fiber. One that resumes another keeps its
                                         * own resumer's on its stack: a yield then finds where to
                                         * go without waiting for `current` */
};

/* __thread rather than thread_local: in C++ that is reached through a call. A fiber stays on its
 * thread, so the compiler may keep the address over a switch. */
#ifdef __ELF__
__attribute__((tls_model("initial-exec")))
#endif
extern __thread struct weft_fiber_thread_ weft_fiber_thread_;

WEFT_ALWAYS_INLINE void weft_fiber_set_running_(struct weft_fiber *const fiber)
{
    __atomic_store_n(&fiber->link, (uintptr_t)fiber + WEFT_FIBER_LINK_RUNNING_, __ATOMIC_RELAXED);
}

/* Suspended on this thread, or its current fiber. */
WEFT_ALWAYS_INLINE int weft_fiber_is_here_(const struct weft_fiber *const fiber)
{
    const uintptr_t link = __atomic_load_n(&fiber->link, __ATOMIC_RELAXED);

    return (link & ~WEFT_FIBER_LINK_PRIVATE_) == weft_fiber_thread_.suspended_link;
}

/* Of the current fiber and another one: then the other one is suspended here, both have the shared
 * floating-point environment, or it is the same one. */
WEFT_ALWAYS_INLINE int weft_fiber_have_same_link_(const struct weft_fiber *const fiber,
                                                  const struct weft_fiber *const other)
{
    return __atomic_load_n(&fiber->link, __ATOMIC_RELAXED) ==
           __atomic_load_n(&other->link, __ATOMIC_RELAXED);
}

/* True inside a handler or during unwinding: the out-of-line functions then put the thread's list
 * of exceptions aside over the switch, so that every switch finds and leaves it empty. */
WEFT_ALWAYS_INLINE int weft_fiber_handles_exception_(void)
{
    const struct weft_fiber_exceptions_ *const exceptions = weft_fiber_thread_.exceptions;

    return ((uintptr_t)exceptions->caught | exceptions->uncaught) != 0;
}

/* True if a switch into a fiber must keep more than registers: out of line then, too. One branch
 * for all of it, as the inlined switch is short enough to count them. */
WEFT_ALWAYS_INLINE int weft_fiber_resumer_must_be_kept_(void)
{
    const struct weft_fiber_exceptions_ *const exceptions = weft_fiber_thread_.exceptions;

    return ((uintptr_t)weft_fiber_thread_.current | (uintptr_t)exceptions->caught |
            exceptions->uncaught) != 0;
}

/* Notes the present floating-point environment in `context`. */
WEFT_ALWAYS_INLINE void weft_fiber_note_fpu_(struct weft_fiber_context_ *const context)
{
#if defined(__x86_64__)
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1"
                     : "=m"(context->fpu_control), "=m"(context->x87_control));
#else
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    context->fpu_control = (uint32_t)control;
#endif
}

/* Leaves the floating-point environment of `from` for that of `to`. On most processors writing
 * stalls, so it is done only where the two differ; on AMD's, writing MXCSR is nearly free and
 * looking at what was just read is not. */
WEFT_ALWAYS_INLINE void weft_fiber_switch_fpu_(struct weft_fiber_context_ *const from,
                                               const struct weft_fiber_context_ *const to,
                                               const uint8_t fpu)
{
    weft_fiber_note_fpu_(from);
#if defined(__x86_64__)
    if (fpu == WEFT_FIBER_FPU_WRITTEN_ || from->fpu_control != to->fpu_control)
        __asm__ volatile("ldmxcsr %0" : : "m"(to->fpu_control) : "memory");
    if (from->x87_control != to->x87_control)
        __asm__ volatile("fldcw %0" : : "m"(to->x87_control) : "memory");
#else
    (void)fpu;
    if (from->fpu_control != to->fpu_control)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)to->fpu_control) : "memory");
#endif
}

/* What a switch into a suspended fiber changes besides the registers. Reading MXCSR takes longest
 * and waits for what is before it, so it comes first. */
WEFT_ALWAYS_INLINE void weft_fiber_enter_(struct weft_fiber *const fiber)
{
    struct weft_fiber_thread_ *const thread = &weft_fiber_thread_;

    if (fiber->context.fpu) {
        weft_fiber_switch_fpu_(&thread->resumer, &fiber->context, fiber->context.fpu);
        weft_fiber_set_running_(fiber);
    }
    thread->current = fiber;
}

/* What a switch out of the current fiber to its resumer changes. */
WEFT_ALWAYS_INLINE void weft_fiber_leave_(struct weft_fiber *const fiber)
{
    struct weft_fiber_thread_ *const thread = &weft_fiber_thread_;

    if (fiber->context.fpu) {
        weft_fiber_switch_fpu_(&fiber->context, &thread->resumer, fiber->context.fpu);
        __atomic_store_n(&fiber->link, thread->suspended_link | WEFT_FIBER_LINK_PRIVATE_,
                         __ATOMIC_RELAXED);
    }
    thread->current = NULL;
}

/* x18 is the platform's where that reserves it, elsewhere one more register of the compiler's. */
#if defined(__aarch64__) && !defined(__APPLE__) && !defined(__ANDROID__)
#define WEFT_FIBER_CLOBBERS_X18_ "x18",
#else
#define WEFT_FIBER_CLOBBERS_X18_
#endif

#if defined(__AVX512F__)
#define WEFT_FIBER_CLOBBERS_MORE_                                                                  \
    "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",      \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5",  \
        "k6", "k7",
#elif defined(__ARM_FEATURE_SVE)
#define WEFT_FIBER_CLOBBERS_MORE_                                                                  \
    "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
        "p15",
#else
#define WEFT_FIBER_CLOBBERS_MORE_
#endif

/* Leaves the registers in `from` and goes on with those in `to`; comes back when somebody goes on
 * with `from`. It neither pushes nor calls: a leaf function keeps locals below the stack pointer. A
 * function with the attribute target("avx512f") must not hold it, as the macro above does not see
 * that attribute. */
WEFT_ALWAYS_INLINE void weft_fiber_swap_inline_(struct weft_fiber_context_ *from,
                                                const struct weft_fiber_context_ *to)
{
#if defined(__x86_64__)
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rsp, 0(%%rdi)\n\t"
                     "movq %%rax, 8(%%rdi)\n\t"
                     "movq %%rbp, 16(%%rdi)\n\t"
                     "movq %%rbx, 24(%%rdi)\n\t"
                     "movq 0(%%rsi), %%rsp\n\t"
                     "movq 16(%%rsi), %%rbp\n\t"
                     "movq 24(%%rsi), %%rbx\n\t"
                     "jmp *8(%%rsi)\n"
                     "1:\n\t"
                     "endbr64"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                       WEFT_FIBER_CLOBBERS_MORE_ "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6",
                       "mm7", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
                       "cc", "memory");
#else
    register struct weft_fiber_context_ *left __asm__("x0") = from;
    register const struct weft_fiber_context_ *entered __asm__("x1") = to;

    __asm__ volatile("adr x2, 1f\n\t"
                     "mov x3, sp\n\t"
                     "stp x3, x2, [x0]\n\t"
                     "stp x29, x19, [x0, #16]\n\t"
                     "ldp x3, x2, [x1]\n\t"
                     "ldp x29, x19, [x1, #16]\n\t"
                     "mov sp, x3\n\t"
                     "br x2\n"
                     "1:\n\t"
                     "hint #36" /* bti j */
                     : "+r"(left), "+r"(entered)
                     :
                     : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                       "x14", "x15", "x16", "x17", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
                       "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
                       "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",
                       "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
                       "v31", WEFT_FIBER_CLOBBERS_X18_ WEFT_FIBER_CLOBBERS_MORE_ "cc", "memory");
#endif
}

#ifdef __cplusplus
}
#endif
#endif
