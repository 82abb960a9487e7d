/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <math.h>
#include <string.h>

#include "stream/kernels.h"
#include "stream/level.h"
#include "stream/rounds.h"
#include "stream/shape.h"

static void table_counts_bytes_the_stream_way_and_with_write_allocate(void **state)
{
    static const struct {
        const char *name;
        unsigned counted_bytes;
        unsigned plain_bytes;
        unsigned flops;
    } expected[] = {
        {"copy", 16, 24, 0}, {"scale", 16, 24, 1}, {"add", 24, 32, 1}, {"triad", 24, 32, 2}};

    (void)state;
    for (size_t i = 0; i < WEFT_STREAM_KERNEL_COUNT; ++i) {
        const struct weft_stream_kernel *const kernel = weft_stream_kernel_find(expected[i].name);
        const int nt_is_plain = strcmp(weft_stream_store_kind(WEFT_STREAM_NT), "plain") == 0;

        assert_ptr_equal(kernel, &weft_stream_kernels[i]);
        assert_int_equal(weft_stream_counted_bytes(kernel), expected[i].counted_bytes);
        assert_int_equal(weft_stream_moved_bytes(kernel, WEFT_STREAM_PLAIN),
                         expected[i].plain_bytes);
        assert_int_equal(weft_stream_moved_bytes(kernel, WEFT_STREAM_NT),
                         nt_is_plain ? expected[i].plain_bytes : expected[i].counted_bytes);
        assert_int_equal(kernel->flops, expected[i].flops);
    }
    assert_null(weft_stream_kernel_find("memset"));
}

static void stores_are_named_and_x86_64_and_aarch64_have_non_temporal_ones(void **state)
{
    (void)state;
    assert_string_equal(weft_stream_store_name(WEFT_STREAM_PLAIN), "plain");
    assert_string_equal(weft_stream_store_name(WEFT_STREAM_NT), "nt");
    assert_string_equal(weft_stream_store_kind(WEFT_STREAM_PLAIN), "plain");
#if defined(__x86_64__) || defined(__aarch64__)
    assert_string_not_equal(weft_stream_store_kind(WEFT_STREAM_NT), "plain");
#endif
}

/* Every element, and none beyond the count, for counts on both sides of lines and vectors. */
static void kernels_store_exactly_their_formula(void **state)
{
    enum { MOST = 70 };
    _Alignas(64) double result[MOST + 1];
    _Alignas(64) double left[MOST];
    _Alignas(64) double right[MOST];

    (void)state;
    for (int i = 0; i < MOST; ++i) {
        left[i] = i + 1;
        right[i] = 1000 * i + 7;
    }
    for (size_t k = 0; k < WEFT_STREAM_KERNEL_COUNT; ++k) {
        const struct weft_stream_kernel *const kernel = &weft_stream_kernels[k];
        static const double left_factor[] = {1, 3, 1, 1};
        static const double right_factor[] = {0, 0, 1, 3};

        for (int store = 0; store < WEFT_STREAM_STORE_COUNT; ++store) {
            for (size_t count = 0; count <= MOST; ++count) {
                for (size_t i = 0; i <= MOST; ++i)
                    result[i] = -1;
                kernel->run[store](result, left, right, count);
                for (size_t i = 0; i < count; ++i)
                    assert_true(result[i] == left_factor[k] * left[i] + right_factor[k] * right[i]);
                for (size_t i = count; i <= MOST; ++i)
                    assert_true(result[i] == -1);
            }
        }
    }
}

static void partitions_cover_exactly_and_begin_on_lines(void **state)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 63, 64, 65, 1000, 4097, 1u << 20, (1u << 20) + 5};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        for (unsigned parts = 1; parts <= 9; ++parts) {
            size_t next = 0;
            size_t least = SIZE_MAX;
            size_t most = 0;

            for (unsigned index = 0; index < parts; ++index) {
                const struct weft_stream_part part = weft_stream_partition(sizes[s], parts, index);

                assert_int_equal(part.first, next);
                assert_true(part.first % 8 == 0 || part.count == 0);
                least = part.count < least ? part.count : least;
                most = part.count > most ? part.count : most;
                next += part.count;
            }
            assert_int_equal(next, sizes[s]);
            assert_true(most - least <= 8 + 7); /* a line, and the last one may be short */
        }
    }
}

static void partition_of_slices_gives_each_thread_its_slice(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 3; ++t) {
        const struct weft_stream_part part = weft_stream_partition(3 * 8192, 3, t);

        assert_int_equal(part.first, t * 8192);
        assert_int_equal(part.count, 8192);
    }
}

static const uint64_t kib = 1024;
static const uint64_t mib = (uint64_t)1 << 20;
static const uint64_t gib = (uint64_t)1 << 30;

static void large_default_is_512_mib_or_beyond_twice_the_cache(void **state)
{
    static const struct {
        uint64_t last_level_mib;
        uint64_t array_mib;
    } cases[] = {{0, 512}, {32, 512}, {256, 512}, {257, 1024}, {384, 1024}, {768, 2048}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const struct weft_stream_large large =
            weft_stream_large_default(cases[i].last_level_mib * mib, UINT64_MAX);

        assert_int_equal(large.array_bytes, cases[i].array_mib * mib);
        assert_false(large.clamped);
    }
}

static void large_default_leaves_half_of_the_memory_and_says_so(void **state)
{
    const struct weft_stream_large fits = weft_stream_large_default(0, 3 * gib);
    const struct weft_stream_large not_quite = weft_stream_large_default(0, 3 * gib - 1);
    const struct weft_stream_large small = weft_stream_large_default(32 * mib, 64 * mib);

    (void)state;
    assert_int_equal(fits.array_bytes, 512 * mib);
    assert_false(fits.clamped);
    assert_int_equal(not_quite.array_bytes, 256 * mib);
    assert_true(not_quite.clamped);
    assert_int_equal(small.array_bytes, 8 * mib);
    assert_true(small.clamped);
    assert_true(weft_stream_large_default(0, 0).array_bytes > 0);
}

static void slice_is_a_power_of_two_within_an_eighth_of_the_l2(void **state)
{
    (void)state;
    assert_int_equal(weft_stream_slice_default(512 * kib), 64 * kib);
    assert_int_equal(weft_stream_slice_default(2 * mib), 256 * kib);
    assert_int_equal(weft_stream_slice_default(1280 * kib), 128 * kib);
    assert_int_equal(weft_stream_slice_default(0), 32 * kib);
    assert_int_equal(weft_stream_slice_default(1), 64);
}

static void slices_are_repeated_to_move_a_large_pass(void **state)
{
    (void)state;
    assert_int_equal(weft_stream_slice_passes(64 * kib, 2, 512 * mib), 4096);
    assert_int_equal(weft_stream_slice_passes(64 * kib, 3, 512 * mib), 2731);
    assert_int_equal(weft_stream_slice_passes(gib, 2, 512 * mib), 1);
    assert_int_equal(weft_stream_slice_passes(0, 2, 512 * mib), 1);
}

static void sweep_grows_by_its_factor_in_whole_kib(void **state)
{
    uint64_t size = WEFT_STREAM_SWEEP_FIRST_BYTES;
    unsigned steps = 0;

    (void)state;
    assert_int_equal(weft_stream_sweep_next(4 * kib, 2), 8 * kib);
    assert_int_equal(weft_stream_sweep_next(4 * kib, 1.2), 5 * kib);
    assert_int_equal(weft_stream_sweep_next(100 * kib, 1.2), 120 * kib);
    assert_int_equal(weft_stream_sweep_next(kib, 1.01), 2 * kib);
    for (; size < gib; ++steps)
        size = weft_stream_sweep_next(size, 2);
    assert_int_equal(size, gib);
    assert_int_equal(steps, 18);
}

static void thread_counts_double_up_to_the_allowed_processors(void **state)
{
    static const unsigned expected_6[] = {1, 2, 4, 6};
    unsigned counts[8];

    (void)state;
    assert_int_equal(weft_stream_thread_counts(6, counts, 8), 4);
    assert_memory_equal(counts, expected_6, sizeof(expected_6));
    assert_int_equal(weft_stream_thread_counts(8, counts, 8), 4);
    assert_int_equal(counts[3], 8);
    assert_int_equal(weft_stream_thread_counts(1, counts, 8), 1);
    assert_int_equal(counts[0], 1);
    assert_int_equal(weft_stream_thread_counts(0, counts, 8), 0);
    assert_int_equal(weft_stream_thread_counts(UINT32_MAX, counts, 0), 33);
}

static void span_is_from_the_earliest_start_to_the_latest_end(void **state)
{
    const struct weft_stream_stamp round[] = {{120, 200}, {100, 150}, {110, 230}};

    (void)state;
    assert_int_equal(weft_stream_span_ns(round, 3), 130);
    assert_int_equal(weft_stream_span_ns(round, 2), 100);
    assert_int_equal(weft_stream_span_ns(round, 1), 80);
}

static void round_is_late_above_six_fifths_of_the_slowest_thread(void **state)
{
    const struct weft_stream_stamp together[] = {{1000, 1100}, {1000, 1090}};
    const struct weft_stream_stamp at_the_limit[] = {{1000, 1100}, {1020, 1120}};
    const struct weft_stream_stamp beyond[] = {{1000, 1100}, {1021, 1121}};

    (void)state;
    assert_false(weft_stream_is_late(together, 2));
    assert_false(weft_stream_is_late(at_the_limit, 2));
    assert_true(weft_stream_is_late(beyond, 2));
    assert_false(weft_stream_is_late(beyond, 1));
}

static void figures_follow_from_the_stamps(void **state)
{
    /* Spans 100, 200 and 400 ns; the last is late. Own times 100, 200, 200 and 50, 100, 150. */
    const struct weft_stream_stamp stamps[] = {{0, 100},     {10, 60},     {1000, 1200},
                                               {1050, 1150}, {2000, 2200}, {2250, 2400}};
    const uint64_t thread_bytes[] = {3000, 1000};
    struct weft_stream_figures figures;

    (void)state;
    assert_int_equal(weft_stream_summarise(stamps, 3, 2, thread_bytes, &figures), 0);
    assert_int_equal(figures.rounds, 3);
    assert_true(figures.median_gbs == 20);
    assert_true(figures.best_gbs == 40);
    assert_true(figures.fastest_thread_gbs == 15);
    assert_true(figures.slowest_thread_gbs == 10);
    assert_int_equal(figures.late_rounds, 1);
    assert_true(fabs(figures.cv - 0.6546536707) < 1e-9); /* 152.75 / 233.33 */
    assert_int_equal(weft_stream_summarise(stamps, 0, 2, thread_bytes, &figures), WEFT_E_INVALID);
}

static void figures_leave_idle_threads_and_unmeasurable_times_out(void **state)
{
    const struct weft_stream_stamp stamps[] = {{5, 5}, {5, 5}};
    const uint64_t thread_bytes[] = {64, 0};
    struct weft_stream_figures figures;

    (void)state;
    assert_int_equal(weft_stream_summarise(stamps, 1, 2, thread_bytes, &figures), 0);
    assert_true(figures.best_gbs == 64);
    assert_true(figures.slowest_thread_gbs == 64);
    assert_true(isnan(figures.cv));
}

static void reference_size_lies_between_a_cache_and_the_one_below(void **state)
{
    (void)state;
    assert_int_equal(weft_level_reference_bytes(0, 32768), 16384);
    assert_int_equal(weft_level_reference_bytes(32768, 524288), 131072);
    assert_int_equal(weft_level_reference_bytes(1000, 3000), 1728); /* 1732 in whole lines */
    assert_int_equal(weft_level_reference_bytes(0, 100), 64);
}

static void level_is_that_of_the_closest_latency_in_proportion(void **state)
{
    static const struct weft_level_reference references[] = {
        {1, 1}, {2, 4}, {3, 20}, {WEFT_LEVEL_MEMORY, 100}};
    static const struct {
        double latency_ns;
        unsigned level;
    } expected[] = {{0.5, 1}, {1.9, 1}, {2.1, 2}, {8.9, 2}, {9, 3}, {44, 3}, {45, 0}, {900, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i)
        assert_int_equal(weft_level_nearest(references, 4, expected[i].latency_ns)->level,
                         expected[i].level);
    assert_null(weft_level_nearest(references, 0, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_counts_bytes_the_stream_way_and_with_write_allocate),
        cmocka_unit_test(stores_are_named_and_x86_64_and_aarch64_have_non_temporal_ones),
        cmocka_unit_test(kernels_store_exactly_their_formula),
        cmocka_unit_test(partitions_cover_exactly_and_begin_on_lines),
        cmocka_unit_test(partition_of_slices_gives_each_thread_its_slice),
        cmocka_unit_test(large_default_is_512_mib_or_beyond_twice_the_cache),
        cmocka_unit_test(large_default_leaves_half_of_the_memory_and_says_so),
        cmocka_unit_test(slice_is_a_power_of_two_within_an_eighth_of_the_l2),
        cmocka_unit_test(slices_are_repeated_to_move_a_large_pass),
        cmocka_unit_test(sweep_grows_by_its_factor_in_whole_kib),
        cmocka_unit_test(thread_counts_double_up_to_the_allowed_processors),
        cmocka_unit_test(span_is_from_the_earliest_start_to_the_latest_end),
        cmocka_unit_test(round_is_late_above_six_fifths_of_the_slowest_thread),
        cmocka_unit_test(figures_follow_from_the_stamps),
        cmocka_unit_test(figures_leave_idle_threads_and_unmeasurable_times_out),
        cmocka_unit_test(reference_size_lies_between_a_cache_and_the_one_below),
        cmocka_unit_test(level_is_that_of_the_closest_latency_in_proportion),
    };

    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
