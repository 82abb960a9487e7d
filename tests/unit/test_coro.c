/* SPDX-License-Identifier: MIT */
/* Coroutines: what a straight function can do, they can. Compiled as C and as C++. */
#include "cmocka_main.h"

#include <stdbool.h>
#include <string.h>

#include "weft/coro.h"

/* What a coroutine did, in order. */
struct trace {
    char text[256];
    size_t length;
};

static void note(struct trace *const trace, const char event)
{
    assert_true(trace->length + 1 < sizeof(trace->text));
    trace->text[trace->length++] = event;
}

static int line_a, line_b; /* addresses to await */

typedef const void *resume_fn(void *context, void *frame);

/* Resumes until the end, with a '.' for each suspension; at most `turns` times. */
static size_t run(resume_fn *const resume, struct trace *const trace, void *const frame)
{
    size_t turns = 0;

    while (resume(trace, frame)) {
        note(trace, '.');
        assert_true(++turns < 100);
    }
    return turns;
}

struct loops {
    struct weft_coro coro;
    int i, j;
};

static const void *loops_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct loops *const frame = (struct loops *)memory;

    WEFT_CORO_BEGIN(&frame->coro);
    for (frame->i = 0; frame->i < 3; frame->i++) {
        WEFT_AWAIT(&line_a);
        note(trace, (char)('a' + frame->i));
        for (frame->j = 0; frame->j < frame->i; frame->j++) {
            if (frame->j == 1)
                WEFT_AWAIT(&line_b);
            else
                WEFT_AWAIT(&line_a);
            note(trace, (char)('0' + frame->j));
        }
    }
    note(trace, 'e');
    WEFT_CORO_END();
}

static void awaits_in_nested_loops_go_on_where_they_were(void **state)
{
    struct trace trace = {"", 0};
    struct loops frame = {{0}, 0, 0};

    (void)state;
    weft_coro_init(&frame.coro);
    assert_int_equal(run(loops_resume, &trace, &frame), 6);
    assert_string_equal(trace.text, ".a.b.0.c.0.1e");
}

static void a_coroutine_waits_for_the_address_it_names(void **state)
{
    struct trace trace = {"", 0};
    struct loops frame = {{0}, 0, 0};
    const void *addresses[7];

    (void)state;
    weft_coro_init(&frame.coro);
    for (int i = 0; i < 7; ++i)
        addresses[i] = loops_resume(&trace, &frame);
    assert_ptr_equal(addresses[0], &line_a);
    assert_ptr_equal(addresses[4], &line_a);
    assert_ptr_equal(addresses[5], &line_b);
    assert_null(addresses[6]);
}

static void a_coroutine_is_run_again_after_its_initialisation(void **state)
{
    struct trace trace = {"", 0};
    struct loops frame = {{0}, 0, 0};

    (void)state;
    for (int i = 0; i < 2; ++i) {
        weft_coro_init(&frame.coro);
        run(loops_resume, &trace, &frame);
    }
    assert_string_equal(trace.text, ".a.b.0.c.0.1e.a.b.0.c.0.1e");
}

struct early {
    struct weft_coro coro;
    bool leave;
};

static const void *early_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct early *const frame = (struct early *)memory;

    WEFT_CORO_BEGIN(&frame->coro);
    note(trace, 'a');
    WEFT_AWAIT(&line_a);
    if (frame->leave)
        WEFT_CORO_RETURN();
    note(trace, 'b');
    WEFT_CORO_END();
}

static void a_coroutine_may_return_early(void **state)
{
    struct trace trace = {"", 0};
    struct early leaves = {{0}, true};
    struct early stays = {{0}, false};

    (void)state;
    run(early_resume, &trace, &leaves);
    assert_string_equal(trace.text, "a.");
    run(early_resume, &trace, &stays);
    assert_string_equal(trace.text, "a.a.b");
}

struct null_await {
    struct weft_coro coro;
    const int *address;
};

static const void *null_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct null_await *const frame = (struct null_await *)memory;

    WEFT_CORO_BEGIN(&frame->coro);
    WEFT_AWAIT(frame->address);
    note(trace, 'a');
    WEFT_CORO_END();
}

static void awaiting_null_is_a_turn_and_not_the_end(void **state)
{
    struct trace trace = {"", 0};
    struct null_await frame = {{0}, NULL};

    (void)state;
    assert_int_equal(run(null_resume, &trace, &frame), 1);
    assert_string_equal(trace.text, ".a");
}

static const int *counted(struct trace *const trace)
{
    note(trace, 'c');
    return &line_a;
}

static const void *once_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct weft_coro *const coro = (struct weft_coro *)memory;

    WEFT_CORO_BEGIN(coro);
    WEFT_AWAIT(counted(trace));
    WEFT_CORO_END();
}

static void the_awaited_address_is_evaluated_once(void **state)
{
    struct trace trace = {"", 0};
    struct weft_coro coro = {0};

    (void)state;
    run(once_resume, &trace, &coro);
    assert_string_equal(trace.text, "c.");
}

/* Runs `loops` as a part of its own, `times` times, with an await before and behind. */
struct outer {
    struct weft_coro coro;
    struct loops loops;
    int round, times;
};

static const void *outer_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct outer *const frame = (struct outer *)memory;

    WEFT_CORO_BEGIN(&frame->coro);
    WEFT_AWAIT(&line_b);
    for (frame->round = 0; frame->round < frame->times; frame->round++) {
        note(trace, '(');
        weft_coro_init(&frame->loops.coro);
        WEFT_AWAIT_CORO(loops_resume(trace, &frame->loops));
        note(trace, ')');
    }
    WEFT_AWAIT(&line_a);
    WEFT_CORO_END();
}

static void a_called_coroutine_suspends_its_caller(void **state)
{
    struct trace trace = {"", 0};
    struct outer frame;

    (void)state;
    memset(&frame, 0, sizeof(frame));
    frame.times = 2;
    assert_int_equal(run(outer_resume, &trace, &frame), 14);
    assert_string_equal(trace.text, ".(.a.b.0.c.0.1e)(.a.b.0.c.0.1e).");
}

/* A call that ends without an await. */
static const void *nothing_resume(void *const context, void *const memory)
{
    struct weft_coro *const coro = (struct weft_coro *)memory;

    (void)context;
    WEFT_CORO_BEGIN(coro);
    WEFT_CORO_END();
}

static const void *calls_nothing_resume(void *const context, void *const memory)
{
    struct trace *const trace = (struct trace *)context;
    struct weft_coro *const coro = (struct weft_coro *)memory;

    WEFT_CORO_BEGIN(&coro[0]);
    WEFT_AWAIT_CORO(nothing_resume(trace, &coro[1]));
    note(trace, 'a');
    WEFT_CORO_END();
}

static void a_called_coroutine_without_awaits_costs_no_turn(void **state)
{
    struct trace trace = {"", 0};
    struct weft_coro coro[2] = {{0}, {0}};

    (void)state;
    assert_int_equal(run(calls_nothing_resume, &trace, coro), 0);
    assert_string_equal(trace.text, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(awaits_in_nested_loops_go_on_where_they_were),
        cmocka_unit_test(a_coroutine_waits_for_the_address_it_names),
        cmocka_unit_test(a_coroutine_is_run_again_after_its_initialisation),
        cmocka_unit_test(a_coroutine_may_return_early),
        cmocka_unit_test(awaiting_null_is_a_turn_and_not_the_end),
        cmocka_unit_test(the_awaited_address_is_evaluated_once),
        cmocka_unit_test(a_called_coroutine_suspends_its_caller),
        cmocka_unit_test(a_called_coroutine_without_awaits_costs_no_turn),
    };

    return cmocka_run_group_tests_name("coro", tests, NULL, NULL);
}
