/* SPDX-License-Identifier: MIT */
/* The executor against a model of its contract, in both forms. Compiled as C and as C++. */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "weft/coro.h"
#include "weft/interleave.h"

enum {
    SCHEDULES = 10000,
    INPUTS_MAX = 10000,
    LENGTH_MAX = 50,
    GROUP_MAX = 40,
};

enum fate { WAITS, RUNS, DELIVERED, CANCELLED };

struct lookup {
    struct weft_coro coro;
    uint64_t value;
    size_t index;
    size_t left;
};

/* What the executor may do next, and what it has done. */
struct model {
    struct weft_rng rng;
    size_t count;
    size_t group;
    unsigned later_percent; /* of the pulls find nothing now */
    unsigned full_percent;  /* of the pushes find the sink full */
    size_t lengths[INPUTS_MAX];
    enum fate fates[INPUTS_MAX];
    uint64_t results[INPUTS_MAX];
    size_t pulled, ended; /* lookups taken and those delivered or cancelled */
    bool source_ended;    /* and was told to the executor */
    bool source_later;    /* the last pull found nothing */
    bool draining;        /* the source must not be asked */
    void *refused;        /* the frame that the sink had no room for, else NULL */
    void *delivered;      /* the frame that the last call delivered, else NULL */
    void *refilled;       /* the frame that must be resumed next, else NULL */
    uint64_t resumes, in_flight_sum;
    size_t resumes_unasked; /* since the source was asked last */
};

static bool chance(struct model *const model, const unsigned percent)
{
    return percent > 0 && weft_rng_next(&model->rng) % 100 < percent;
}

static size_t below(struct model *const model, const size_t bound)
{
    return (size_t)(weft_rng_next(&model->rng) % bound);
}

static uint64_t mix(const uint64_t value, const size_t left)
{
    return value * 31 + left;
}

static uint64_t expected_result(const struct model *const model, const size_t index)
{
    uint64_t value = index;

    for (size_t left = model->lengths[index]; left > 0; --left)
        value = mix(value, left);
    return value;
}

static enum weft_source pull(void *const context, void *const memory, const size_t index)
{
    struct model *const model = (struct model *)context;
    struct lookup *const lookup = (struct lookup *)memory;
    void *const delivered = model->delivered;

    assert_false(model->source_ended);
    assert_false(model->draining);
    assert_null(model->refused);
    assert_null(model->refilled);
    assert_true(index == model->pulled);
    assert_true(model->pulled - model->ended < model->group);
    assert_true((uintptr_t)memory % 16 == 0);
    model->resumes_unasked = 0;
    model->delivered = NULL;
    model->source_later = chance(model, model->later_percent);
    if (model->source_later)
        return WEFT_SOURCE_LATER;
    if (index == model->count) {
        model->source_ended = true;
        return WEFT_SOURCE_END;
    }
    assert_true(model->fates[index] == WAITS);
    model->fates[index] = RUNS;
    model->pulled++;
    if (delivered) {
        assert_ptr_equal(memory, delivered);
        model->refilled = memory; /* in the same turn */
    }
    weft_coro_init(&lookup->coro);
    lookup->index = index;
    lookup->left = model->lengths[index];
    lookup->value = index;
    return WEFT_SOURCE_ITEM;
}

static const void *resume(void *const context, void *const memory)
{
    struct model *const model = (struct model *)context;
    struct lookup *const lookup = (struct lookup *)memory;

    if (model->fates[lookup->index] != RUNS || model->refused ||
        (model->refilled && model->refilled != memory))
        fail_msg("input %zu was resumed out of turn", lookup->index);
    model->refilled = model->delivered = NULL;
    model->resumes++;
    model->in_flight_sum += model->pulled - model->ended;
    /* a source that had nothing is asked again in every turn that could take something */
    if (!model->draining && !model->source_ended && model->pulled - model->ended < model->group)
        assert_true(++model->resumes_unasked < model->group);
    WEFT_CORO_BEGIN(&lookup->coro);
    for (; lookup->left > 0; lookup->left--) {
        WEFT_AWAIT(lookup->left % 5 ? &model->group : NULL);
        lookup->value = mix(lookup->value, lookup->left);
    }
    WEFT_CORO_END();
}

static bool push(void *const context, void *const memory)
{
    struct model *const model = (struct model *)context;
    const struct lookup *const lookup = (const struct lookup *)memory;

    assert_true(model->fates[lookup->index] == RUNS);
    assert_true(lookup->left == 0);
    assert_true(!model->refused || model->refused == memory);
    model->refused = chance(model, model->full_percent) ? memory : NULL;
    if (model->refused)
        return false;
    model->fates[lookup->index] = DELIVERED;
    model->results[lookup->index] = lookup->value;
    model->ended++;
    model->delivered = memory;
    return true;
}

static void cancel(void *const context, void *const memory)
{
    struct model *const model = (struct model *)context;
    const struct lookup *const lookup = (const struct lookup *)memory;

    assert_true(model->fates[lookup->index] == RUNS);
    model->fates[lookup->index] = CANCELLED;
    model->ended++;
}

static const struct weft_interleave_ops ops = {sizeof(struct lookup), pull, resume, push, cancel};

typedef enum weft_progress run_fn(struct weft_interleave *executor,
                                  const struct weft_interleave_ops *ops, void *context,
                                  enum weft_hint hint);

WEFT_FLATTEN static enum weft_progress run_inline(struct weft_interleave *const executor,
                                                  const struct weft_interleave_ops *const unused,
                                                  void *const context, const enum weft_hint hint)
{
    (void)unused;
    return hint == WEFT_HINT_NONE
               ? weft_interleave_run_inline(executor, &ops, context, WEFT_HINT_NONE)
               : weft_interleave_run_inline(executor, &ops, context, WEFT_HINT_T0);
}

WEFT_FLATTEN static enum weft_progress drain_inline(struct weft_interleave *const executor,
                                                    const struct weft_interleave_ops *const unused,
                                                    void *const context, const enum weft_hint hint)
{
    (void)unused;
    return hint == WEFT_HINT_NONE
               ? weft_interleave_drain_inline(executor, &ops, context, WEFT_HINT_NONE)
               : weft_interleave_drain_inline(executor, &ops, context, WEFT_HINT_T0);
}

static run_fn *const runs[2] = {weft_interleave_run, run_inline};
static run_fn *const drains[2] = {weft_interleave_drain, drain_inline};
static const enum weft_hint hints[] = {WEFT_HINT_NONE, WEFT_HINT_T0, WEFT_HINT_T1, WEFT_HINT_T2,
                                       WEFT_HINT_NTA};

/* Both forms in one schedule, or one of them alone. */
enum forms { LIBRARY, INLINE, BOTH };

static void start_model(struct model *const model, const uint64_t seed, const size_t count,
                        const size_t group)
{
    memset(model, 0, sizeof(*model));
    model->rng.state = seed;
    model->count = count;
    model->group = group;
    for (size_t i = 0; i < count; ++i)
        model->lengths[i] = below(model, LENGTH_MAX + 1);
}

/* One call of run or drain; what it answers must follow from what the callbacks saw. */
static enum weft_progress call(struct model *const model, struct weft_interleave *const executor,
                               const enum forms forms, const bool drain)
{
    const size_t form = forms == BOTH ? below(model, 2) : (size_t)forms;
    run_fn *const function = (drain ? drains : runs)[form];
    const enum weft_hint hint = hints[below(model, sizeof(hints) / sizeof(hints[0]))];
    const size_t ended_before = model->ended;

    model->draining = drain;
    const enum weft_progress progress = function(executor, &ops, model, hint);
    model->draining = false;
    model->delivered = NULL;
    assert_null(model->refilled);
    assert_true(weft_interleave_in_flight(executor) == model->pulled - model->ended);
    assert_true((progress == WEFT_PROGRESS_FULL) == (model->refused != NULL));
    if (progress != WEFT_PROGRESS_FULL)
        assert_true(model->pulled == model->ended);
    if (progress == WEFT_PROGRESS_IDLE)
        assert_true(!drain && model->source_later && !model->source_ended);
    if (progress == WEFT_PROGRESS_DONE)
        assert_true(drain || model->source_ended);
    assert_true(model->ended >= ended_before);
    return progress;
}

static void call_cancel(struct model *const model, struct weft_interleave *const executor)
{
    const size_t in_flight = model->pulled - model->ended;

    assert_true(weft_interleave_cancel(executor, &ops, model) == in_flight);
    assert_true(model->pulled == model->ended);
    assert_true(weft_interleave_in_flight(executor) == 0);
    model->refused = NULL;
}

/* Calls in random order until the source has ended and nothing is left. */
static void run_schedule(struct model *const model, const unsigned cancel_percent,
                         const enum forms forms)
{
    const size_t bytes = WEFT_INTERLEAVE_BYTES(model->group, sizeof(struct lookup));
    unsigned char *const memory = (unsigned char *)malloc(bytes + 1);
    const size_t shift = below(model, 2); /* any alignment will do */
    struct weft_interleave executor;

    assert_non_null(memory);
    assert_int_equal(
        weft_interleave_init(&executor, model->group, sizeof(struct lookup), memory + shift, bytes),
        WEFT_OK);
    for (;;) {
        if (chance(model, cancel_percent))
            call_cancel(model, &executor);
        if (call(model, &executor, forms, chance(model, 10)) == WEFT_PROGRESS_DONE &&
            model->source_ended)
            break;
    }
    free(memory);
    for (size_t i = 0; i < model->count; ++i)
        if (model->fates[i] != CANCELLED &&
            (model->fates[i] != DELIVERED || model->results[i] != expected_result(model, i)))
            fail_msg("input %zu of %zu, group %zu", i, model->count, model->group);
    if (cancel_percent == 0)
        for (size_t i = 0; i < model->count; ++i)
            assert_true(model->fates[i] == DELIVERED);
}

static void run_schedules(const enum forms forms)
{
    static struct model model;
    static const unsigned percents[] = {0, 1, 10, 50, 90};

    for (uint64_t seed = 0; seed < SCHEDULES; ++seed) {
        struct weft_rng rng = {seed * 3 + (uint64_t)forms};
        const size_t count = (size_t)(weft_rng_next(&rng) % 51);
        const size_t group = 1 + (size_t)(weft_rng_next(&rng) % GROUP_MAX);

        start_model(&model, weft_rng_next(&rng), count, group);
        model.later_percent = percents[below(&model, 5)];
        model.full_percent = percents[below(&model, 5)];
        run_schedule(&model, percents[below(&model, 4)], forms);
    }
}

static void any_schedule_ends_every_input_once_out_of_line(void **state)
{
    (void)state;
    run_schedules(LIBRARY);
}

static void any_schedule_ends_every_input_once_inlined(void **state)
{
    (void)state;
    run_schedules(INLINE);
}

static void any_schedule_ends_every_input_once_in_both_forms_mixed(void **state)
{
    (void)state;
    run_schedules(BOTH);
}

static void the_group_is_kept_full_by_lookups_of_ragged_length(void **state)
{
    static const size_t groups[] = {1, 2, 7, 32, GROUP_MAX};
    static struct model model;

    (void)state;
    for (int form = LIBRARY; form <= INLINE; ++form)
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
            start_model(&model, g, INPUTS_MAX, groups[g]);
            run_schedule(&model, 0, (enum forms)form);
            /* no lookup is resumed after its end */
            uint64_t steps = INPUTS_MAX;
            for (size_t i = 0; i < INPUTS_MAX; ++i)
                steps += model.lengths[i];
            assert_true(model.resumes == steps);
            assert_true((double)model.in_flight_sum / (double)model.resumes >=
                        0.95 * (double)groups[g]);
        }
}

/* In each turn every lookup in flight is resumed once: none gets ahead of another. */
static size_t turns_seen[GROUP_MAX];

static enum weft_source pull_even(void *const context, void *const memory, const size_t index)
{
    *(size_t *)memory = index;
    return index == *(size_t *)context ? WEFT_SOURCE_END : WEFT_SOURCE_ITEM;
}

static const void *resume_even(void *const context, void *const memory)
{
    const size_t index = *(size_t *)memory;

    for (size_t other = 0; other < *(size_t *)context; ++other)
        assert_true(turns_seen[index] <= turns_seen[other]);
    return ++turns_seen[index] <= 10 ? context : NULL;
}

static void lookups_take_turns(void **state)
{
    static const struct weft_interleave_ops even = {sizeof(size_t), pull_even, resume_even, NULL,
                                                    NULL};
    static unsigned char memory[WEFT_INTERLEAVE_BYTES(GROUP_MAX, sizeof(size_t))];
    struct weft_interleave executor;
    size_t count = GROUP_MAX;

    (void)state;
    assert_int_equal(
        weft_interleave_init(&executor, GROUP_MAX, sizeof(size_t), memory, sizeof(memory)),
        WEFT_OK);
    assert_int_equal(weft_interleave_run(&executor, &even, &count, WEFT_HINT_T0),
                     WEFT_PROGRESS_DONE);
    for (size_t i = 0; i < count; ++i)
        assert_true(turns_seen[i] == 11);
    /* neither a sink nor something to release is needed to cancel */
    assert_true(weft_interleave_cancel(&executor, &even, &count) == 0);
}

static void assert_batch_ends(const size_t group, const bool inlined)
{
    static struct model model;
    static unsigned char memory[WEFT_INTERLEAVE_BYTES(GROUP_MAX, sizeof(struct lookup))];

    start_model(&model, group, 100, group);
    model.later_percent = model.full_percent = 50;
    assert_int_equal(
        inlined ? weft_interleave_batch_inline(&ops, &model, group, WEFT_HINT_T0, memory,
                                               sizeof(memory))
                : weft_interleave_batch(&ops, &model, group, WEFT_HINT_T0, memory, sizeof(memory)),
        WEFT_OK);
    for (size_t i = 0; i < model.count; ++i)
        assert_true(model.fates[i] == DELIVERED && model.results[i] == expected_result(&model, i));
}

static void a_batch_runs_to_its_end_in_one_call(void **state)
{
    (void)state;
    for (size_t group = 1; group <= GROUP_MAX; group += 13)
        for (int inlined = 0; inlined < 2; ++inlined)
            assert_batch_ends(group, inlined);
    assert_int_equal(weft_interleave_batch(&ops, NULL, 0, WEFT_HINT_T0, NULL, 0), WEFT_E_INVALID);
}

static void the_memory_must_hold_the_group(void **state)
{
    enum { BYTES = WEFT_INTERLEAVE_BYTES(3, 40) };
    static unsigned char memory[BYTES];
    struct weft_interleave executor;

    (void)state;
    assert_int_equal(weft_interleave_init(&executor, 3, 40, memory, BYTES), WEFT_OK);
    assert_int_equal(weft_interleave_init(&executor, 3, 40, memory, BYTES - 1), WEFT_E_INVALID);
    assert_int_equal(weft_interleave_init(&executor, 0, 40, memory, BYTES), WEFT_E_INVALID);
    assert_int_equal(weft_interleave_init(&executor, 3, 0, memory, BYTES), WEFT_E_INVALID);
    assert_int_equal(weft_interleave_init(&executor, SIZE_MAX, 40, memory, BYTES), WEFT_E_INVALID);
    assert_int_equal(weft_interleave_init(&executor, 3, SIZE_MAX, memory, BYTES), WEFT_E_INVALID);
    assert_int_equal(weft_interleave_init(&executor, SIZE_MAX / 56 + 1, 48, memory, SIZE_MAX),
                     WEFT_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_schedule_ends_every_input_once_out_of_line),
        cmocka_unit_test(any_schedule_ends_every_input_once_inlined),
        cmocka_unit_test(any_schedule_ends_every_input_once_in_both_forms_mixed),
        cmocka_unit_test(the_group_is_kept_full_by_lookups_of_ragged_length),
        cmocka_unit_test(lookups_take_turns),
        cmocka_unit_test(a_batch_runs_to_its_end_in_one_call),
        cmocka_unit_test(the_memory_must_hold_the_group),
    };

    return cmocka_run_group_tests_name("interleave", tests, NULL, NULL);
}
