/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <math.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/team.h"
#include "stream/load.h"

static struct weft_load_request small_load(const double rate_gbs)
{
    return (struct weft_load_request){
        .streams = 2,
        .kernel = &weft_stream_kernels[3],
        .store = WEFT_STREAM_NT,
        .array_bytes = 100000,
        .pages = WEFT_PAGES_4K,
        .rate_gbs = rate_gbs,
    };
}

static void wait_ns(const uint64_t duration_ns)
{
    const uint64_t begin_ns = weft_clock_ns();

    while (weft_clock_ns() - begin_ns < duration_ns)
        weft_relax();
}

static void load_streams_until_it_is_stopped(void **state)
{
    const struct weft_load_request request = small_load(INFINITY);
    struct weft_load *load;

    (void)state;
    assert_int_equal(weft_load_start(&load, &request), WEFT_OK);
    const struct weft_load_sample from = weft_load_read(load);
    struct weft_load_sample to = from;
    while (to.bytes < from.bytes + 1000000)
        to = weft_load_read(load);
    assert_true(to.at_ns > from.at_ns);
    assert_true(weft_load_gbs(from, to) > 0);
    weft_load_stop(load);
    weft_load_stop(NULL);
}

/* One side only: a busy machine may keep a load below its rate, nothing may bring it above. */
static void load_never_exceeds_its_rate(void **state)
{
    const struct weft_load_request request = small_load(0.01);
    struct weft_load *load;

    (void)state;
    const uint64_t begin_ns = weft_clock_ns();
    assert_int_equal(weft_load_start(&load, &request), WEFT_OK);
    wait_ns(50000000);
    const struct weft_load_sample sample = weft_load_read(load);
    const double elapsed_ns = (double)(weft_clock_ns() - begin_ns);
    weft_load_stop(load);
    assert_true(sample.bytes > 0);
    /* Each stream moves its first 4096 elements' worth at once. */
    assert_true((double)sample.bytes <= 0.01 * elapsed_ns + 2 * 512 * 24);
}

static void load_of_rate_zero_moves_nothing(void **state)
{
    const struct weft_load_request request = small_load(0);
    struct weft_load *load;

    (void)state;
    assert_int_equal(weft_load_start(&load, &request), WEFT_OK);
    wait_ns(2000000);
    assert_int_equal(weft_load_read(load).bytes, 0);
    weft_load_stop(load);
}

static void load_refuses_impossible_requests(void **state)
{
    struct weft_load_request request = small_load(-1);
    struct weft_load *load = NULL;

    (void)state;
    assert_int_equal(weft_load_start(&load, &request), WEFT_E_INVALID);
    request = small_load(NAN);
    assert_int_equal(weft_load_start(&load, &request), WEFT_E_INVALID);
    request = small_load(1);
    request.streams = 0;
    assert_int_equal(weft_load_start(&load, &request), WEFT_E_INVALID);
    request = small_load(1);
    request.array_bytes = 8;
    assert_int_equal(weft_load_start(&load, &request), WEFT_E_INVALID);
    request = small_load(1);
    request.array_bytes = SIZE_MAX;
    assert_int_equal(weft_load_start(&load, &request), WEFT_E_INVALID);
    assert_null(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_streams_until_it_is_stopped),
        cmocka_unit_test(load_never_exceeds_its_rate),
        cmocka_unit_test(load_of_rate_zero_moves_nothing),
        cmocka_unit_test(load_refuses_impossible_requests),
    };

    return cmocka_run_group_tests_name("stream_load", tests, NULL, NULL);
}
