/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lookup/hash_table.h"

enum { SIZE_BYTES = 1 << 20 };

static struct weft_hash_table build(const size_t chain, const uint64_t seed, void **const memory)
{
    struct weft_hash_table table;

    *memory = aligned_alloc(64, SIZE_BYTES);
    assert_non_null(*memory);
    assert_int_equal(weft_hash_table_build(&table, *memory, SIZE_BYTES, chain, seed, NULL, NULL),
                     WEFT_OK);
    return table;
}

static void every_entry_lies_once_in_the_bucket_of_its_key(void **state)
{
    (void)state;
    for (size_t chain = 1; chain <= 8; chain *= 2) {
        void *memory;
        const struct weft_hash_table table = build(chain, chain, &memory);
        bool *const seen = calloc(table.entries, sizeof(*seen));
        uint64_t found = 0;

        assert_non_null(seen);
        for (uint64_t bucket = 0; bucket < table.bucket_count; ++bucket)
            for (const struct weft_hash_node *node = table.buckets[bucket]; node;
                 node = node->next) {
                const uint64_t number = node->value / 2;

                assert_true(weft_hash_bucket(&table, node->key) == bucket);
                assert_true(weft_hash_key(&table, number) == node->key);
                assert_true(weft_hash_expected(&table, number) == node->value);
                assert_false(seen[number]);
                seen[number] = true;
                ++found;
            }
        assert_true(found == table.entries);
        free(seen);
        free(memory);
    }
}

static void chains_have_the_mean_and_the_spread_of_random_keys(void **state)
{
    (void)state;
    for (size_t chain = 1; chain <= 8; chain *= 2) {
        void *memory;
        const struct weft_hash_table table = build(chain, 7, &memory);
        const double buckets = (double)table.bucket_count;
        double squares = 0;

        assert_true(table.entries == table.bucket_count * chain);
        for (uint64_t bucket = 0; bucket < table.bucket_count; ++bucket) {
            double length = 0;

            for (const struct weft_hash_node *node = table.buckets[bucket]; node; node = node->next)
                ++length;
            squares += length * length;
        }
        /* of a Poisson distribution the variance is the mean */
        const double variance = squares / buckets - (double)(chain * chain);
        assert_true(variance > 0.8 * (double)chain && variance < 1.2 * (double)chain);
        free(memory);
    }
}

static void the_table_fills_its_memory_and_no_more(void **state)
{
    static const uint64_t sizes[] = {72, 100, 200, 1000, 4096, SIZE_BYTES};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        for (size_t chain = 1; chain <= 16; chain *= 2) {
            unsigned char *const memory = aligned_alloc(64, (sizes[i] + 127) / 64 * 64);
            struct weft_hash_table table;

            assert_non_null(memory);
            memory[sizes[i]] = 0xa5;
            assert_int_equal(weft_hash_table_build(&table, memory, sizes[i], chain, 1, NULL, NULL),
                             WEFT_OK);
            assert_int_equal(memory[sizes[i]], 0xa5);
            assert_true(64 * table.entries + 8 * table.bucket_count <= sizes[i]);
            assert_true(64 * table.entries + 8 * table.bucket_count + 64 * chain + 8 > sizes[i]);
            free(memory);
        }
}

static void queries_use_every_number_once_and_one_in_nine_is_missing(void **state)
{
    void *memory;
    const struct weft_hash_table table = build(2, 3, &memory);
    bool *const seen = calloc(table.queries, sizeof(*seen));
    uint64_t missing = 0;

    (void)state;
    assert_non_null(seen);
    for (uint64_t lookup = 0; lookup < table.queries; ++lookup) {
        const uint64_t number = weft_hash_number(&table, lookup);

        assert_false(seen[number]);
        seen[number] = true;
        missing += weft_hash_expected(&table, number) == WEFT_HASH_MISSING;
    }
    assert_true(missing == table.queries - table.entries);
    assert_true(missing == (table.queries + 8) / 9);
    free(seen);
    free(memory);
}

static bool stop_at_once(const double share, void *const argument)
{
    (void)share, (void)argument;
    return false;
}

static void what_cannot_be_built_is_refused(void **state)
{
    static _Alignas(64) unsigned char memory[128];
    struct weft_hash_table table;

    (void)state;
    assert_int_equal(weft_hash_table_build(&table, memory, 71, 1, 1, NULL, NULL), WEFT_E_INVALID);
    assert_int_equal(weft_hash_table_build(&table, memory, 128, 0, 1, NULL, NULL), WEFT_E_INVALID);
    assert_int_equal(weft_hash_table_build(&table, memory, 128, SIZE_MAX, 1, NULL, NULL),
                     WEFT_E_INVALID);
    assert_int_equal(weft_hash_table_build(&table, memory, 128, 1, 1, stop_at_once, NULL),
                     WEFT_E_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_lies_once_in_the_bucket_of_its_key),
        cmocka_unit_test(chains_have_the_mean_and_the_spread_of_random_keys),
        cmocka_unit_test(the_table_fills_its_memory_and_no_more),
        cmocka_unit_test(queries_use_every_number_once_and_one_in_nine_is_missing),
        cmocka_unit_test(what_cannot_be_built_is_refused),
    };

    return cmocka_run_group_tests_name("hash_table", tests, NULL, NULL);
}
