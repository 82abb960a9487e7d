/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/team.h"
#include "stream/arrays.h"
#include "stream/stream.h"

static void sums_agree_with_the_elements_of_any_part(void **state)
{
    static const struct weft_stream_part parts[] = {{0, 1}, {0, 1001}, {8, 1}, {104, 777}};
    struct weft_stream_arrays arrays;

    (void)state;
    assert_int_equal(weft_stream_arrays_create(&arrays, 1001, WEFT_PAGES_4K), WEFT_OK);
    weft_stream_arrays_fill(&arrays, (struct weft_stream_part){0, 1001});
    for (size_t k = 0; k < WEFT_STREAM_KERNEL_COUNT; ++k) {
        const struct weft_stream_kernel *const kernel = &weft_stream_kernels[k];

        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); ++p) {
            double sum = 0;

            weft_stream_arrays_reset(&arrays, parts[p]);
            assert_true(weft_stream_arrays_sum(&arrays, parts[p]) == -(int64_t)parts[p].count);
            weft_stream_arrays_run(&arrays, parts[p], kernel, WEFT_STREAM_PLAIN);
            for (size_t i = parts[p].first; i < parts[p].first + parts[p].count; ++i)
                sum += (double)kernel->left_weight * arrays.left[i] +
                       (double)kernel->right_weight * arrays.right[i];
            assert_true(weft_stream_arrays_sum(&arrays, parts[p]) == (int64_t)sum);
            assert_true(weft_stream_expected_sum(kernel, parts[p]) == (int64_t)sum);
        }
    }
    weft_stream_arrays_destroy(&arrays);
}

static void arrays_of_no_or_absurdly_many_elements_are_refused(void **state)
{
    struct weft_stream_arrays arrays;

    (void)state;
    assert_int_equal(weft_stream_arrays_create(&arrays, 0, WEFT_PAGES_4K), WEFT_E_INVALID);
    assert_int_equal(weft_stream_arrays_create(&arrays, SIZE_MAX / 8, WEFT_PAGES_4K),
                     WEFT_E_INVALID);
}

static void measure(struct weft_stream *const stream, const unsigned threads,
                    const struct weft_stream_cell *const cell)
{
    struct weft_stream_result result;
    uint64_t span_ns = 0;

    assert_int_equal(weft_stream_begin(stream, cell), WEFT_OK);
    assert_int_equal(weft_stream_iterate(stream, 2, &span_ns), WEFT_OK);
    assert_int_equal(weft_stream_iterate(stream, 3, &span_ns), WEFT_OK);
    assert_int_equal(weft_stream_end(stream, &result), WEFT_OK);
    assert_int_equal(result.figures.rounds, 5);
    assert_true(span_ns > 0);
    assert_true(result.figures.best_gbs >= result.figures.median_gbs);
    assert_true(result.figures.fastest_thread_gbs >= result.figures.slowest_thread_gbs);
    assert_true(result.figures.late_rounds <= (threads > 1 ? 5 : 0));
    assert_true(result.moved_per_counted >= 1);
}

static void every_cell_has_the_right_sum(void **state)
{
    static const size_t sizes[] = {1, 13, 64, 4099, 100003};

    (void)state;
    for (unsigned threads = 1; threads <= 3; ++threads) {
        struct weft_team *team;

        assert_int_equal(weft_team_create(&team, threads, NULL), WEFT_OK);
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
            struct weft_stream *stream;

            assert_int_equal(weft_stream_create(&stream, team, sizes[s], WEFT_PAGES_4K), WEFT_OK);
            for (size_t k = 0; k < WEFT_STREAM_KERNEL_COUNT; ++k)
                for (int store = 0; store < WEFT_STREAM_STORE_COUNT; ++store)
                    measure(stream, threads,
                            &(struct weft_stream_cell){
                                .kernel = &weft_stream_kernels[k],
                                .store = (enum weft_stream_store)store,
                                .passes = 1 + s % 2,
                            });
            weft_stream_destroy(stream);
        }
        weft_team_destroy(team);
    }
}

/* Stores one element less than asked; a sum over a result array that is not reset would hide it. */
static void forgetful_copy(double *restrict const result, const double *restrict const left,
                           const double *restrict const right, const size_t count)
{
    weft_stream_copy_plain(result, left, right, count - 1);
}

static void element_that_was_not_stored_is_a_mismatch(void **state)
{
    struct weft_stream_kernel forgetful = weft_stream_kernels[0];
    struct weft_stream_cell cell = {.kernel = &weft_stream_kernels[0], .passes = 1};
    struct weft_team *team;
    struct weft_stream *stream;
    struct weft_stream_result result;
    uint64_t span_ns = 0;

    (void)state;
    forgetful.run[WEFT_STREAM_PLAIN] = forgetful_copy;
    assert_int_equal(weft_team_create(&team, 2, NULL), WEFT_OK);
    assert_int_equal(weft_stream_create(&stream, team, 1000, WEFT_PAGES_4K), WEFT_OK);
    measure(stream, 2, &cell);
    cell.kernel = &forgetful;
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_OK);
    assert_int_equal(weft_stream_iterate(stream, 1, &span_ns), WEFT_OK);
    assert_int_equal(weft_stream_end(stream, &result), WEFT_E_MISMATCH);
    cell.kernel = &weft_stream_kernels[0];
    measure(stream, 2, &cell);
    weft_stream_destroy(stream);
    weft_team_destroy(team);
}

static atomic_uint passes_done;

static void counting_copy(double *restrict const result, const double *restrict const left,
                          const double *restrict const right, const size_t count)
{
    atomic_fetch_add(&passes_done, 1);
    weft_stream_copy_plain(result, left, right, count);
}

static void cell_warms_up_for_its_rounds_and_time_and_repeats_its_passes(void **state)
{
    struct weft_stream_kernel counting = weft_stream_kernels[0];
    struct weft_stream_cell cell = {.kernel = &counting, .passes = 7};
    struct weft_team *team;
    struct weft_stream *stream;
    uint64_t span_ns = 0;

    (void)state;
    counting.run[WEFT_STREAM_PLAIN] = counting_copy;
    assert_int_equal(weft_team_create(&team, 2, NULL), WEFT_OK);
    assert_int_equal(weft_stream_create(&stream, team, 1000, WEFT_PAGES_4K), WEFT_OK);
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_OK);
    assert_int_equal(atomic_load(&passes_done), 2 * 7 * WEFT_STREAM_WARMUP_ROUNDS);
    atomic_store(&passes_done, 0);
    assert_int_equal(weft_stream_iterate(stream, 5, &span_ns), WEFT_OK);
    assert_int_equal(atomic_load(&passes_done), 2 * 7 * 5);
    cell.warmup_ns = 20000000;
    const uint64_t before_ns = weft_clock_ns();
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_OK);
    assert_true(weft_clock_ns() - before_ns >= cell.warmup_ns);
    weft_stream_destroy(stream);
    weft_team_destroy(team);
}

static void timed_rounds_do_not_fault(void **state)
{
    const struct weft_stream_cell cell = {.kernel = &weft_stream_kernels[3], .passes = 1};
    struct weft_team *team;
    struct weft_stream *stream;
    struct weft_stream_result result;
    uint64_t span_ns = 0;

    (void)state;
    assert_int_equal(weft_team_create(&team, 2, NULL), WEFT_OK);
    assert_int_equal(weft_stream_create(&stream, team, 200000, WEFT_PAGES_4K), WEFT_OK);
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(weft_stream_iterate(stream, WEFT_STREAM_ROUNDS, &span_ns), WEFT_OK);
    assert_int_equal(weft_stream_end(stream, &result), WEFT_OK);
    assert_int_equal(result.figures.rounds, 3 * WEFT_STREAM_ROUNDS);
    assert_int_equal(result.minor_faults, 0);
    weft_stream_destroy(stream);
    weft_team_destroy(team);
}

static void calls_out_of_order_are_refused(void **state)
{
    struct weft_stream_cell cell = {.kernel = &weft_stream_kernels[0], .passes = 1};
    struct weft_team *team;
    struct weft_stream *stream;
    struct weft_stream_result result;
    uint64_t span_ns = 0;

    (void)state;
    assert_int_equal(weft_team_create(&team, 1, NULL), WEFT_OK);
    assert_int_equal(weft_stream_create(&stream, team, 100, WEFT_PAGES_4K), WEFT_OK);
    assert_int_equal(weft_stream_iterate(stream, 1, &span_ns), WEFT_E_STATE);
    assert_int_equal(weft_stream_end(stream, &result), WEFT_E_STATE);
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_OK);
    assert_int_equal(weft_stream_iterate(stream, 0, &span_ns), WEFT_E_INVALID);
    assert_int_equal(weft_stream_end(stream, &result), WEFT_E_STATE);
    cell.passes = 0;
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_E_INVALID);
    cell = (struct weft_stream_cell){.passes = 1};
    assert_int_equal(weft_stream_begin(stream, &cell), WEFT_E_INVALID);
    weft_stream_destroy(stream);
    weft_stream_destroy(NULL);
    weft_team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_with_the_elements_of_any_part),
        cmocka_unit_test(arrays_of_no_or_absurdly_many_elements_are_refused),
        cmocka_unit_test(every_cell_has_the_right_sum),
        cmocka_unit_test(element_that_was_not_stored_is_a_mismatch),
        cmocka_unit_test(cell_warms_up_for_its_rounds_and_time_and_repeats_its_passes),
        cmocka_unit_test(timed_rounds_do_not_fault),
        cmocka_unit_test(calls_out_of_order_are_refused),
    };

    return cmocka_run_group_tests_name("stream_driver", tests, NULL, NULL);
}
