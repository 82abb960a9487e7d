/* SPDX-License-Identifier: MIT */
/* Fibers that switch straight to each other. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fiber_pool.h"

#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "fiber_kinds.h"

static enum weft_fiber_fpu fpu_of(const int is_private)
{
    return is_private ? WEFT_FIBER_FPU_PRIVATE : WEFT_FIBER_FPU_SHARED;
}

/* What happened, in letters. */
struct trace {
    char text[64];
    size_t length;
};

static void note(struct trace *const trace, const char letter)
{
    if (trace->length < sizeof(trace->text) - 1)
        trace->text[trace->length++] = letter;
}

struct player {
    struct trace *trace;
    char letter;
    int kind;
    int turns;
    struct player *next; /* who is switched to; NULL: whoever resumed */
    struct weft_fiber *fiber;
    enum weft_status status; /* the last that was not WEFT_OK */
};

static void play(void *const argument)
{
    struct player *const player = argument;

    for (int i = 0; i < player->turns; ++i) {
        note(player->trace, player->letter);
        const enum weft_status status = player->next
                                            ? yield_to_of[player->kind](player->next->fiber)
                                            : yield_of[player->kind]();
        if (status != WEFT_OK)
            player->status = status;
    }
    note(player->trace, (char)(player->letter - 'a' + 'A'));
}

static void make_players_with(struct player *const players, const int count,
                              struct trace *const trace, const int kind, const int turns,
                              const enum weft_fiber_fpu fpu)
{
    for (int i = 0; i < count; ++i) {
        players[i] = (struct player){
            .trace = trace, .letter = (char)('a' + i), .kind = (kind >> i) % kinds, .turns = turns};
        players[i].fiber = new_fiber(play, &players[i], fpu);
    }
}

static void make_players(struct player *const players, const int count, struct trace *const trace,
                         const int kind, const int turns)
{
    make_players_with(players, count, trace, kind, turns, WEFT_FIBER_FPU_SHARED);
}

static void drop_players(const struct player *const players, const int count)
{
    for (int i = 0; i < count; ++i) {
        assert_int_equal(players[i].status, WEFT_OK);
        assert_int_equal(weft_fiber_destroy(players[i].fiber), WEFT_OK);
    }
}

static void fibers_take_turns_and_the_last_one_goes_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; ++kind) { /* each of the three inline or out of line */
        struct trace trace = {.length = 0};
        struct player players[3];

        make_players(players, 3, &trace, kind, 2);
        players[0].next = &players[1];
        players[1].next = &players[2];
        for (int turn = 0; turn < 2; ++turn) {
            assert_int_equal(resume_of[kind % kinds](players[0].fiber), WEFT_OK);
            note(&trace, '|');
            for (int i = 0; i < 3; ++i)
                assert_int_equal(weft_fiber_state(players[i].fiber), WEFT_FIBER_SUSPENDED);
        }
        /* Each comes to its end when it is resumed by itself. */
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(resume_of[kind % kinds](players[i].fiber), WEFT_OK);
            assert_int_equal(weft_fiber_state(players[i].fiber), WEFT_FIBER_FINISHED);
        }
        assert_string_equal(trace.text, "abc|abc|ABC");
        drop_players(players, 3);
    }
}

static void the_end_of_a_fiber_leads_to_the_resumer_of_the_first(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        struct trace trace = {.length = 0};
        struct player players[2];

        make_players(players, 2, &trace, kind, 1);
        players[0].next = &players[1];
        players[1].turns = 0;
        assert_int_equal(resume_of[kind % kinds](players[0].fiber), WEFT_OK);
        assert_string_equal(trace.text, "aB");
        assert_int_equal(weft_fiber_state(players[0].fiber), WEFT_FIBER_SUSPENDED);
        assert_int_equal(weft_fiber_state(players[1].fiber), WEFT_FIBER_FINISHED);
        assert_null(weft_fiber_current());
        assert_int_equal(resume_of[kind % kinds](players[0].fiber), WEFT_OK);
        assert_string_equal(trace.text, "aBA");
        drop_players(players, 2);
    }
}

/* A fiber that resumes another one, which switches to a third. */
struct outer {
    struct player inner[2];
    struct trace *trace;
    int kind;
    enum weft_fiber_state states[3];
    enum weft_status to_waiting;
    struct weft_fiber *self;
};

static void look_around(void *const argument)
{
    struct outer *const outer = argument;

    outer->states[0] = weft_fiber_state(outer->self);
    outer->states[1] = weft_fiber_state(outer->inner[0].fiber);
    outer->states[2] = weft_fiber_state(weft_fiber_current());
    outer->to_waiting = yield_to_of[outer->kind](outer->self);
    note(outer->trace, 'l');
    yield_of[outer->kind]();
    note(outer->trace, 'L');
}

static void resume_two(void *const argument)
{
    struct outer *const outer = argument;

    note(outer->trace, 'o');
    resume_of[outer->kind](outer->inner[0].fiber);
    note(outer->trace, 'p');
    assert_ptr_equal(weft_fiber_current(), outer->self);
    yield_of[outer->kind]();
    resume_of[outer->kind](outer->inner[1].fiber);
    note(outer->trace, 'O');
}

/* `which`: bit 0 for the outer one, bits 1 and 2 for the inner ones, set for private environments.
 */
static void check_waiting(const int kind, const int which)
{
    struct trace trace = {.length = 0};
    struct outer outer = {.trace = &trace, .kind = kind};
    struct player *const inner = outer.inner;

    make_players_with(inner, 1, &trace, kind, 1, fpu_of(which & 2));
    inner[1] = (struct player){.trace = &trace};
    inner[1].fiber = new_fiber(look_around, &outer, fpu_of(which & 4));
    inner[0].next = &inner[1];
    outer.self = new_fiber(resume_two, &outer, fpu_of(which & 1));

    assert_int_equal(resume_of[kind](outer.self), WEFT_OK);
    assert_string_equal(trace.text, "oalp");
    assert_int_equal(outer.states[0], WEFT_FIBER_RUNNING);
    assert_int_equal(outer.states[1], WEFT_FIBER_SUSPENDED);
    assert_int_equal(outer.states[2], WEFT_FIBER_RUNNING);
    assert_int_equal(outer.to_waiting, WEFT_E_STATE);
    assert_int_equal(resume_of[kind](outer.self), WEFT_OK);
    assert_int_equal(resume_of[kind](inner[0].fiber), WEFT_OK);
    assert_string_equal(trace.text, "oalpLOA");
    drop_players(inner, 2);
    assert_int_equal(weft_fiber_destroy(outer.self), WEFT_OK);
}

static void a_fiber_that_resumed_waits_until_one_of_them_goes_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind)
        for (int which = 0; which < 8; ++which)
            check_waiting(kind, which);
}

struct misuse {
    struct weft_fiber *target;
    enum weft_fiber_fpu fpu; /* of the one that switches */
    enum weft_status got[kinds];
};

static void yield_to_target(void *const argument)
{
    struct misuse *const misuse = argument;

    for (int kind = 0; kind < kinds; ++kind)
        misuse->got[kind] = yield_to_of[kind](misuse->target);
}

static void *run_misuse(void *const argument)
{
    struct weft_fiber_pool *own = NULL;
    struct weft_fiber *fiber = NULL;

    weft_fiber_pool_create(&own, 16384, 1);
    weft_fiber_create(&fiber, own, yield_to_target, argument, ((struct misuse *)argument)->fpu);
    weft_fiber_resume(fiber);
    weft_fiber_destroy(fiber);
    weft_fiber_pool_destroy(own);
    return NULL;
}

static void assert_got(struct misuse *const misuse, const enum weft_status expected)
{
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(misuse->got[kind], expected);
}

static void from_another_thread(struct misuse *const misuse)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run_misuse, misuse), 0);
    pthread_join(thread, NULL);
    assert_got(misuse, WEFT_E_STATE);
}

/* A fiber that runs while another thread's tries to switch to it. */
static void offer_self(void *const argument)
{
    struct misuse *const misuse = argument;

    misuse->target = weft_fiber_current();
    from_another_thread(misuse);
}

static void check_misuse(const enum weft_fiber_fpu own, const enum weft_fiber_fpu targets)
{
    struct trace trace = {.length = 0};
    struct player player;
    struct misuse misuse = {.target = NULL, .fpu = own};

    make_players_with(&player, 1, &trace, 0, 1, targets);
    for (int kind = 0; kind < kinds; ++kind) { /* outside a fiber */
        assert_int_equal(yield_to_of[kind](player.fiber), WEFT_E_STATE);
        assert_int_equal(yield_to_of[kind](NULL), WEFT_E_INVALID);
    }
    run_misuse(&misuse);
    assert_got(&misuse, WEFT_E_INVALID);
    misuse.target = player.fiber;
    from_another_thread(&misuse);
    assert_int_equal(trace.length, 0);
    weft_fiber_resume(player.fiber);
    weft_fiber_resume(player.fiber);
    run_misuse(&misuse); /* it is finished */
    assert_got(&misuse, WEFT_E_STATE);
    drop_players(&player, 1);
    run_misuse(&misuse); /* and destroyed */
    assert_got(&misuse, WEFT_E_STATE);

    struct weft_fiber *const running = new_fiber(offer_self, &misuse, targets);
    assert_int_equal(weft_fiber_resume(running), WEFT_OK);
    assert_int_equal(weft_fiber_destroy(running), WEFT_OK);
}

static void only_a_suspended_fiber_of_this_thread_is_switched_to(void **state)
{
    (void)state;
    for (int which = 0; which < 4; ++which)
        check_misuse(fpu_of(which & 1), fpu_of(which & 2));
}

static void a_fiber_that_switches_to_itself_goes_on(void **state)
{
    (void)state;
    for (int fpu = WEFT_FIBER_FPU_SHARED; fpu <= WEFT_FIBER_FPU_PRIVATE; ++fpu) {
        struct misuse misuse = {.got = {WEFT_E_STATE, WEFT_E_STATE}};
        struct weft_fiber *const fiber =
            new_fiber(yield_to_target, &misuse, (enum weft_fiber_fpu)fpu);

        misuse.target = fiber;
        assert_int_equal(weft_fiber_resume(fiber), WEFT_OK);
        assert_got(&misuse, WEFT_OK);
        assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
        assert_int_equal(weft_fiber_destroy(fiber), WEFT_OK);
    }
}

/* ---- The floating-point environment ---- */

struct rounder {
    int kind;
    int sets;
    int at_start;
    int after;
    struct weft_fiber *next;
};

static void set_rounding_and_pass_on(void *const argument)
{
    struct rounder *const rounder = argument;

    rounder->at_start = fegetround();
    fesetround(rounder->sets);
    if (rounder->next)
        yield_to_of[rounder->kind](rounder->next);
    else
        yield_of[rounder->kind]();
    rounder->after = fegetround();
}

/* The first was resumed under FE_UPWARD and sets FE_DOWNWARD, the second sets FE_TOWARDZERO: what
 * each sees, and the one that resumed them, as if it stood between the two. */
static void check_rounding(const int kind, const bool first_private, const bool second_private)
{
    struct rounder second = {.kind = kind, .sets = FE_TOWARDZERO};
    struct rounder first = {.kind = kind, .sets = FE_DOWNWARD};

    fesetround(FE_TONEAREST);
    second.next = NULL;
    struct weft_fiber *const second_fiber =
        new_fiber(set_rounding_and_pass_on, &second,
                  second_private ? WEFT_FIBER_FPU_PRIVATE : WEFT_FIBER_FPU_SHARED);
    first.next = second_fiber;
    struct weft_fiber *const first_fiber =
        new_fiber(set_rounding_and_pass_on, &first,
                  first_private ? WEFT_FIBER_FPU_PRIVATE : WEFT_FIBER_FPU_SHARED);
    fesetround(FE_UPWARD);
    resume_of[kind](first_fiber);
    const int back = fegetround();
    fesetround(FE_UPWARD);
    resume_of[kind](first_fiber);
    fesetround(FE_UPWARD);
    resume_of[kind](second_fiber);
    fesetround(FE_TONEAREST);

    const int between = first_private ? FE_UPWARD : FE_DOWNWARD;
    assert_int_equal(first.at_start, first_private ? FE_TONEAREST : FE_UPWARD);
    assert_int_equal(second.at_start, second_private ? FE_TONEAREST : between);
    assert_int_equal(back, second_private ? between : FE_TOWARDZERO);
    assert_int_equal(first.after, first_private ? FE_DOWNWARD : FE_UPWARD);
    assert_int_equal(second.after, second_private ? FE_TOWARDZERO : FE_UPWARD);
    weft_fiber_destroy(first_fiber);
    weft_fiber_destroy(second_fiber);
}

static void each_fiber_has_its_floating_point_environment(void **state)
{
    (void)state;
    if (RUNNING_ON_VALGRIND)
        skip(); /* it rounds to nearest whatever is asked */
    for (int kind = 0; kind < kinds; ++kind)
        for (int which = 0; which < 4; ++which)
            check_rounding(kind, which & 1, which & 2);
}

/* ---- Many fibers that switch at random, against a model ---- */

enum { crowd_count = 40 };

struct crowd {
    struct weft_fiber *fibers[crowd_count];
    uint64_t turns[crowd_count]; /* by the model */
    uint64_t shown[crowd_count]; /* by the fibers themselves */
    uint64_t left;
    struct weft_rng rng;
    size_t current; /* by the model */
    bool wrong;
};

static void mingle(void *const argument)
{
    struct crowd *const crowd = argument;
    const size_t self = crowd->current; /* who was just switched to for the first time */

    while (crowd->left > 0) {
        const uint64_t random = weft_rng_next(&crowd->rng);
        const size_t next = random % crowd_count;

        crowd->wrong |= crowd->current != self || weft_fiber_current() != crowd->fibers[self];
        crowd->shown[self]++;
        crowd->left--;
        if (random >> 40 & 1) {
            crowd->current = next;
            crowd->turns[next]++;
            crowd->wrong |= yield_to_of[random >> 41 & 1](crowd->fibers[next]) != WEFT_OK;
        } else {
            crowd->current = crowd_count; /* the resumer */
            yield_of[random >> 41 & 1]();
        }
    }
}

static void random_switches_agree_with_a_model(void **state)
{
    struct crowd *const crowd = calloc(1, sizeof(*crowd));

    (void)state;
    assert_non_null(crowd);
    crowd->rng = (struct weft_rng){7};
    crowd->left = RUNNING_ON_VALGRIND || WEFT_FIBER_HOOKED_ ? 2000 : 200000;
    for (size_t i = 0; i < crowd_count; ++i)
        crowd->fibers[i] =
            new_fiber(mingle, crowd, i % 7 ? WEFT_FIBER_FPU_SHARED : WEFT_FIBER_FPU_PRIVATE);
    while (crowd->left > 0) {
        crowd->current = weft_rng_next(&crowd->rng) % crowd_count;
        crowd->turns[crowd->current]++;
        assert_int_equal(resume_of[crowd->left & 1](crowd->fibers[crowd->current]), WEFT_OK);
    }
    assert_false(crowd->wrong);
    for (size_t i = 0; i < crowd_count; ++i) {
        /* The last one was switched to and saw that nothing is left. */
        assert_true(crowd->turns[i] - crowd->shown[i] <= 1);
        weft_fiber_destroy(crowd->fibers[i]);
    }
    free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibers_take_turns_and_the_last_one_goes_back),
        cmocka_unit_test(the_end_of_a_fiber_leads_to_the_resumer_of_the_first),
        cmocka_unit_test(a_fiber_that_resumed_waits_until_one_of_them_goes_back),
        cmocka_unit_test(only_a_suspended_fiber_of_this_thread_is_switched_to),
        cmocka_unit_test(a_fiber_that_switches_to_itself_goes_on),
        cmocka_unit_test(each_fiber_has_its_floating_point_environment),
        cmocka_unit_test(random_switches_agree_with_a_model),
    };

    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
