/* SPDX-License-Identifier: MIT */
/* What fibers do with registers, the floating-point environment and the unwinder. */
#include "cmocka_main.h"

#include <alloca.h>
#include <fenv.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

#include "fiber_kinds.h"
#include "fiber_pool.h"

/* ---- Callee-saved registers ---- */

/* Fills every callee-saved register but the stack pointer with values made of `pattern`, calls
 * call(argument) and returns a mask of the registers that came back changed. */
uint64_t changed_registers(void (*call)(void *argument), void *argument, uint64_t pattern);

#if defined(__x86_64__)
#define FOR_REGISTERS(use)                                                                         \
    use("%rbx", "1") use("%rbp", "2") use("%r12", "3") use("%r13", "4") use("%r14", "5")           \
        use("%r15", "6")
#define PUSH(name, number) "pushq " name "\n"
#define FILL(name, number) "leaq " number "(%rdx), " name "\n"
#define CHECK(name, number)                                                                        \
    "leaq " number "(%rdx), %rcx\n xorq " name ", %rcx\n setne %cl\n movzbl %cl, %ecx\n"           \
    "shlq $" number ", %rcx\n orq %rcx, %rax\n"
__asm__(".text\n.globl changed_registers\n.type changed_registers, %function\n"
        "changed_registers:\n endbr64\n" FOR_REGISTERS(PUSH) "pushq %rdx\n" FOR_REGISTERS(
            FILL) "movq %rdi, %rax\n movq %rsi, %rdi\n call *%rax\n xorl %eax, %eax\n movq (%rsp), "
                  "%rdx\n" FOR_REGISTERS(CHECK) "popq %rdx\n popq %r15\n popq %r14\n popq %r13\n "
                                                "popq %r12\n"
                                                "popq %rbp\n popq %rbx\n ret\n.size "
                                                "changed_registers, .-changed_registers\n");
#elif defined(__aarch64__)
#define FOR_REGISTERS(use)                                                                         \
    use("x19", "1") use("x20", "2") use("x21", "3") use("x22", "4") use("x23", "5")                \
        use("x24", "6") use("x25", "7") use("x26", "8") use("x27", "9") use("x28", "10")           \
            use("x29", "11")
#define FOR_VECTORS(use)                                                                           \
    use("d8", "12") use("d9", "13") use("d10", "14") use("d11", "15") use("d12", "16")             \
        use("d13", "17") use("d14", "18") use("d15", "19")
#define FILL(name, number) "add " name ", x2, #" number "\n"
#define FILL_VECTOR(name, number) "add x9, x2, #" number "\n fmov " name ", x9\n"
#define CHECK(name, number)                                                                        \
    "add x9, x2, #" number "\n cmp x9, " name "\n cset x9, ne\n orr x0, x0, x9, lsl #" number "\n"
#define CHECK_VECTOR(name, number) "fmov x10, " name "\n" CHECK("x10", number)
__asm__(".text\n.globl changed_registers\n.type changed_registers, %function\n"
        "changed_registers:\n hint #34\n sub sp, sp, #176\n stp x19, x20, [sp]\n"
        "stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
        "stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n stp d8, d9, [sp, #96]\n"
        "stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
        "str x2, [sp, #160]\n" FOR_REGISTERS(FILL)
            FOR_VECTORS(FILL_VECTOR) "mov x16, x0\n mov x0, x1\n blr x16\n mov x0, #0\n ldr x2, "
                                     "[sp, #160]\n" FOR_REGISTERS(CHECK) FOR_VECTORS(
                                         CHECK_VECTOR) "ldp x19, x20, [sp]\n"
                                                       "ldp x21, x22, [sp, #16]\n ldp x23, x24, "
                                                       "[sp, #32]\n ldp x25, x26, [sp, #48]\n"
                                                       "ldp x27, x28, [sp, #64]\n ldp x29, x30, "
                                                       "[sp, #80]\n ldp d8, d9, [sp, #96]\n"
                                                       "ldp d10, d11, [sp, #112]\n ldp d12, d13, "
                                                       "[sp, #128]\n ldp d14, d15, [sp, #144]\n"
                                                       "add sp, sp, #176\n ret\n.size "
                                                       "changed_registers, .-changed_registers\n");
#endif

struct patterns {
    int resume_kind;
    int yield_kind;
    uint64_t changed_in_fiber;
    struct weft_fiber *fiber;
};

static void call_yield(void *const argument)
{
    yield_of[((struct patterns *)argument)->yield_kind]();
}

static void call_resume(void *const argument)
{
    struct patterns *const patterns = argument;

    resume_of[patterns->resume_kind](patterns->fiber);
}

static void keep_patterns(void *const argument)
{
    struct patterns *const patterns = argument;

    for (uint64_t i = 1; i <= 5; ++i)
        patterns->changed_in_fiber |=
            changed_registers(call_yield, patterns, 0xf1be000000000000u + (i << 32));
}

static void every_callee_saved_register_survives_on_both_sides(void **state)
{
    (void)state;
    for (int i = 0; i < kinds * kinds; ++i) {
        struct patterns patterns = {.resume_kind = i / kinds, .yield_kind = i % kinds};

        patterns.fiber = new_fiber(keep_patterns, &patterns, WEFT_FIBER_FPU_SHARED);
        for (uint64_t round = 1; round <= 6; ++round)
            assert_true(changed_registers(call_resume, &patterns,
                                          0x4a10000000000000u + (round << 32)) == 0);
        assert_int_equal(weft_fiber_state(patterns.fiber), WEFT_FIBER_FINISHED);
        assert_true(patterns.changed_in_fiber == 0);
        weft_fiber_destroy(patterns.fiber);
    }
}

/* ---- Live values over the inlined switch ---- */

struct mix {
    uint64_t seed;
    uint64_t result;
    double real;
};

/* More live integers and reals than there are registers; a leaf but for the switch. */
static void mix_around_yields(void *const argument)
{
    struct mix *const mix = argument;
    uint64_t words[24];
    double reals[20];

    for (unsigned i = 0; i < 24; ++i)
        words[i] = mix->seed * (i + 1);
    for (unsigned i = 0; i < 20; ++i)
        reals[i] = (double)(mix->seed + i) / 4;
    for (unsigned round = 0; round < 3; ++round) {
        weft_fiber_yield_inline();
        for (unsigned i = 0; i < 24; ++i)
            words[i] += words[(i + 1) % 24];
        for (unsigned i = 0; i < 20; ++i)
            reals[i] += reals[(i + 1) % 20];
    }
    for (unsigned i = 0; i < 24; ++i)
        mix->result ^= words[i];
    for (unsigned i = 0; i < 20; ++i)
        mix->real += reals[i];
}

static uint64_t expected_word(const uint64_t seed)
{
    uint64_t words[24];
    uint64_t result = 0;

    for (unsigned i = 0; i < 24; ++i)
        words[i] = seed * (i + 1);
    for (unsigned round = 0; round < 3; ++round)
        for (unsigned i = 0; i < 24; ++i)
            words[i] += words[(i + 1) % 24];
    for (unsigned i = 0; i < 24; ++i)
        result ^= words[i];
    return result;
}

static double expected_real(const uint64_t seed)
{
    double reals[20];
    double result = 0;

    for (unsigned i = 0; i < 20; ++i)
        reals[i] = (double)(seed + i) / 4;
    for (unsigned round = 0; round < 3; ++round)
        for (unsigned i = 0; i < 20; ++i)
            reals[i] += reals[(i + 1) % 20];
    for (unsigned i = 0; i < 20; ++i)
        result += reals[i];
    return result;
}

static void values_live_over_the_inlined_switch_are_kept(void **state)
{
    struct mix mixes[3] = {{.seed = 3}, {.seed = 1001}, {.seed = 77777}};
    struct weft_fiber *fibers[3];

    (void)state;
    for (int i = 0; i < 3; ++i)
        fibers[i] = new_fiber(mix_around_yields, &mixes[i], WEFT_FIBER_FPU_SHARED);
    for (int round = 0; round < 4; ++round)
        for (int i = 0; i < 3; ++i)
            weft_fiber_resume_inline(fibers[i]);
    for (int i = 0; i < 3; ++i) {
        assert_true(mixes[i].result == expected_word(mixes[i].seed));
        assert_true(mixes[i].real == expected_real(mixes[i].seed));
        weft_fiber_destroy(fibers[i]);
    }
}

/* A frame that needs a base pointer besides frame and stack pointer. */
static void yield_in_an_aligned_frame_with_alloca(void *const argument)
{
    volatile size_t *const result = argument;
    _Alignas(64) volatile char fixed[64];
    volatile char *const dynamic = alloca(*result);
    const size_t bytes = *result;

    memset((void *)(uintptr_t)fixed, 1, sizeof(fixed));
    memset((void *)(uintptr_t)dynamic, 2, bytes);
    *result = 0;
    for (int round = 0; round < 3; ++round) {
        weft_fiber_yield_inline();
        for (size_t i = 0; i < sizeof(fixed); ++i)
            *result += (size_t)fixed[i];
        for (size_t i = 0; i < bytes; ++i)
            *result += (size_t)dynamic[i];
        *result += (uintptr_t)fixed % 64;
    }
}

static void frames_with_alloca_and_alignment_survive_the_inlined_switch(void **state)
{
    volatile size_t first = 100;
    volatile size_t second = 333;
    struct weft_fiber *const a = new_fiber(yield_in_an_aligned_frame_with_alloca,
                                           (void *)(uintptr_t)&first, WEFT_FIBER_FPU_SHARED);
    struct weft_fiber *const b = new_fiber(yield_in_an_aligned_frame_with_alloca,
                                           (void *)(uintptr_t)&second, WEFT_FIBER_FPU_SHARED);

    (void)state;
    for (int round = 0; round < 4; ++round) {
        weft_fiber_resume_inline(a);
        weft_fiber_resume_inline(b);
    }
    assert_int_equal(first, 3 * (64 + 2 * 100));
    assert_int_equal(second, 3 * (64 + 2 * 333));
    weft_fiber_destroy(a);
    weft_fiber_destroy(b);
}

/* ---- Floating-point environment ---- */

struct rounding {
    int kind;
    int at_start;
    int after_yield;
    double third;
};

__attribute__((noinline)) static double third(void)
{
    volatile double one = 1;
    volatile double three = 3;

    return one / three;
}

static void round_downward(void *const argument)
{
    struct rounding *const rounding = argument;

    rounding->at_start = fegetround();
    fesetround(FE_DOWNWARD);
    yield_of[rounding->kind]();
    rounding->after_yield = fegetround();
    rounding->third = third();
    fesetround(FE_TOWARDZERO);
}

static void a_shared_floating_point_environment_is_one_for_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind) {
        struct rounding rounding = {.kind = kind};
        struct weft_fiber *const fiber =
            new_fiber(round_downward, &rounding, WEFT_FIBER_FPU_SHARED);

        fesetround(FE_UPWARD);
        resume_of[kind](fiber);
        const int after_first = fegetround();
        resume_of[kind](fiber);
        const int after_last = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(rounding.at_start, FE_UPWARD);
        assert_int_equal(after_first, FE_DOWNWARD);
        assert_int_equal(rounding.after_yield, FE_DOWNWARD);
        assert_int_equal(after_last, FE_TOWARDZERO);
        weft_fiber_destroy(fiber);
    }
}

/* `how` is how private environments are switched; this machine would choose one of the two. */
static void check_private(const int kind, const uint8_t how)
{
    struct rounding rounding = {.kind = kind};

    fesetround(FE_TONEAREST);
    struct weft_fiber *const fiber = new_fiber(round_downward, &rounding, WEFT_FIBER_FPU_PRIVATE);
    fiber->context.fpu = how;
    fesetround(FE_UPWARD);
    const double upward = third();
    resume_of[kind](fiber);
    const int after_first = fegetround();
    const double after_third = third();
    fesetround(FE_TOWARDZERO);
    resume_of[kind](fiber);
    const int after_last = fegetround();
    fesetround(FE_DOWNWARD);
    const double downward = third();
    fesetround(FE_TONEAREST);

    assert_int_equal(rounding.at_start, FE_TONEAREST);
    assert_int_equal(after_first, FE_UPWARD);
    assert_true(after_third == upward);
    assert_int_equal(rounding.after_yield, FE_DOWNWARD);
    assert_true(rounding.third == downward);
    assert_true(downward != upward);
    assert_int_equal(after_last, FE_TOWARDZERO);
    weft_fiber_destroy(fiber);
}

static void a_private_floating_point_environment_is_the_fibers_own(void **state)
{
    (void)state;
    if (RUNNING_ON_VALGRIND)
        skip(); /* it rounds to nearest whatever is asked */
    for (int kind = 0; kind < kinds; ++kind) {
        check_private(kind, WEFT_FIBER_FPU_COMPARED_);
        check_private(kind, WEFT_FIBER_FPU_WRITTEN_);
    }
}

/* ---- Unwinding ---- */

void weft_fiber_start_(void);

struct walk {
    int frames;
    uintptr_t outermost;
    _Unwind_Reason_Code end;
};

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *const context, void *const argument)
{
    struct walk *const walk = argument;
    const uintptr_t address = _Unwind_GetIP(context);

    if (address != 0) {
        walk->frames++;
        walk->outermost = address;
    }
    return walk->frames < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

__attribute__((noinline)) static int walk_stack(struct walk *const walk, const int depth)
{
    if (depth == 0) {
        yield_of[walk->frames]();
        walk->frames = 0;
        walk->end = _Unwind_Backtrace(count_frame, walk);
        return 0;
    }
    return walk_stack(walk, depth - 1) + 1;
}

static void start_walk(void *const argument)
{
    volatile int depth = walk_stack(argument, 5);

    (void)depth;
}

static void a_backtrace_ends_where_the_fiber_starts(void **state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind) {
        struct walk walk = {.frames = kind};
        struct weft_fiber *const fiber = new_fiber(start_walk, &walk, WEFT_FIBER_FPU_SHARED);

        weft_fiber_resume(fiber);
        weft_fiber_resume(fiber);
        assert_int_equal(walk.end, _URC_END_OF_STACK);
        assert_in_range(walk.frames, 3, 20);
        assert_in_range(walk.outermost, (uintptr_t)weft_fiber_start_,
                        (uintptr_t)weft_fiber_start_ + 32);
        weft_fiber_destroy(fiber);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_callee_saved_register_survives_on_both_sides),
        cmocka_unit_test(values_live_over_the_inlined_switch_are_kept),
        cmocka_unit_test(frames_with_alloca_and_alignment_survive_the_inlined_switch),
        cmocka_unit_test(a_shared_floating_point_environment_is_one_for_all),
        cmocka_unit_test(a_private_floating_point_environment_is_the_fibers_own),
        cmocka_unit_test(a_backtrace_ends_where_the_fiber_starts),
    };

    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
