/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/bijection.h"

static void assert_is_bijection(const uint64_t count, const uint64_t key)
{
    const struct weft_bijection bijection = weft_bijection_make(count, key);
    bool *const seen = calloc(count, sizeof(*seen));

    assert_non_null(seen);
    for (uint64_t value = 0; value < count; ++value) {
        const uint64_t image = weft_bijection_apply(&bijection, value);

        assert_true(image < count);
        assert_false(seen[image]);
        seen[image] = true;
        assert_true(weft_bijection_invert(&bijection, image) == value);
    }
    free(seen);
}

static void every_small_count_is_mapped_one_to_one(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 600; ++count)
        for (uint64_t key = 0; key < 3; ++key)
            assert_is_bijection(count, key);
}

static void counts_around_powers_of_two_are_mapped_one_to_one(void **state)
{
    (void)state;
    for (unsigned bits = 10; bits <= 17; ++bits)
        for (int64_t offset = -2; offset <= 2; ++offset)
            assert_is_bijection((UINT64_C(1) << bits) + (uint64_t)offset, bits);
}

static void large_counts_invert(void **state)
{
    static const uint64_t counts[] = {UINT64_C(1) << 32, (UINT64_C(1) << 33) + 1,
                                      (UINT64_C(1) << 40) - 87, UINT64_C(1) << 62};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        const struct weft_bijection bijection = weft_bijection_make(counts[i], i);

        for (uint64_t step = 0; step < 1000; ++step) {
            const uint64_t value = step * UINT64_C(0x9e3779b97f4a7c15) % counts[i];
            const uint64_t image = weft_bijection_apply(&bijection, value);

            assert_true(image < counts[i]);
            assert_true(weft_bijection_invert(&bijection, image) == value);
        }
    }
}

/* 64 bins of the distance between the images of neighbours, each expected to hold n / 64: the sum
 * of squared deviations is chi-square distributed with 63 degrees of freedom, below 130 in all but
 * one of a million cases. The values are fixed by the keys, so this cannot fail by chance. */
static void neighbours_land_at_random_distances(void **state)
{
    const uint64_t count = UINT64_C(1) << 16;

    (void)state;
    for (uint64_t key = 0; key < 20; ++key) {
        const struct weft_bijection bijection = weft_bijection_make(count, key);
        uint64_t bins[64] = {0};
        double chi_square = 0;

        for (uint64_t value = 1; value < count; ++value) {
            const uint64_t distance = (weft_bijection_apply(&bijection, value) -
                                       weft_bijection_apply(&bijection, value - 1)) %
                                      count;
            bins[distance * 64 / count]++;
        }
        for (size_t i = 0; i < 64; ++i) {
            const double deviation = (double)bins[i] - (double)count / 64;
            chi_square += deviation * deviation / ((double)count / 64);
        }
        assert_true(chi_square < 130);
    }
}

static void the_same_key_gives_the_same_order_everywhere(void **state)
{
    static const uint64_t expected[] = {279974, 519344, 709641, 593208,
                                        535172, 741604, 626384, 147436};
    const struct weft_bijection bijection = weft_bijection_make(1000003, 42);

    (void)state;
    for (uint64_t value = 0; value < sizeof(expected) / sizeof(expected[0]); ++value)
        assert_true(weft_bijection_apply(&bijection, value) == expected[value]);
}

static void different_keys_give_different_orders(void **state)
{
    const struct weft_bijection one = weft_bijection_make(1000, 1);
    const struct weft_bijection two = weft_bijection_make(1000, 2);
    unsigned equal = 0;

    (void)state;
    for (uint64_t value = 0; value < 1000; ++value)
        equal += weft_bijection_apply(&one, value) == weft_bijection_apply(&two, value);
    assert_true(equal < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_count_is_mapped_one_to_one),
        cmocka_unit_test(counts_around_powers_of_two_are_mapped_one_to_one),
        cmocka_unit_test(large_counts_invert),
        cmocka_unit_test(neighbours_land_at_random_distances),
        cmocka_unit_test(the_same_key_gives_the_same_order_everywhere),
        cmocka_unit_test(different_keys_give_different_orders),
    };

    return cmocka_run_group_tests_name("bijection", tests, NULL, NULL);
}
