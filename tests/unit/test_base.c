/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/team.h"
#include "weft/status.h"

static void every_status_has_its_own_text(void **state)
{
    (void)state;
    for (int a = WEFT_OK; a <= WEFT_E_STATE; ++a)
        for (int b = WEFT_OK; b < a; ++b)
            assert_string_not_equal(weft_status_str((enum weft_status)a),
                                    weft_status_str((enum weft_status)b));
    assert_string_equal(weft_status_str((enum weft_status)1000), "unknown status");
}

static void clock_never_goes_back(void **state)
{
    uint64_t last = weft_clock_ns();

    (void)state;
    for (int i = 0; i < 100000; ++i) {
        const uint64_t now = weft_clock_ns();
        assert_true(now >= last);
        last = now;
    }
}

/* The first values of SplitMix64 from seed 1234567, as published with the reference code. */
static void rng_gives_the_published_values(void **state)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    struct weft_rng rng = {1234567};

    (void)state;
    for (size_t i = 0; i < 5; ++i)
        assert_true(weft_rng_next(&rng) == expected[i]);
}

static void median_takes_the_middle_of_unsorted_values(void **state)
{
    double odd[] = {5, 1, 3};
    double even[] = {4, 1, 3, 2};

    (void)state;
    assert_true(weft_median(odd, 3) == 3);
    assert_true(weft_median(even, 4) == 2.5);
    assert_true(isnan(weft_median(odd, 0)));
}

static void cv_is_sample_deviation_over_mean(void **state)
{
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};

    (void)state;
    assert_true(fabs(weft_cv(values, 8) - sqrt(32.0 / 7.0) / 5.0) < 1e-12);
    assert_true(isnan(weft_cv(values, 1)));
}

struct round_log {
    struct weft_team *team;
    atomic_uint entered;
    atomic_uint worker_mask;
    atomic_bool torn;
};

static void meet_many_times(void *argument, unsigned worker)
{
    struct round_log *const log = argument;
    struct weft_barrier *const barrier = weft_team_barrier(log->team);
    const unsigned size = weft_team_size(log->team);

    atomic_fetch_or(&log->worker_mask, 1u << worker);
    for (unsigned round = 1; round <= 5000; ++round) {
        atomic_fetch_add(&log->entered, 1);
        weft_barrier_wait(barrier);
        if (atomic_load(&log->entered) != round * size)
            atomic_store(&log->torn, true);
        weft_barrier_wait(barrier);
    }
}

static void barrier_keeps_thousands_of_rounds_apart(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 3; ++size) {
        struct round_log log = {0};

        assert_int_equal(weft_team_create(&log.team, size, NULL), WEFT_OK);
        for (int run = 0; run < 2; ++run) {
            atomic_store(&log.entered, 0);
            weft_team_run(log.team, meet_many_times, &log);
        }
        assert_false(atomic_load(&log.torn));
        assert_int_equal(atomic_load(&log.worker_mask), (1u << size) - 1);
        weft_team_destroy(log.team);
    }
}

static void team_refuses_no_workers_and_impossible_processors(void **state)
{
    struct weft_team *team = NULL;
    const int negative[] = {-1};

    (void)state;
    assert_int_equal(weft_team_create(&team, 0, NULL), WEFT_E_INVALID);
#ifdef __linux__
    assert_int_equal(weft_team_create(&team, 1, negative), WEFT_E_INVALID);
#endif
    assert_null(team);
    weft_team_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(rng_gives_the_published_values),
        cmocka_unit_test(median_takes_the_middle_of_unsorted_values),
        cmocka_unit_test(cv_is_sample_deviation_over_mean),
        cmocka_unit_test(barrier_keeps_thousands_of_rounds_apart),
        cmocka_unit_test(team_refuses_no_workers_and_impossible_processors),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
