/* SPDX-License-Identifier: MIT */
/* Every variant of the table against a reference walk: each single result, and nothing beside. */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/chain.h"
#include "lookup/chase.h"
#include "lookup/hash_table.h"
#include "lookup/probe.h"
#include "lookup/variant.h"

enum {
    NODES = 5003,
    LOOKUPS_MAX = 1001,
    GROUP_MAX = 1000,
    GUARD = 64 /* bytes behind the frames and results behind the last that nobody may write */
};
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t starts[LOOKUPS_MAX];
static uint64_t expected[LOOKUPS_MAX];
static uint64_t results[LOOKUPS_MAX + GUARD];

/* Data of a workload, and what its lookups must give by walking it: asserts the plan's closed
 * forms. */
typedef void walk_fn(const void *data, size_t count, size_t depth, bool serial, bool branch);
static walk_fn walk_chain, walk_hash_table;

static struct subject {
    const struct weft_workload *workload;
    walk_fn *walk;
    struct weft_data_shape shape; /* its depth 0: lookups may have any */
    bool plain;                   /* what every variant takes */
    void *memory;
    void *data;
} subjects[] = {
    {&weft_chase, walk_chain, {NODES * 64, 0, 64, 1}, true, NULL, NULL},
    {&weft_chase, walk_chain, {NODES * 128, 0, 128, 1}, false, NULL, NULL},
    {&weft_chase, walk_chain, {NODES * 256, 0, 256, 1}, false, NULL, NULL},
    {&weft_probe, walk_hash_table, {NODES * 64, 1, 64, 1}, true, NULL, NULL},
    {&weft_probe, walk_hash_table, {NODES * 64, 2, 64, 1}, true, NULL, NULL},
    {&weft_probe, walk_hash_table, {NODES * 64, 8, 64, 1}, true, NULL, NULL},
    {&weft_probe, walk_hash_table, {72, 1, 64, 1}, true, NULL, NULL},
};

static int build_subjects(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(subjects); ++i) {
        struct subject *const subject = &subjects[i];

        subject->memory = aligned_alloc(64, (subject->shape.size_bytes + 63) / 64 * 64);
        subject->data = malloc(subject->workload->data_bytes);
        if (!subject->memory || !subject->data ||
            subject->workload->build(subject->data, subject->memory, &subject->shape, NULL, NULL) !=
                WEFT_OK)
            return 1;
    }
    return 0;
}

static int free_subjects(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(subjects); ++i) {
        free(subjects[i].memory);
        free(subjects[i].data);
    }
    return 0;
}

static void walk_chain(const void *const data, const size_t count, const size_t depth,
                       const bool serial, const bool branch)
{
    const struct weft_chain *const chain = data;
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
        assert_true(expected[i] == sum);
    }
}

static void walk_hash_table(const void *const data, const size_t count, const size_t depth,
                            const bool serial, const bool branch)
{
    const struct weft_hash_table *const table = data;

    (void)depth, (void)serial, (void)branch;
    for (size_t i = 0; i < count; ++i) {
        uint64_t value = WEFT_HASH_MISSING;

        for (const struct weft_hash_node *node = table->buckets[weft_hash_bucket(table, starts[i])];
             node; node = node->next)
            if (node->key == starts[i])
                value = node->value;
        assert_true(expected[i] == value);
    }
}

static void assert_run_agrees(const struct weft_variant *const variant,
                              const struct subject *const subject, const size_t count,
                              const size_t depth, const size_t group, const enum weft_hint hint,
                              const bool branch)
{
    const size_t frames_bytes = weft_variant_frames_bytes(variant, group);
    unsigned char *const frames = aligned_alloc(64, (frames_bytes + GUARD + 63) / 64 * 64);
    const struct weft_run run = {
        .data = subject->data,
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
            fail_msg("%s/%s: group %zu, %zu lookups, depth %zu, hint %d, branch %d, nodes of %zu: "
                     "lookup %zu gave %llu, expected %llu",
                     variant->workload->name, variant->name, group, count, depth, (int)hint, branch,
                     subject->shape.payload_bytes, i, (unsigned long long)results[i],
                     (unsigned long long)expected[i]);
    for (size_t i = count; i < count + GUARD; ++i)
        assert_true(results[i] == UINT64_C(0xa5a5a5a5a5a5a5a5));
    for (size_t i = frames_bytes; i < frames_bytes + GUARD; ++i)
        assert_int_equal(frames[i], 0xa5);
    free(frames);
}

/* ThreadSanitizer makes a thread of every fiber, in milliseconds: there, some of them do. */
static bool is_too_slow(const struct weft_variant *const variant, const size_t count,
                        const size_t group)
{
#ifdef __SANITIZE_THREAD__
    return variant->open && (group > 3 || (count > 8 && (group > 1 || count < LOOKUPS_MAX)));
#else
    (void)variant;
    (void)count;
    (void)group;
    return false;
#endif
}

static void assert_variant_agrees(const struct weft_variant *const variant,
                                  const struct subject *const subject, const size_t count,
                                  const size_t depth, const bool branch)
{
    static const size_t groups[] = {1, 2, 3, 7, 64, GROUP_MAX};
    const enum weft_hint first = variant->takes_hint ? WEFT_HINT_T0 : WEFT_HINT_NONE;
    const enum weft_hint last = variant->takes_hint ? WEFT_HINT_NTA : WEFT_HINT_NONE;

    variant->workload->plan(subject->data, depth, variant->serial, branch, 77, count, starts,
                            expected);
    subject->walk(subject->data, count, depth, variant->serial, branch);
    for (size_t g = 0; g < (variant->takes_group ? LENGTH(groups) : 1); ++g)
        for (enum weft_hint hint = first; hint <= last && !is_too_slow(variant, count, groups[g]);
             ++hint)
            assert_run_agrees(variant, subject, count, depth, groups[g], hint, branch);
}

/* With each of the depths, or the one that the data is built for. */
static void assert_depths_agree(const struct weft_variant *const variant,
                                const struct subject *const subject, const size_t *const counts,
                                const size_t counts_length, const size_t *const depths,
                                const size_t depths_length, const bool branch)
{
    const bool any_depth = subject->shape.depth == 0;

    for (size_t c = 0; c < counts_length; ++c)
        for (size_t d = 0; d < (any_depth ? depths_length : 1); ++d)
            assert_variant_agrees(variant, subject, counts[c],
                                  any_depth ? depths[d] : subject->shape.depth, branch);
}

static void every_variant_gives_every_result_of_a_walk(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 6, 7, 8, 63, 64, 65, 999, 1000, 1001};
    static const size_t depths[] = {1, 2, 3, 12, 100};

    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v) {
        size_t walked = 0;

        for (size_t i = 0; i < LENGTH(subjects); ++i) {
            if (subjects[i].workload != weft_variants[v].workload || !subjects[i].plain)
                continue;
            assert_depths_agree(&weft_variants[v], &subjects[i], counts, LENGTH(counts), depths,
                                LENGTH(depths), false);
            ++walked;
        }
        assert_true(walked > 0);
    }
}

static void branches_and_wide_nodes_give_every_result_of_a_walk(void **state)
{
    static const size_t counts[] = {0, 1, 7, 64, 999};
    static const size_t depths[] = {1, 2, 12};

    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v)
        for (size_t i = 0; i < LENGTH(subjects); ++i) {
            if (subjects[i].workload != weft_variants[v].workload ||
                (!subjects[i].plain && !weft_variants[v].takes_payload))
                continue;
            for (int branch = subjects[i].plain; branch <= weft_variants[v].takes_branch; ++branch)
                assert_depths_agree(&weft_variants[v], &subjects[i], counts, LENGTH(counts), depths,
                                    LENGTH(depths), branch);
        }
}

/* The sums of the results of LOOKUPS_MAX lookups: they must never change, on no machine. */
static const struct {
    const struct weft_workload *workload;
    bool serial, branch;
    uint64_t checksum;
} checksums[] = {
    {&weft_chase, false, false, UINT64_C(29526647)},
    {&weft_chase, true, false, UINT64_C(28889565)},
    {&weft_chase, false, true, UINT64_C(676969)},
    {&weft_chase, true, true, UINT64_C(18446744073709458337)},
    {&weft_probe, false, false, UINT64_C(3866183)},
};

static uint64_t known_checksum(const struct weft_variant *const variant, const bool branch)
{
    for (size_t i = 0; i < LENGTH(checksums); ++i)
        if (checksums[i].workload == variant->workload && checksums[i].serial == variant->serial &&
            checksums[i].branch == branch)
            return checksums[i].checksum;
    fail_msg("%s/%s has no known checksum", variant->workload->name, variant->name);
    return 0;
}

static const struct subject *plain_subject(const struct weft_workload *const workload)
{
    for (size_t i = 0; i < LENGTH(subjects); ++i)
        if (subjects[i].workload == workload)
            return &subjects[i];
    fail_msg("%s has no data", workload->name);
    return NULL;
}

static void the_same_seed_gives_the_same_checksums_everywhere(void **state)
{
    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v)
        for (int branch = 0; branch <= weft_variants[v].takes_branch; ++branch) {
            const struct subject *const subject = plain_subject(weft_variants[v].workload);
            uint64_t sum = 0;

            assert_variant_agrees(&weft_variants[v], subject, LOOKUPS_MAX,
                                  subject->shape.depth ? subject->shape.depth : 12, branch);
            for (size_t i = 0; i < LOOKUPS_MAX; ++i)
                sum += results[i];
            if (sum != known_checksum(&weft_variants[v], branch))
                fail_msg("%s/%s, branch %d: checksum %llu", weft_variants[v].workload->name,
                         weft_variants[v].name, branch, (unsigned long long)sum);
        }
}

static void a_hint_that_is_none_is_refused_where_one_is_taken(void **state)
{
    (void)state;
    for (size_t v = 0; v < weft_variant_count; ++v) {
        const struct weft_run run = {
            .data = plain_subject(weft_variants[v].workload)->data,
            .hint = WEFT_HINT_NONE,
            .group = 1,
            .depth = 1,
        };

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
        cmocka_unit_test(the_same_seed_gives_the_same_checksums_everywhere),
        cmocka_unit_test(a_hint_that_is_none_is_refused_where_one_is_taken),
        cmocka_unit_test(names_in_the_table_are_unique_and_fit_the_schema),
    };

    return cmocka_run_group_tests_name("agree", tests, build_subjects, free_subjects);
}
