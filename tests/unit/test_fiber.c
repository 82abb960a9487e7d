/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cmocka_main.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/rng.h"
#include "fiber_kinds.h"

static struct weft_fiber_pool *new_pool(const size_t capacity)
{
    struct weft_fiber_pool *pool = NULL;

    assert_int_equal(weft_fiber_pool_create(&pool, 16384, capacity), WEFT_OK);
    return pool;
}

static struct weft_fiber *new_fiber(struct weft_fiber_pool *const pool,
                                    weft_fiber_function *const function, void *const argument)
{
    struct weft_fiber *fiber = NULL;

    assert_int_equal(weft_fiber_create(&fiber, pool, function, argument, WEFT_FIBER_FPU_SHARED),
                     WEFT_OK);
    return fiber;
}

static void end(struct weft_fiber_pool *const pool, struct weft_fiber *const fiber)
{
    assert_int_equal(weft_fiber_destroy(fiber), WEFT_OK);
    assert_int_equal(weft_fiber_pool_destroy(pool), WEFT_OK);
}

struct counter {
    int kind;
    int rounds;
    int seen;
    enum weft_status status; /* the first that is not WEFT_OK */
};

static void count(void *const argument)
{
    struct counter *const counter = argument;

    for (int i = 0; i < counter->rounds; ++i) {
        counter->seen++;
        const enum weft_status status = yield_of[counter->kind]();
        if (status != WEFT_OK)
            counter->status = status;
    }
}

static void a_fiber_runs_from_yield_to_yield_and_then_is_finished(void **state)
{
    struct weft_fiber_pool *const pool = new_pool(1);

    (void)state;
    for (int resume_kind = 0; resume_kind < kinds; ++resume_kind) {
        for (int yield_kind = 0; yield_kind < kinds; ++yield_kind) {
            struct counter counter = {.kind = yield_kind, .rounds = 3};
            struct weft_fiber *const fiber = new_fiber(pool, count, &counter);

            for (int i = 1; i <= 3; ++i) {
                assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_SUSPENDED);
                assert_int_equal(resume_of[resume_kind](fiber), WEFT_OK);
                assert_int_equal(counter.seen, i);
            }
            assert_int_equal(resume_of[resume_kind](fiber), WEFT_OK);
            assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
            assert_int_equal(counter.status, WEFT_OK);
            assert_int_equal(weft_fiber_destroy(fiber), WEFT_OK);
        }
    }
    end(pool, NULL);
}

/* One resume outline, the next inline, and so for the yields, at another rhythm. */
static void count_in_turn(void *const argument)
{
    int *const seen = argument;

    for (int i = 0; i < 12; ++i) {
        ++*seen;
        yield_of[i / 2 % kinds]();
    }
}

static void the_two_switches_can_be_mixed(void **state)
{
    int seen = 0;
    struct weft_fiber_pool *const pool = new_pool(1);
    struct weft_fiber *const fiber = new_fiber(pool, count_in_turn, &seen);

    (void)state;
    for (int i = 0; i < 13; ++i) {
        assert_int_equal(seen, i);
        assert_int_equal(resume_of[i % kinds](fiber), WEFT_OK);
    }
    assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
    end(pool, fiber);
}

static void note_current(void *const argument)
{
    *(struct weft_fiber **)argument = weft_fiber_current();
    weft_fiber_yield();
    *(void **)argument = weft_fiber_argument(weft_fiber_current());
}

static void a_fiber_knows_itself_and_its_argument(void **state)
{
    void *noted = NULL;
    struct weft_fiber_pool *const pool = new_pool(1);
    struct weft_fiber *const fiber = new_fiber(pool, note_current, &noted);

    (void)state;
    assert_null(weft_fiber_current());
    weft_fiber_resume(fiber);
    assert_ptr_equal(noted, fiber);
    assert_null(weft_fiber_current());
    weft_fiber_resume(fiber);
    assert_ptr_equal(noted, &noted);
    assert_ptr_equal(weft_fiber_argument(fiber), &noted);
    end(pool, fiber);
}

struct nest {
    struct weft_fiber_pool *pool;
    int kind;
    int depth;
    int trace[64];
    int traced;
    struct weft_fiber *at[4];
    enum weft_status of_parent; /* what the innermost got for resuming the outermost */
};

static void descend(void *const argument)
{
    struct nest *const nest = argument;
    const int depth = nest->depth++;

    nest->trace[nest->traced++] = depth;
    if (depth < 3) {
        weft_fiber_create(&nest->at[depth + 1], nest->pool, descend, nest, WEFT_FIBER_FPU_SHARED);
        while (weft_fiber_state(nest->at[depth + 1]) != WEFT_FIBER_FINISHED) {
            resume_of[nest->kind](nest->at[depth + 1]);
            nest->trace[nest->traced++] = 10 + depth;
            yield_of[nest->kind]();
        }
    } else {
        nest->of_parent = resume_of[nest->kind](nest->at[0]);
    }
    nest->trace[nest->traced++] = 20 + depth;
}

static void fibers_resume_fibers_and_yield_to_their_own_resumer(void **state)
{
    static const int expected[] = {0, 1, 2, 3, 23, 12, 11, 10, 22, 11, 10, 21, 10, 20};

    (void)state;
    for (int kind = 0; kind < kinds; ++kind) {
        struct nest nest = {.pool = new_pool(4), .kind = kind};

        nest.at[0] = new_fiber(nest.pool, descend, &nest);
        while (weft_fiber_state(nest.at[0]) != WEFT_FIBER_FINISHED)
            assert_int_equal(resume_of[kind](nest.at[0]), WEFT_OK);
        assert_int_equal(nest.traced, sizeof(expected) / sizeof(expected[0]));
        for (int i = 0; i < nest.traced; ++i)
            assert_int_equal(nest.trace[i], expected[i]);
        assert_int_equal(nest.of_parent, WEFT_E_STATE);
        for (int i = 1; i < 4; ++i)
            weft_fiber_destroy(nest.at[i]);
        end(nest.pool, nest.at[0]);
    }
}

static void reset_makes_a_finished_or_suspended_fiber_new(void **state)
{
    struct counter first = {.rounds = 2};
    struct counter second = {.rounds = 1};
    struct weft_fiber_pool *const pool = new_pool(1);
    struct weft_fiber *const fiber = new_fiber(pool, count, &first);

    (void)state;
    weft_fiber_resume(fiber);
    assert_int_equal(weft_fiber_reset(fiber, count, &second), WEFT_OK);
    weft_fiber_resume(fiber);
    weft_fiber_resume(fiber);
    assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
    assert_int_equal(first.seen, 1);
    assert_int_equal(second.seen, 1);
    assert_int_equal(weft_fiber_reset(fiber, count, &first), WEFT_OK);
    assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_SUSPENDED);
    weft_fiber_resume(fiber);
    assert_int_equal(first.seen, 2);
    end(pool, fiber);
}

static void a_pool_refuses_what_it_cannot_hold(void **state)
{
    struct weft_fiber_pool *pool = NULL;
    struct weft_fiber *fibers[3];
    struct counter counter = {0};

    (void)state;
    assert_int_equal(weft_fiber_pool_create(NULL, 4096, 1), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_create(&pool, 4095, 1), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_create(&pool, 4096, 0), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_create(&pool, SIZE_MAX - 8192, 1), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_create(&pool, 4096, SIZE_MAX / 4096), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_create(&pool, (size_t)1 << 60, 2), WEFT_E_NOMEM);
    assert_null(pool);
    assert_int_equal(weft_fiber_pool_create(&pool, 4096, 2), WEFT_OK);
    assert_int_equal(weft_fiber_pool_capacity(pool), 2);
    assert_true(weft_fiber_pool_stack_bytes(pool) >= 4096);
    for (int i = 0; i < 2; ++i)
        fibers[i] = new_fiber(pool, count, &counter);
    assert_int_equal(weft_fiber_pool_count(pool), 2);
    assert_int_equal(weft_fiber_create(&fibers[2], pool, count, &counter, WEFT_FIBER_FPU_SHARED),
                     WEFT_E_NOMEM);
    assert_int_equal(weft_fiber_pool_destroy(pool), WEFT_E_STATE);
    assert_int_equal(weft_fiber_destroy(fibers[0]), WEFT_OK);
    assert_int_equal(weft_fiber_pool_count(pool), 1);
    assert_ptr_equal(new_fiber(pool, count, &counter), fibers[0]);
    assert_int_equal(weft_fiber_destroy(fibers[0]), WEFT_OK);
    end(pool, fibers[1]);
    assert_int_equal(weft_fiber_pool_destroy(NULL), WEFT_OK);
    assert_int_equal(weft_fiber_destroy(NULL), WEFT_OK);
}

static void arguments_out_of_range_are_invalid(void **state)
{
    struct counter counter = {0};
    struct weft_fiber_pool *const pool = new_pool(1);
    struct weft_fiber *fiber = NULL;

    (void)state;
    assert_int_equal(weft_fiber_create(NULL, pool, count, NULL, WEFT_FIBER_FPU_SHARED),
                     WEFT_E_INVALID);
    assert_int_equal(weft_fiber_create(&fiber, NULL, count, NULL, WEFT_FIBER_FPU_SHARED),
                     WEFT_E_INVALID);
    assert_int_equal(weft_fiber_create(&fiber, pool, NULL, NULL, WEFT_FIBER_FPU_SHARED),
                     WEFT_E_INVALID);
    assert_int_equal(weft_fiber_create(&fiber, pool, count, NULL, (enum weft_fiber_fpu)2),
                     WEFT_E_INVALID);
    assert_int_equal(weft_fiber_pool_count(pool), 0);
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(resume_of[kind](NULL), WEFT_E_INVALID);
    assert_int_equal(weft_fiber_reset(NULL, count, NULL), WEFT_E_INVALID);
    fiber = new_fiber(pool, count, &counter);
    assert_int_equal(weft_fiber_reset(fiber, NULL, NULL), WEFT_E_INVALID);
    end(pool, fiber);
}

static void a_finished_fiber_is_not_resumed(void **state)
{
    struct counter counter = {.rounds = 0};
    struct weft_fiber_pool *const pool = new_pool(1);
    struct weft_fiber *const fiber = new_fiber(pool, count, &counter);

    (void)state;
    weft_fiber_resume(fiber);
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(resume_of[kind](fiber), WEFT_E_STATE);
    assert_int_equal(weft_fiber_destroy(fiber), WEFT_OK);
    assert_int_equal(weft_fiber_destroy(fiber), WEFT_E_STATE);
    assert_int_equal(weft_fiber_reset(fiber, count, &counter), WEFT_E_STATE);
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(resume_of[kind](fiber), WEFT_E_STATE);
    end(pool, NULL);
}

static void yield_outside_a_fiber_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(yield_of[kind](), WEFT_E_STATE);
}

struct self {
    enum weft_status resumed[kinds];
    enum weft_status reset;
    enum weft_status destroyed;
    enum weft_status pool_destroyed;
    enum weft_fiber_state state;
    struct weft_fiber_pool *pool;
};

static void misuse_self(void *const argument)
{
    struct self *const self = argument;
    struct weft_fiber *const fiber = weft_fiber_current();

    for (int kind = 0; kind < kinds; ++kind)
        self->resumed[kind] = resume_of[kind](fiber);
    self->reset = weft_fiber_reset(fiber, misuse_self, NULL);
    self->destroyed = weft_fiber_destroy(fiber);
    self->pool_destroyed = weft_fiber_pool_destroy(self->pool);
    self->state = weft_fiber_state(fiber);
}

static void a_running_fiber_is_not_resumed_reset_or_destroyed(void **state)
{
    struct self self = {.pool = new_pool(1)};
    struct weft_fiber *const fiber = new_fiber(self.pool, misuse_self, &self);

    (void)state;
    assert_int_equal(weft_fiber_resume(fiber), WEFT_OK);
    for (int kind = 0; kind < kinds; ++kind)
        assert_int_equal(self.resumed[kind], WEFT_E_STATE);
    assert_int_equal(self.reset, WEFT_E_STATE);
    assert_int_equal(self.destroyed, WEFT_E_STATE);
    assert_int_equal(self.pool_destroyed, WEFT_E_STATE);
    assert_int_equal(self.state, WEFT_FIBER_RUNNING);
    end(self.pool, fiber);
}

struct stranger {
    struct weft_fiber_pool *pool;
    struct weft_fiber *fiber;
    bool with_fibers; /* the other thread has some of its own */
    enum weft_status got[6];
};

static void *act_as_stranger(void *const argument)
{
    struct stranger *const stranger = argument;
    struct weft_fiber *created = NULL;
    struct weft_fiber_pool *own = NULL;
    struct counter counter = {0};

    if (stranger->with_fibers) {
        weft_fiber_pool_create(&own, 4096, 1);
        weft_fiber_create(&created, own, count, &counter, WEFT_FIBER_FPU_SHARED);
        weft_fiber_resume(created);
        weft_fiber_destroy(created);
    }
    for (int kind = 0; kind < kinds; ++kind)
        stranger->got[kind] = resume_of[kind](stranger->fiber);
    stranger->got[2] = weft_fiber_reset(stranger->fiber, count, NULL);
    stranger->got[3] = weft_fiber_destroy(stranger->fiber);
    stranger->got[4] =
        weft_fiber_create(&created, stranger->pool, count, NULL, WEFT_FIBER_FPU_SHARED);
    stranger->got[5] = weft_fiber_pool_destroy(stranger->pool);
    weft_fiber_pool_destroy(own);
    return NULL;
}

static void another_thread_is_refused(void **state)
{
    (void)state;
    for (int with_fibers = 0; with_fibers < 2; ++with_fibers) {
        for (int rounds = 0; rounds < 2; ++rounds) { /* finished, suspended */
            struct counter counter = {.rounds = rounds};
            struct stranger stranger = {.pool = new_pool(2), .with_fibers = with_fibers};
            pthread_t thread;

            stranger.fiber = new_fiber(stranger.pool, count, &counter);
            weft_fiber_resume(stranger.fiber);
            assert_int_equal(pthread_create(&thread, NULL, act_as_stranger, &stranger), 0);
            pthread_join(thread, NULL);
            for (int i = 0; i < 6; ++i)
                assert_int_equal(stranger.got[i], WEFT_E_STATE);
            assert_int_equal(weft_fiber_pool_count(stranger.pool), 1);
            end(stranger.pool, stranger.fiber);
        }
    }
}

/* ---- Many fibers in random order, against a model ---- */

struct walker {
    uint32_t number; /* of all that were created */
    uint32_t steps;  /* the model's: how often it was resumed since it was created or reset */
    uint64_t shown;  /* by the fiber */
    struct weft_fiber *fiber;
};

static uint64_t value_of(const uint32_t number, const uint32_t step)
{
    struct weft_rng rng = {((uint64_t)number << 32) + step};

    return weft_rng_next(&rng);
}

static uint32_t yields_of(const uint32_t number)
{
    return number % 5;
}

static void walk(void *const argument)
{
    struct walker *const walker = argument;
    const uint32_t number = walker->number;

    for (uint32_t step = 0; step <= yields_of(number); ++step) {
        walker->shown = value_of(number, step);
        if (step < yields_of(number))
            yield_of[(number + step) % kinds]();
    }
}

/* Resumes one of them and compares it with the model. False once it is finished. */
static bool step_agrees_and_goes_on(struct walker *const walker, const int kind)
{
    assert_int_equal(resume_of[kind](walker->fiber), WEFT_OK);
    assert_true(walker->shown == value_of(walker->number, walker->steps));
    walker->steps++;
    const bool finished = weft_fiber_state(walker->fiber) == WEFT_FIBER_FINISHED;
    assert_int_equal(finished, walker->steps > yields_of(walker->number));
    return !finished;
}

static void many_fibers_in_random_order_agree_with_a_model(void **state)
{
    const uint32_t total = RUNNING_ON_VALGRIND || WEFT_FIBER_HOOKED_ ? 1000 : 100000;
    struct weft_rng rng = {42};
    struct walker *const walkers = calloc(total, sizeof(*walkers));
    struct walker **const alive = calloc(total, sizeof(struct walker *));
    struct weft_fiber_pool *pool = NULL;
    uint32_t created = 0;
    uint32_t alive_count = 0;

    (void)state;
    assert_non_null(walkers);
    assert_non_null(alive);
    assert_int_equal(weft_fiber_pool_create(&pool, 4096, total), WEFT_OK);
    /* Fewer at a time where the system limits the number of mappings. */
    while (created < total &&
           weft_fiber_create(&walkers[created].fiber, pool, walk, &walkers[created],
                             WEFT_FIBER_FPU_SHARED) == WEFT_OK) {
        walkers[created].number = created;
        alive[created] = &walkers[created];
        created++;
    }
    alive_count = created;
    assert_true(alive_count >= (total < 10000 ? total : 10000));
    while (alive_count > 0) {
        struct walker **const place = &alive[weft_rng_next(&rng) % alive_count];
        struct walker *const walker = *place;

        if (step_agrees_and_goes_on(walker, (int)(weft_rng_next(&rng) % kinds)))
            continue;
        walker->steps = 0;
        if (walker->number < total && walker->number % 3 == 0) { /* once more, as another one */
            walker->number += total;
            assert_int_equal(weft_fiber_reset(walker->fiber, walk, walker), WEFT_OK);
            continue;
        }
        assert_int_equal(weft_fiber_destroy(walker->fiber), WEFT_OK);
        if (created < total) {
            walker->number = created++;
            walker->fiber = new_fiber(pool, walk, walker);
        } else {
            *place = alive[--alive_count];
        }
    }
    end(pool, NULL);
    free(alive);
    free(walkers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fiber_runs_from_yield_to_yield_and_then_is_finished),
        cmocka_unit_test(the_two_switches_can_be_mixed),
        cmocka_unit_test(a_fiber_knows_itself_and_its_argument),
        cmocka_unit_test(fibers_resume_fibers_and_yield_to_their_own_resumer),
        cmocka_unit_test(reset_makes_a_finished_or_suspended_fiber_new),
        cmocka_unit_test(a_pool_refuses_what_it_cannot_hold),
        cmocka_unit_test(arguments_out_of_range_are_invalid),
        cmocka_unit_test(a_finished_fiber_is_not_resumed),
        cmocka_unit_test(yield_outside_a_fiber_is_refused),
        cmocka_unit_test(a_running_fiber_is_not_resumed_reset_or_destroyed),
        cmocka_unit_test(another_thread_is_refused),
        cmocka_unit_test(many_fibers_in_random_order_agree_with_a_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
