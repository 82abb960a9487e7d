/* SPDX-License-Identifier: MIT */
/* Every variant of the table against a reference walk: each single result, and nothing beside. */
#include "cmocka_main.h"

#include <stdlib.h>
#include <string.h>

#include "lookup/chain.h"
#include "lookup/variant.h"

enum {
    NODES = 5003,
    LINES_MAX = 4,
    LOOKUPS_MAX = 1001,
    GROUP_MAX = 1000,
    GUARD = 64 /* bytes behind the frames and results behind the last that nobody may write */
};

static const size_t lines[] = {1, 2, LINES_MAX};
static struct weft_chain chains[sizeof(lines) / sizeof(lines[0])];
static struct weft_chain_node *nodes[sizeof(lines) / sizeof(lines[0])];
static uint64_t starts[LOOKUPS_MAX];
static uint64_t expected[LOOKUPS_MAX];
static uint64_t results[LOOKUPS_MAX + GUARD];

static int build_chain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
        nodes[i] = aligned_alloc(sizeof(**nodes), NODES * lines[i] * sizeof(**nodes));
        if (!nodes[i] ||
            weft_chain_build(&chains[i], nodes[i], NODES, lines[i], 1, NULL, NULL) != WEFT_OK)
            return 1;
    }
    return 0;
}

static int free_chain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i)
        free(nodes[i]);
    return 0;
}

/* What a lookup must give, by walking the chain. */
static void walk_reference(const struct weft_chain *const chain, const size_t count,
                           const size_t depth, const int serial, const bool branch)
{
    const struct weft_chain_node *node = NULL;

    for (size_t i = 0; i < count; ++i) {
        uint64_t sum = 0;

        if (i == 0 || !serial)
            node = &chain->nodes[starts[i]];
        for (size_t hop = 0; hop < depth; ++hop, node = node->next) {
            const bool adds = !branch || weft_chain_turns(node->value);

            for (size_t line = 0; line < chain->lines; ++line)
                sum += adds ? node[line].value : -node[line].value;
        }
        assert_true(expected[i] == sum); /* the plan's closed form */
    }
}

static void assert_run_agrees(const struct weft_variant *const variant,
                              const struct weft_chain *const chain, const size_t count,
                              const size_t depth, const size_t group, const enum weft_hint hint,
                              const bool branch)
{
    const size_t frames_bytes = weft_variant_frames_bytes(variant, group);
    unsigned char *const frames = aligned_alloc(64, (frames_bytes + GUARD + 63) / 64 * 64);
    const struct weft_run run = {
        .data = chain,
        .starts = starts,
        .results = results,
        .count = count,
        .depth = depth,
        .group = group,
        .hint = hint,
        .branch = branch,
        .frames = frames,
    };

    assert_non_null(frames);
    memset(frames, 0xa5, frames_bytes + GUARD);
    memset(results, 0xa5, sizeof(results));
    if (variant->open)
        assert_int_equal(variant->open(&run), WEFT_OK);
    assert_int_equal(variant->run(&run), WEFT_OK);
    if (variant->close)
        variant->close(&run);
    for (size_t i = 0; i < count; ++i)
        if (results[i] != expected[i])
            fail_msg("%s: group %zu, %zu lookups, depth %zu, hint %d, branch %d, %llu lines: "
                     "lookup %zu gave %llu, expected %llu",
                     variant->name, group, count, depth, (int)hint, branch,
                     (unsigned long long)chain->lines, i, (unsigned long long)results[i],
                     (unsigned long long)expected[i]);
    for (size_t i = count; i < count + GUARD; ++i)
        assert_true(results[i] == UINT64_C(0xa5a5a5a5a5a5a5a5));
    for (size_t i = frames_bytes; i < frames_bytes + GUARD; ++i)
        assert_int_equal(frames[i], 0xa5);
    free(frames);
}

static void assert_variant_agrees(const struct weft_variant *const variant,
                                  const struct weft_chain *const chain, const size_t count,
                                  const size_t depth, const bool branch)
{
    static const size_t groups[] = {1, 2, 3, 7, 64, GROUP_MAX};
    const enum weft_hint first = variant->takes_hint ? WEFT_HINT_T0 : WEFT_HINT_NONE;
    const enum weft_hint last = variant->takes_hint ? WEFT_HINT_NTA : WEFT_HINT_NONE;

    variant->workload->plan(chain, depth, variant->serial, branch, 77, count, starts, expected);
    walk_reference(chain, count, depth, variant->serial, branch);
    for (size_t g = 0; g < (variant->takes_group ? sizeof(groups) / sizeof(groups[0]) : 1); ++g)
        for (enum weft_hint hint = first; hint <= last; ++hint)
            assert_run_agrees(variant, chain, count, depth, groups[g], hint, branch);
}

static void every_variant_gives_every_result_of_a_walk(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 6, 7, 8, 63, 64, 65, 999, 1000, 1001};
    static const size_t depths[] = {1, 2, 3, 12, 100};

    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v)
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c)
            for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); ++d)
                assert_variant_agrees(&weft_variants[v], &chains[0], counts[c], depths[d], false);
}

static void branches_and_wide_nodes_give_every_result_of_a_walk(void **state)
{
    static const size_t counts[] = {0, 1, 7, 64, 999};
    static const size_t depths[] = {1, 2, 12};

    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v)
        for (size_t l = 0; l < (weft_variants[v].takes_payload ? 3 : 1); ++l)
            for (int branch = 0; branch <= weft_variants[v].takes_branch; ++branch)
                for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c)
                    for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); ++d)
                        assert_variant_agrees(&weft_variants[v], &chains[l], counts[c], depths[d],
                                              branch);
}

static void a_hint_that_is_none_is_refused_where_one_is_taken(void **state)
{
    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v) {
        const struct weft_run run = {
            .data = &chains[0], .hint = WEFT_HINT_NONE, .group = 1, .depth = 1};

        if (weft_variants[v].takes_hint)
            assert_int_equal(weft_variants[v].run(&run), WEFT_E_INVALID);
    }
}

static void names_in_the_table_are_unique_and_fit_the_schema(void **state)
{
    (void)state;
    for (size_t a = 0; a < weft_variant_count; ++a) {
        const char *const name = weft_variants[a].name;

        assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name));
        assert_non_null(weft_variants[a].help);
        for (size_t b = 0; b < a; ++b)
            assert_true(weft_variants[a].workload != weft_variants[b].workload ||
                        strcmp(name, weft_variants[b].name) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_gives_every_result_of_a_walk),
        cmocka_unit_test(branches_and_wide_nodes_give_every_result_of_a_walk),
        cmocka_unit_test(a_hint_that_is_none_is_refused_where_one_is_taken),
        cmocka_unit_test(names_in_the_table_are_unique_and_fit_the_schema),
    };

    return cmocka_run_group_tests_name("agree", tests, build_chain, free_chain);
}
