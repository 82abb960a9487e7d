/* SPDX-License-Identifier: MIT */
/* The stacks of fibers: where they lie, how much of them can be used, and what guards them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cmocka_main.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "fiber/stacks.h"
#include "fiber_kinds.h"
#include "fiber_pool.h"

static void note_frame(void *const argument)
{
    *(uintptr_t *)argument = (uintptr_t)__builtin_frame_address(0);
}

static void the_stack_is_aligned_where_a_fiber_starts(void **state)
{
    uintptr_t frame = 1;
    struct weft_fiber *const fiber = new_fiber(note_frame, &frame, WEFT_FIBER_FPU_SHARED);

    (void)state;
    weft_fiber_resume(fiber);
    assert_int_equal(frame % 16, 0);
    assert_true(frame < (uintptr_t)fiber);
    assert_true(frame > (uintptr_t)weft_fiber_stack_bottom(fiber));
    weft_fiber_destroy(fiber);
}

static void sixteen_stacks_begin_in_different_cache_sets(void **state)
{
    struct weft_fiber *fibers[16];
    bool taken[64] = {false};

    (void)state;
    for (int i = 0; i < 16; ++i) {
        fibers[i] = new_fiber(note_frame, NULL, WEFT_FIBER_FPU_SHARED);
        const size_t set = (uintptr_t)fibers[i] / 64 % 64;
        assert_false(taken[set]);
        taken[set] = true;
        const size_t usable =
            (size_t)((const char *)fibers[i] - (const char *)weft_fiber_stack_bottom(fibers[i]));
        assert_true(usable >= weft_fiber_pool_stack_bytes(pool));
    }
    for (int i = 0; i < 16; ++i)
        weft_fiber_destroy(fibers[i]);
}

static void the_control_block_is_small_and_reported(void **state)
{
    (void)state;
    assert_true(weft_fiber_control_bytes() >= sizeof(struct weft_fiber));
    assert_true(weft_fiber_control_bytes() <= (WEFT_FIBER_HOOKED_ ? 128 : 64));
}

struct dive {
    size_t limit_bytes; /* 0: no limit */
    uintptr_t first;
    size_t used_bytes;
    unsigned sum;
};

__attribute__((noinline)) static unsigned dive_down(struct dive *const dive, const unsigned depth)
{
    volatile unsigned char room[48];

    room[0] = (unsigned char)depth;
    dive->used_bytes = dive->first - (uintptr_t)room;
    if (dive->limit_bytes != 0 && dive->used_bytes >= dive->limit_bytes)
        return 0;
    return dive_down(dive, depth + 1) + room[0];
}

static void start_dive(void *const argument)
{
    struct dive *const dive = argument;

    dive->first = (uintptr_t)weft_fiber_current();
    dive->sum = dive_down(dive, 0);
}

static void recursion_may_use_the_whole_stack(void **state)
{
    struct dive dive = {.limit_bytes = weft_fiber_pool_stack_bytes(pool) - 512};
    struct weft_fiber *const fiber = new_fiber(start_dive, &dive, WEFT_FIBER_FPU_SHARED);

    (void)state;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(weft_fiber_resume(fiber), WEFT_OK);
        assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
        assert_true(dive.used_bytes >= dive.limit_bytes);
        weft_fiber_reset(fiber, start_dive, &dive);
    }
    weft_fiber_destroy(fiber);
}

static void touch_guard(void *const argument)
{
    volatile char *const lowest =
        (volatile char *)(uintptr_t)weft_fiber_stack_bottom(weft_fiber_current());

    *lowest = 1;
    *(volatile bool *)argument = true;
    *(lowest - 1) = 1;
}

/* Runs `function` in a fiber of a child process, which is to die from it. */
static int status_of_child(weft_fiber_function *const function, void *const argument)
{
    const struct rlimit no_core = {0, 0};
    int status = 0;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
        signal(SIGBUS, SIG_DFL);
        struct weft_fiber *const fiber = new_fiber(function, argument, WEFT_FIBER_FPU_SHARED);
        weft_fiber_resume(fiber);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void overflow_hits_the_guard_page(void **state)
{
    struct dive dive = {.limit_bytes = 0};
    bool lowest_written = false;

    (void)state;
    if (WEFT_FIBER_HOOKED_ || RUNNING_ON_VALGRIND)
        skip(); /* they catch the signal */
    const int overflow = status_of_child(start_dive, &dive);
    assert_true(WIFSIGNALED(overflow) && WTERMSIG(overflow) == SIGSEGV);
    const int touched = status_of_child(touch_guard, &lowest_written);
    assert_true(WIFSIGNALED(touched) && WTERMSIG(touched) == SIGSEGV);
}

static void touch_lowest(void *const argument)
{
    (void)argument;
    *(volatile char *)(uintptr_t)weft_fiber_stack_bottom(weft_fiber_current()) = 1;
}

static void the_lowest_byte_is_usable(void **state)
{
    struct weft_fiber *const fiber = new_fiber(touch_lowest, NULL, WEFT_FIBER_FPU_SHARED);

    (void)state;
    weft_fiber_resume(fiber);
    assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
    weft_fiber_destroy(fiber);
}

#ifdef __linux__
/* A process that makes another system call than exit is killed. */
static void reuse_without_system_calls(void)
{
    struct weft_fiber *fibers[8];

    for (int i = 0; i < 8; ++i)
        fibers[i] = new_fiber(touch_lowest, NULL, WEFT_FIBER_FPU_PRIVATE);
    for (int i = 0; i < 8; ++i)
        weft_fiber_destroy(fibers[i]);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(77);
    for (int i = 0; i < 8; ++i) {
        weft_fiber_create(&fibers[i], pool, touch_lowest, NULL, WEFT_FIBER_FPU_PRIVATE);
        weft_fiber_resume(fibers[i]);
        weft_fiber_reset(fibers[i], touch_lowest, NULL);
    }
    for (int i = 0; i < 8; ++i)
        weft_fiber_destroy(fibers[i]);
    syscall(SYS_exit, 0);
}
#endif

static void a_used_stack_is_used_again_without_a_system_call(void **state)
{
    (void)state;
#ifdef __linux__
    int status = 0;

    if (WEFT_FIBER_HOOKED_ || RUNNING_ON_VALGRIND)
        skip(); /* they make some of their own */
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        reuse_without_system_calls();
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); /* an emulator without seccomp */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stack_is_aligned_where_a_fiber_starts),
        cmocka_unit_test(sixteen_stacks_begin_in_different_cache_sets),
        cmocka_unit_test(the_control_block_is_small_and_reported),
        cmocka_unit_test(recursion_may_use_the_whole_stack),
        cmocka_unit_test(the_lowest_byte_is_usable),
        cmocka_unit_test(overflow_hits_the_guard_page),
        cmocka_unit_test(a_used_stack_is_used_again_without_a_system_call),
    };

    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
