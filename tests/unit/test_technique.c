/* SPDX-License-Identifier: MIT */
/* The techniques over a caller's own lookups. Compiled as C and as C++. */
#include "cmocka_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "weft/technique.h"

enum {
    COUNT_MAX = 300,
    LENGTH_MAX = 50,
    GUARD = 32, /* bytes behind the frames that nobody may write */
};

/* Lookup number i takes lengths[i] + 1 steps and gives a value that depends on all of them. */
struct job {
    size_t count;
    size_t lengths[COUNT_MAX];
    uint64_t results[COUNT_MAX];
    unsigned finished[COUNT_MAX];
    size_t live;
    size_t live_max;
    unsigned steps; /* also what is awaited: any address will do */
};

struct frame {
    size_t index;
    size_t left;
    uint64_t value;
};

static uint64_t mix(const uint64_t value, const size_t left)
{
    return value * 31 + left;
}

static uint64_t expected_result(const struct job *const job, const size_t index)
{
    uint64_t value = index;

    for (size_t left = job->lengths[index]; left > 0; --left)
        value = mix(value, left);
    return value;
}

static void end(struct job *const job, const struct frame *const frame)
{
    job->results[frame->index] = frame->value;
    job->finished[frame->index]++;
    job->live--;
}

/* The first address of every third lookup is null. */
static inline const void *start(void *const context, void *const memory, const size_t index)
{
    struct job *const job = (struct job *)context;
    struct frame *const frame = (struct frame *)memory;

    frame->index = index;
    frame->left = job->lengths[index];
    frame->value = index;
    if (++job->live > job->live_max)
        job->live_max = job->live;
    return index % 3 ? &job->steps : NULL;
}

static inline const void *hop(void *const context, void *const memory)
{
    struct job *const job = (struct job *)context;
    struct frame *const frame = (struct frame *)memory;

    job->steps++;
    frame->value = mix(frame->value, frame->left--);
    return &job->steps;
}

static inline void finish(void *const context, void *const memory)
{
    assert_true(((struct frame *)memory)->left == 0);
    end((struct job *)context, (struct frame *)memory);
}

static inline const void *step(void *const context, void *const memory)
{
    if (((struct frame *)memory)->left > 0)
        return hop(context, memory);
    finish(context, memory);
    return NULL;
}

static void straight(void *const context, const size_t index, weft_await_fn *const await,
                     void *const argument)
{
    struct frame frame;
    const void *address = start(context, &frame, index);

    do
        await(address, argument);
    while ((address = step(context, &frame)));
}

static const struct weft_lookup ragged = {sizeof(struct frame), start, step, NULL, NULL};
static const struct weft_lookup even = {sizeof(struct frame), start, step, hop, finish};

typedef void technique_fn(const struct weft_lookup *lookup, struct job *job, size_t group,
                          size_t hops, void *frames);

WEFT_FLATTEN static void scalar(const struct weft_lookup *const lookup, struct job *const job,
                                const size_t group, const size_t hops, void *const frames)
{
    (void)lookup, (void)group, (void)hops, (void)frames;
    weft_scalar(straight, job, job->count);
}

WEFT_FLATTEN static void scalar_prefetch(const struct weft_lookup *const lookup,
                                         struct job *const job, const size_t group,
                                         const size_t hops, void *const frames)
{
    (void)lookup, (void)group, (void)hops, (void)frames;
    weft_scalar_prefetch(straight, job, job->count, WEFT_HINT_T0);
}

WEFT_FLATTEN static void scalar_steps(const struct weft_lookup *const lookup, struct job *const job,
                                      const size_t group, const size_t hops, void *const frames)
{
    (void)group, (void)hops;
    weft_scalar_steps(lookup, job, job->count, frames);
}

WEFT_FLATTEN static void scalar_prefetch_steps(const struct weft_lookup *const lookup,
                                               struct job *const job, const size_t group,
                                               const size_t hops, void *const frames)
{
    (void)group, (void)hops;
    weft_scalar_prefetch_steps(lookup, job, job->count, WEFT_HINT_T2, frames);
}

WEFT_FLATTEN static void amac(const struct weft_lookup *const lookup, struct job *const job,
                              const size_t group, const size_t hops, void *const frames)
{
    (void)hops;
    weft_amac(lookup, job, job->count, group, WEFT_HINT_T0, frames);
}

WEFT_FLATTEN static void gp(const struct weft_lookup *const lookup, struct job *const job,
                            const size_t group, const size_t hops, void *const frames)
{
    weft_gp(lookup, job, job->count, group, hops, WEFT_HINT_NTA, frames);
}

WEFT_FLATTEN static void spp(const struct weft_lookup *const lookup, struct job *const job,
                             const size_t group, const size_t hops, void *const frames)
{
    weft_spp(lookup, job, job->count, group, hops, WEFT_HINT_T1, frames);
}

/* The same with the struct constant, as a caller writes it: what is inlined must agree. */
WEFT_FLATTEN static void spp_inlined(const struct weft_lookup *const lookup, struct job *const job,
                                     const size_t group, const size_t hops, void *const frames)
{
    if (lookup == &ragged)
        weft_spp(&ragged, job, job->count, group, hops, WEFT_HINT_NONE, frames);
    else
        weft_spp(&even, job, job->count, group, hops, WEFT_HINT_NONE, frames);
}

static const struct technique {
    const char *name;
    technique_fn *run;
    bool interleaves;
} techniques[] = {
    {"scalar", scalar, false},
    {"scalar-prefetch", scalar_prefetch, false},
    {"scalar, steps", scalar_steps, false},
    {"scalar-prefetch, steps", scalar_prefetch_steps, false},
    {"amac", amac, true},
    {"gp", gp, true},
    {"spp", spp, true},
    {"spp, inlined", spp_inlined, true},
};

static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, COUNT_MAX};
static const size_t groups[] = {1, 2, 3, 8, 63, 64, 301};
static const size_t hops[] = {1, 2, 3, 12, 26, 51, 1000};
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void assert_runs(const struct technique *const technique,
                        const struct weft_lookup *const lookup, struct job *const job,
                        const size_t group, const size_t expected_hops)
{
    const size_t frames_bytes = weft_frames_bytes(lookup, group);
    unsigned char *const frames = (unsigned char *)malloc(frames_bytes + GUARD);
    const size_t in_flight_max = technique->interleaves ? group : 1;

    assert_non_null(frames);
    memset(frames, 0xa5, frames_bytes + GUARD);
    memset(job->finished, 0, sizeof(job->finished));
    job->live = job->live_max = 0;
    technique->run(lookup, job, group, expected_hops, frames);
    for (size_t i = 0; i < job->count; ++i)
        if (job->finished[i] != 1 || job->results[i] != expected_result(job, i))
            fail_msg("%s: %zu lookups, group %zu, hops %zu: lookup %zu ended %u times",
                     technique->name, job->count, group, expected_hops, i, job->finished[i]);
    assert_true(job->live == 0);
    assert_true(job->live_max <= in_flight_max);
    for (size_t i = frames_bytes; i < frames_bytes + GUARD; ++i)
        assert_int_equal(frames[i], 0xa5);
    free(frames);
}

static void draw_lengths(struct job *const job, const uint64_t seed)
{
    struct weft_rng rng = {seed};

    for (size_t i = 0; i < job->count; ++i)
        job->lengths[i] = (size_t)(weft_rng_next(&rng) % (LENGTH_MAX + 1));
}

static void every_technique_runs_ragged_lookups_exactly_once(void **state)
{
    static struct job job;

    (void)state;
    for (size_t t = 0; t < LENGTH(techniques); ++t)
        for (size_t c = 0; c < LENGTH(counts); ++c)
            for (size_t g = 0; g < LENGTH(groups); ++g)
                for (size_t h = 0; h < LENGTH(hops); ++h) {
                    job.count = counts[c];
                    draw_lengths(&job, c * 10 + h);
                    assert_runs(&techniques[t], &ragged, &job, groups[g], hops[h]);
                }
}

static void every_technique_runs_lookups_of_one_length_exactly_once(void **state)
{
    static struct job job;

    (void)state;
    for (size_t t = 0; t < LENGTH(techniques); ++t)
        for (size_t c = 0; c < LENGTH(counts); ++c)
            for (size_t g = 0; g < LENGTH(groups); ++g)
                for (size_t h = 0; h < LENGTH(hops); ++h) {
                    job.count = counts[c];
                    for (size_t i = 0; i < job.count; ++i)
                        job.lengths[i] = hops[h] - 1;
                    assert_runs(&techniques[t], &even, &job, groups[g], hops[h]);
                }
}

static void a_group_of_lookups_is_in_flight_together(void **state)
{
    static struct job job;

    (void)state;
    job.count = COUNT_MAX;
    for (size_t i = 0; i < job.count; ++i)
        job.lengths[i] = LENGTH_MAX;
    for (size_t t = 0; t < LENGTH(techniques); ++t) {
        if (!techniques[t].interleaves)
            continue;
        assert_runs(&techniques[t], &ragged, &job, 64, LENGTH_MAX + 1);
        assert_true(job.live_max == 64);
        assert_runs(&techniques[t], &even, &job, 64, LENGTH_MAX + 1);
        assert_true(job.live_max == 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_technique_runs_ragged_lookups_exactly_once),
        cmocka_unit_test(every_technique_runs_lookups_of_one_length_exactly_once),
        cmocka_unit_test(a_group_of_lookups_is_in_flight_together),
    };

    return cmocka_run_group_tests_name("technique", tests, NULL, NULL);
}
