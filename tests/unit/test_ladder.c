/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <string.h>

#include "fiber/ladder.h"

static void every_rung_does_each_operation_of_a_batch(void **state)
{
    static const size_t counts[] = {1, 3, 1000};
    struct weft_team *team;

    (void)state;
    assert_int_equal(weft_team_create(&team, 1, NULL), WEFT_OK);
    for (size_t r = 0; r < weft_rung_count; ++r) {
        const struct weft_rung *const rung = &weft_rungs[r];

        for (size_t c = 0; c < (rung->takes_fibers ? 3 : 1); ++c) {
            struct weft_rung_cell cell;
            struct weft_measure measure;

            assert_int_equal(weft_rung_cell_init(&cell, rung, counts[c]), WEFT_OK);
            assert_true(cell.operations >= counts[c]);
            assert_int_equal(cell.operations % counts[c], 0);
            cell.operations = cell.operations > 3000 ? 3000 : cell.operations; /* 3 * 1000 */
            assert_int_equal(weft_measure_init(&measure, &weft_rung_measured, &cell, team),
                             WEFT_OK);
            for (int batch = 0; batch < 3; ++batch) {
                struct weft_span span;

                assert_int_equal(weft_measure_batch(&measure, &span), WEFT_OK);
                assert_int_equal(span.batch, batch);
                assert_int_equal(cell.done, cell.operations);
            }
            weft_measure_destroy(&measure);
            weft_rung_cell_destroy(&cell);
        }
    }
    weft_team_destroy(team);
}

static void run_half(struct weft_rung_cell *const cell)
{
    cell->done = cell->operations / 2;
}

static void an_operation_without_effect_fails_the_batch(void **state)
{
    const struct weft_rung rung = {.name = "half", .operations = 10, .run = run_half};
    struct weft_rung_cell cell;
    struct weft_measure measure;
    struct weft_team *team;

    (void)state;
    assert_int_equal(weft_team_create(&team, 1, NULL), WEFT_OK);
    assert_int_equal(weft_rung_cell_init(&cell, &rung, 1), WEFT_OK);
    assert_int_equal(weft_measure_init(&measure, &weft_rung_measured, &cell, team), WEFT_OK);
    assert_int_equal(weft_measure_batch(&measure, NULL), WEFT_E_MISMATCH);
    weft_measure_destroy(&measure);
    weft_rung_cell_destroy(&cell);
    weft_team_destroy(team);
}

static void a_hand_over_gives_every_turn(void **state)
{
    struct weft_hand_over *pair = NULL;

    (void)state;
    if (weft_hand_over_create(&pair) == WEFT_E_UNSUPPORTED)
        skip();
    assert_non_null(pair);
    assert_int_equal(weft_hand_over_run(pair, 0), 0);
    assert_int_equal(weft_hand_over_run(pair, 100), 100);
    assert_int_equal(weft_hand_over_run(pair, 1), 101);
    weft_hand_over_destroy(pair);
    weft_hand_over_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung_does_each_operation_of_a_batch),
        cmocka_unit_test(an_operation_without_effect_fails_the_batch),
        cmocka_unit_test(a_hand_over_gives_every_turn),
    };

    return cmocka_run_group_tests_name("ladder", tests, NULL, NULL);
}
