/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/chain.h"

static const uint64_t counts[] = {1,  2,  3,  4,    5,    7,    8,    9,
                                  31, 32, 33, 1000, 4095, 4096, 4097, 40000};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static struct weft_chain build_wide(const uint64_t count, const uint64_t lines, const uint64_t seed)
{
    struct weft_chain_node *const nodes = aligned_alloc(
        sizeof(struct weft_chain_node), count * lines * sizeof(struct weft_chain_node));
    struct weft_chain chain;

    assert_non_null(nodes);
    assert_int_equal(weft_chain_build(&chain, nodes, count, lines, seed, NULL, NULL), WEFT_OK);
    return chain;
}

static struct weft_chain build(const uint64_t count, const uint64_t seed)
{
    return build_wide(count, 1, seed);
}

static void the_chain_is_one_cycle_over_all_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; ++i) {
        const struct weft_chain chain = build(counts[i], i);
        const struct weft_chain_node *node = &chain.nodes[weft_chain_slot(&chain, 0)];

        for (uint64_t position = 0; position < counts[i]; ++position) {
            assert_true(node->value == position);
            assert_ptr_equal(node, &chain.nodes[weft_chain_slot(&chain, position)]);
            node = node->next;
        }
        assert_true(node->value == 0);
        free(chain.nodes);
    }
}

static void the_closed_form_equals_a_walk(void **state)
{
    static const uint64_t depths[] = {0, 1, 2, 3, 12, 1000, 8191};

    (void)state;
    for (size_t i = 0; i < COUNTS; ++i) {
        const struct weft_chain chain = build(counts[i], i);

        for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); ++d) {
            const uint64_t positions[] = {0, counts[i] / 2, counts[i] - 1};

            for (size_t p = 0; p < 3; ++p) {
                const struct weft_chain_node *node =
                    &chain.nodes[weft_chain_slot(&chain, positions[p])];
                uint64_t sum = 0;

                for (uint64_t hop = 0; hop < depths[d]; ++hop, node = node->next)
                    sum += node->value;
                assert_true(weft_chain_sum(&chain, positions[p], depths[d]) == sum);
            }
        }
        free(chain.nodes);
    }
}

static void every_line_of_a_node_counts_and_none_stands_in_for_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; ++i) {
        const struct weft_chain chain = build_wide(counts[i], 4, i);
        const struct weft_chain_node *node = &chain.nodes[weft_chain_slot(&chain, 0) * 4];
        uint64_t sum = 0;

        for (uint64_t position = 0; position < counts[i]; ++position, node = node->next) {
            assert_true((node - chain.nodes) % 4 == 0);
            for (uint64_t line = 0; line < 4; ++line) {
                assert_true(node[line].value == position + line);
                sum += node[line].value;
            }
            assert_true(weft_chain_sum(&chain, 0, position + 1) == sum);
        }
        assert_ptr_equal(node, &chain.nodes[weft_chain_slot(&chain, 0) * 4]);
        free(chain.nodes);
    }
}

static void a_branch_adds_or_subtracts_each_node(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; ++i) {
        const struct weft_chain chain = build_wide(counts[i], 1 + i % 4, i);
        const uint64_t start = counts[i] / 2;
        uint64_t sum = 0;

        for (uint64_t depth = 0; depth < counts[i] + 3 && depth < 300; ++depth) {
            const uint64_t position = (start + depth) % counts[i];
            const uint64_t node = weft_chain_sum(&chain, position, 1);

            assert_true(weft_chain_branch_sum(&chain, start, depth) == sum);
            sum += weft_chain_turns(position) ? node : -node;
        }
        free(chain.nodes);
    }
}

/* A predictor that has seen every window of the last positions must still fail half of the time. */
static void the_turns_before_do_not_tell_a_branch(void **state)
{
    enum { WINDOW = 12, POSITIONS = 1 << 20 };
    static unsigned seen[1 << WINDOW][2];
    unsigned history = 0;
    unsigned long wrong = 0;

    (void)state;
    for (uint64_t position = 0; position < POSITIONS; ++position) {
        const unsigned turn = weft_chain_turns(position);
        unsigned *const counters = seen[history];

        wrong += counters[1] > counters[0] ? !turn : turn;
        counters[turn]++;
        history = (history << 1 | turn) % (1 << WINDOW);
    }
    assert_in_range(wrong, POSITIONS * 0.48, POSITIONS * 0.52);
}

static void no_start_returns_before_all_others_were_used(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; ++i) {
        const struct weft_chain chain = build(counts[i], i);
        bool *const seen = calloc(counts[i], sizeof(*seen));

        assert_non_null(seen);
        for (uint64_t lookup = 0; lookup < counts[i]; ++lookup) {
            const uint64_t start = weft_chain_start(&chain, lookup);

            assert_true(start < counts[i]);
            assert_false(seen[start]);
            seen[start] = true;
            assert_true(weft_chain_start(&chain, lookup + counts[i]) == start);
        }
        free(seen);
        free(chain.nodes);
    }
}

static void the_seed_alone_decides_the_chain(void **state)
{
    const struct weft_chain one = build(1000, 1);
    const struct weft_chain again = build(1000, 1);
    const struct weft_chain other = build(1000, 2);
    size_t same = 0;

    (void)state;
    for (size_t i = 0; i < 1000; ++i) {
        assert_true(one.nodes[i].value == again.nodes[i].value);
        assert_true(one.nodes[i].next - one.nodes == again.nodes[i].next - again.nodes);
        same += one.nodes[i].value == other.nodes[i].value;
    }
    assert_true(same < 20);
    free(one.nodes);
    free(again.nodes);
    free(other.nodes);
}

static bool stop_at_once(const double share, void *const argument)
{
    assert_true(share == 0);
    ++*(int *)argument;
    return false;
}

static void a_build_stops_when_it_is_told_to(void **state)
{
    struct weft_chain_node node;
    struct weft_chain chain;
    int calls = 0;

    (void)state;
    assert_int_equal(weft_chain_build(&chain, &node, 1, 1, 0, stop_at_once, &calls),
                     WEFT_E_INTERRUPTED);
    assert_int_equal(calls, 1);
}

static void an_empty_or_impossible_chain_is_refused(void **state)
{
    struct weft_chain chain;

    (void)state;
    assert_int_equal(weft_chain_build(&chain, NULL, 0, 1, 0, NULL, NULL), WEFT_E_INVALID);
    assert_int_equal(weft_chain_build(&chain, NULL, 1, 0, 0, NULL, NULL), WEFT_E_INVALID);
    assert_int_equal(weft_chain_build(&chain, NULL, UINT64_MAX, 1, 0, NULL, NULL), WEFT_E_INVALID);
    assert_int_equal(weft_chain_build(&chain, NULL, UINT64_C(1) << 57, 4, 0, NULL, NULL),
                     WEFT_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_is_one_cycle_over_all_nodes),
        cmocka_unit_test(the_closed_form_equals_a_walk),
        cmocka_unit_test(every_line_of_a_node_counts_and_none_stands_in_for_another),
        cmocka_unit_test(a_branch_adds_or_subtracts_each_node),
        cmocka_unit_test(the_turns_before_do_not_tell_a_branch),
        cmocka_unit_test(no_start_returns_before_all_others_were_used),
        cmocka_unit_test(the_seed_alone_decides_the_chain),
        cmocka_unit_test(a_build_stops_when_it_is_told_to),
        cmocka_unit_test(an_empty_or_impossible_chain_is_refused),
    };

    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
