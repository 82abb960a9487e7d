/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>

#include "limits/burst.h"
#include "limits/core_clock.h"
#include "limits/on_demand.h"

enum { NODES = 5003 };

static struct weft_chain build(const uint64_t lines)
{
    struct weft_chain_node *const nodes = aligned_alloc(64, NODES * lines * 64);
    struct weft_chain chain;

    assert_non_null(nodes);
    assert_int_equal(weft_chain_build(&chain, nodes, NODES, lines, 1, NULL, NULL), WEFT_OK);
    return chain;
}

/* A source that counts what it is asked for. */
struct counted {
    unsigned latencies;
    unsigned searches;
    unsigned agains;
    enum weft_status answer;
};

static enum weft_status count_latency(void *const self, double *const ns_per_hop)
{
    struct counted *const counted = self;

    *ns_per_hop = 100 + counted->latencies++;
    return counted->answer;
}

static enum weft_status count_search(void *const self, struct weft_roofline *const roofline)
{
    struct counted *const counted = self;

    counted->searches++;
    *roofline = (struct weft_roofline){5, {WEFT_HINT_T1, 32}};
    return counted->answer;
}

static enum weft_status count_again(void *const self, struct weft_roofline *const roofline)
{
    struct counted *const counted = self;

    counted->agains++;
    assert_int_equal(roofline->way.hint, WEFT_HINT_T1);
    assert_int_equal(roofline->way.distance, 32);
    roofline->ns_per_node = 6;
    return counted->answer;
}

static const struct weft_limits_source counting = {
    .latency = count_latency,
    .search = count_search,
    .again = count_again,
};

static uint64_t fake_now_ns;

static uint64_t fake_clock(void)
{
    return fake_now_ns;
}

static const struct weft_limits_key key = {.size_bytes = 1 << 20, .lines = 1, .threads = 1};

static void limits_are_measured_once_and_again_when_they_are_old(void **state)
{
    struct weft_limits_cache cache;
    struct counted counted = {.answer = WEFT_OK};
    struct weft_limits limits;

    (void)state;
    fake_now_ns = 1000;
    weft_limits_cache_init(&cache, fake_clock);
    assert_int_equal(weft_limits_get(&cache, &key, &counting, &counted, &limits), WEFT_OK);
    assert_true(limits.roofline.ns_per_node == 5 && limits.latency_ns == 100);
    assert_int_equal(limits.measured_ns, 1000);

    fake_now_ns += WEFT_LIMITS_AGE_MAX_NS;
    assert_int_equal(weft_limits_get(&cache, &key, &counting, &counted, &limits), WEFT_OK);
    assert_int_equal(limits.measured_ns, 1000);
    assert_int_equal(counted.latencies, 1);

    fake_now_ns += 1;
    assert_int_equal(weft_limits_get(&cache, &key, &counting, &counted, &limits), WEFT_OK);
    assert_true(limits.roofline.ns_per_node == 6 && limits.latency_ns == 101);
    assert_int_equal(limits.measured_ns, fake_now_ns);
    assert_int_equal(counted.latencies, 2);
    assert_int_equal(counted.searches, 1);
    assert_int_equal(counted.agains, 1);
    weft_limits_cache_destroy(&cache);
}

static void every_key_has_limits_of_its_own(void **state)
{
    struct weft_limits_key keys[6] = {key, key, key, key, key, key};
    struct weft_limits_cache cache;
    struct counted counted = {.answer = WEFT_OK};
    struct weft_limits limits;

    (void)state;
    keys[1].size_bytes *= 2;
    keys[2].lines = 2;
    keys[3].pages = 1;
    keys[4].threads = 2;
    keys[5].place = 1;
    weft_limits_cache_init(&cache, fake_clock);
    for (int round = 0; round < 2; ++round)
        for (size_t i = 0; i < 6; ++i) {
            assert_int_equal(weft_limits_get(&cache, &keys[i], &counting, &counted, &limits),
                             WEFT_OK);
            assert_true(limits.latency_ns == 100 + (double)i);
        }
    assert_int_equal(counted.searches, 6);
    weft_limits_cache_destroy(&cache);
}

static void a_measurement_that_failed_is_not_kept(void **state)
{
    struct weft_limits_cache cache;
    struct counted counted = {.answer = WEFT_E_MISMATCH};
    struct weft_limits limits;

    (void)state;
    weft_limits_cache_init(&cache, fake_clock);
    assert_int_equal(weft_limits_get(&cache, &key, &counting, &counted, &limits), WEFT_E_MISMATCH);
    counted.answer = WEFT_OK;
    assert_int_equal(weft_limits_get(&cache, &key, &counting, &counted, &limits), WEFT_OK);
    assert_int_equal(counted.searches, 1);
    weft_limits_cache_destroy(&cache);
}

static void mlp_and_roofline_are_ratios_to_a_hop(void **state)
{
    const struct weft_limits limits = {.latency_ns = 150, .roofline = {9, {WEFT_HINT_T0, 32}}};

    (void)state;
    assert_true(weft_limits_mlp(&limits, 1, 10) == 15);
    assert_true(weft_limits_mlp(&limits, 4, 10) == 60);
    assert_true(weft_limits_roofline_share(&limits, 10) == 0.9);
}

static void the_ways_are_no_hint_and_every_hint_at_every_distance(void **state)
{
    static const unsigned distances[] = {0, 4, 8, 16, 32, 64, 128, 256};
    unsigned seen[WEFT_HINT_COUNT] = {0};

    (void)state;
    for (size_t i = 0; i < WEFT_READ_WAYS; ++i) {
        const struct weft_read_way way = weft_read_way_at(i);

        for (unsigned d = 0; d < 8; ++d)
            if (way.distance == distances[d]) {
                assert_false(seen[way.hint] >> d & 1);
                seen[way.hint] |= 1u << d;
            }
    }
    assert_int_equal(seen[WEFT_HINT_NONE], 1);
    for (int hint = WEFT_HINT_T0; hint <= WEFT_HINT_NTA; ++hint)
        assert_int_equal(seen[hint], 255);
}

static void every_way_reads_every_line_that_it_says(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= 2; ++lines)
        for (unsigned threads = 1; threads <= 2; ++threads) {
            const struct weft_chain chain = build(lines);
            struct weft_team *team;
            struct weft_random_read read;
            struct weft_measure measure;

            assert_int_equal(weft_team_create(&team, threads, NULL), WEFT_OK);
            assert_int_equal(weft_random_read_create(&read, threads), WEFT_OK);
            read.chain = &chain;
            assert_int_equal(weft_measure_init(&measure, &weft_random_read_measured, &read, team),
                             WEFT_OK);
            for (size_t i = 0; i < WEFT_READ_WAYS; ++i) {
                read.way = weft_read_way_at(i);
                assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_OK);
            }
            for (size_t i = lines - 1; i < NODES * lines; i += lines)
                chain.nodes[i].value += 1;
            assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_E_MISMATCH);
            read.way.distance = WEFT_READ_DISTANCE_MAX + 1;
            assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_E_INVALID);
            weft_measure_destroy(&measure);
            weft_random_read_destroy(&read);
            weft_team_destroy(team);
            free(chain.nodes);
        }
}

static void without_time_there_is_still_a_limit_and_it_can_be_measured_again(void **state)
{
    const struct weft_chain chain = build(1);
    struct weft_chain_limits limits = {.chain = &chain, .threads = 1};
    struct weft_roofline roofline = {0, {WEFT_HINT_NONE, 0}};
    double latency_ns = 0;
    uint64_t batches = 0;

    (void)state;
    assert_int_equal(weft_team_create(&limits.team, 1, NULL), WEFT_OK);
    assert_int_equal(weft_chain_limits_source.latency(&limits, &latency_ns), WEFT_OK);
    assert_true(latency_ns > 0);
    assert_true(limits.latency_batches > 0);
    assert_int_equal(weft_random_read_create(&limits.read, 1), WEFT_OK);
    limits.read.chain = &chain;
    assert_int_equal(weft_roofline_search(&limits.read, limits.team, 0, &batches, &roofline),
                     WEFT_OK);
    assert_true(roofline.ns_per_node > 0);
    const uint64_t searched = batches;
    assert_true(searched > 0);
    roofline = (struct weft_roofline){0, {WEFT_HINT_T2, 8}};
    assert_int_equal(weft_roofline_again(&limits.read, limits.team, 0, &batches, &roofline),
                     WEFT_OK);
    assert_true(roofline.ns_per_node > 0);
    assert_int_equal(roofline.way.hint, WEFT_HINT_T2);
    assert_true(batches > searched);
    weft_chain_limits_destroy(&limits);
    weft_team_destroy(limits.team);
    free(chain.nodes);
}

static void a_wrong_chain_has_no_limits(void **state)
{
    const struct weft_chain chain = build(1);
    struct weft_chain_limits limits = {.chain = &chain, .threads = 1};
    struct weft_roofline roofline = {0, {WEFT_HINT_NONE, 0}};
    double latency_ns;

    (void)state;
    for (size_t i = 0; i < NODES; ++i)
        chain.nodes[i].value += 1;
    assert_int_equal(weft_team_create(&limits.team, 1, NULL), WEFT_OK);
    assert_int_equal(weft_chain_limits_source.latency(&limits, &latency_ns), WEFT_E_MISMATCH);
    assert_int_equal(weft_chain_limits_source.search(&limits, &roofline), WEFT_E_MISMATCH);
    assert_int_equal(weft_chain_limits_source.again(&limits, &roofline), WEFT_E_MISMATCH);
    weft_chain_limits_destroy(&limits);
    weft_team_destroy(limits.team);
    free(chain.nodes);
}

static void the_clock_follows_from_the_multiplies(void **state)
{
    const struct weft_core_clock_estimate sane =
        weft_core_clock_from(1000 * WEFT_MULTIPLY_LATENCY / 4.0, 1000 / 4.0, 1000);
    const struct weft_core_clock_estimate folded =
        weft_core_clock_from(1000 * WEFT_MULTIPLY_LATENCY / 4.0, 1000 / 11.5, 1000);
    const struct weft_core_clock_estimate slow =
        weft_core_clock_from(1000 * WEFT_MULTIPLY_LATENCY / 4.0, 1000 / 3.0, 1000);

    (void)state;
    assert_true(sane.possible);
    assert_float_equal(sane.ghz, 4, 1e-9);
    assert_float_equal(sane.ghz_by_adds, 4, 1e-9);
    assert_float_equal(sane.ratio, WEFT_MULTIPLY_LATENCY, 1e-9);
    assert_false(folded.possible);
    assert_float_equal(folded.ghz, 4, 1e-9);
    assert_float_equal(folded.ghz_by_adds, 11.5, 1e-9);
    assert_false(slow.possible);
}

static void run_once(const struct weft_measured *const measured, void *const self)
{
    struct weft_team *team;
    struct weft_measure measure;

    assert_int_equal(weft_team_create(&team, 1, NULL), WEFT_OK);
    assert_int_equal(weft_measure_init(&measure, measured, self, team), WEFT_OK);
    assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_OK);
    assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_OK);
    weft_measure_destroy(&measure);
    weft_team_destroy(team);
}

static void the_chains_of_the_clock_are_not_shortened(void **state)
{
    struct weft_core_clock clock = {0};

    (void)state;
    run_once(&weft_core_clock_measured, &clock); /* verifies the product and the sum */
    assert_true(clock.multiplies_ns > 0 && clock.adds_ns > 0);
}

enum { STAMP_NS = 25, LATENCY_NS = 100, ROUNDS = 9 };

/* Bursts whose prefetches take `issue_ns` and whose loads take `loads_ns`; one round of it was
 * interrupted. */
static struct weft_burst_result analyse(const size_t lines, const uint64_t issue_ns,
                                        const uint64_t loads_ns)
{
    struct weft_burst_round stamps[ROUNDS];
    double scratch[ROUNDS];

    for (size_t i = 0; i < ROUNDS; ++i) {
        const uint64_t begin_ns = 1000000 * (i + 1);
        const uint64_t late_ns = i == 4 ? 50000 : 0;

        stamps[i] = (struct weft_burst_round){
            .none = {begin_ns, begin_ns + STAMP_NS, begin_ns + (uint64_t)2 * STAMP_NS},
            .one = {begin_ns, begin_ns + STAMP_NS, begin_ns + (uint64_t)2 * STAMP_NS + LATENCY_NS},
            .many = {begin_ns, begin_ns + STAMP_NS + issue_ns + late_ns,
                     begin_ns + (uint64_t)2 * STAMP_NS + issue_ns + late_ns + loads_ns},
        };
    }
    return weft_burst_analyse(stamps, ROUNDS, lines, scratch);
}

static void a_burst_that_fits_takes_one_latency(void **state)
{
    const struct weft_burst_result result = analyse(8, 10, 90);

    (void)state;
    assert_int_equal(result.full, WEFT_BURST_ROOM);
    assert_float_equal(result.issue_ns, 10, 1e-9);
    assert_float_equal(result.loads_ns, 90, 1e-9);
    assert_float_equal(result.latency_ns, LATENCY_NS, 1e-9);
    assert_float_equal(result.lines_in_flight, 8, 1e-9);
}

static void a_full_core_stalls_or_drops(void **state)
{
    const struct weft_burst_result stalled = analyse(64, 550, 90);
    const struct weft_burst_result dropped = analyse(64, 60, 580);

    (void)state;
    assert_int_equal(stalled.full, WEFT_BURST_STALLS);
    assert_float_equal(stalled.lines_in_flight, 10, 1e-9);
    assert_int_equal(dropped.full, WEFT_BURST_DROPS);
    assert_float_equal(dropped.lines_in_flight, 10, 1e-9);
}

static void a_clock_that_ticks_coarsely_gives_no_nonsense(void **state)
{
    const struct weft_burst_round stamps[2] = {{{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}};
    double scratch[2];
    const struct weft_burst_result result = weft_burst_analyse(stamps, 2, 4, scratch);

    (void)state;
    assert_true(result.issue_ns > 0 && result.loads_ns > 0 && result.latency_ns > 0);
    assert_true(result.lines_in_flight <= 4);
}

static void bursts_load_the_lines_that_they_prefetch(void **state)
{
    const struct weft_chain chain = build(1);
    struct weft_burst burst;

    (void)state;
    assert_int_equal(weft_burst_create(&burst, &chain, 0, 1), WEFT_E_INVALID);
    assert_int_equal(weft_burst_create(&burst, &chain, WEFT_BURST_LINES_MAX + 1, 1),
                     WEFT_E_INVALID);
    for (size_t lines = 1; lines <= WEFT_BURST_LINES_MAX; lines *= 4) {
        assert_int_equal(weft_burst_create(&burst, &chain, lines, 20), WEFT_OK);
        run_once(&weft_burst_measured, &burst);
        for (size_t i = 0; i < 20; ++i) {
            assert_true(burst.stamps[i].none.begin_ns <= burst.stamps[i].one.begin_ns);
            assert_true(burst.stamps[i].many.begin_ns <= burst.stamps[i].many.issued_ns);
            assert_true(burst.stamps[i].many.issued_ns <= burst.stamps[i].many.loaded_ns);
        }
        weft_burst_destroy(&burst);
    }
    free(chain.nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_measured_once_and_again_when_they_are_old),
        cmocka_unit_test(every_key_has_limits_of_its_own),
        cmocka_unit_test(a_measurement_that_failed_is_not_kept),
        cmocka_unit_test(mlp_and_roofline_are_ratios_to_a_hop),
        cmocka_unit_test(the_ways_are_no_hint_and_every_hint_at_every_distance),
        cmocka_unit_test(every_way_reads_every_line_that_it_says),
        cmocka_unit_test(without_time_there_is_still_a_limit_and_it_can_be_measured_again),
        cmocka_unit_test(a_wrong_chain_has_no_limits),
        cmocka_unit_test(the_clock_follows_from_the_multiplies),
        cmocka_unit_test(the_chains_of_the_clock_are_not_shortened),
        cmocka_unit_test(a_burst_that_fits_takes_one_latency),
        cmocka_unit_test(a_full_core_stalls_or_drops),
        cmocka_unit_test(a_clock_that_ticks_coarsely_gives_no_nonsense),
        cmocka_unit_test(bursts_load_the_lines_that_they_prefetch),
    };

    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
