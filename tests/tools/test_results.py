# SPDX-License-Identifier: MIT
import math
import tempfile
import unittest
from pathlib import Path

import made_up
from weft.results import BadRun, cells_of, load_run

NAME = made_up.chase("amac", "8MiB", hint="t0", group=8)


class Cells(unittest.TestCase):
    def test_repetitions_give_the_median_and_its_spread(self) -> None:
        (cell,) = cells_of(made_up.repeated(NAME, [10.0, 30.0, 11.0]))
        self.assertEqual(cell.number("ns/lookup"), 11.0)
        self.assertEqual(cell.time_ns, 11000.0)
        self.assertAlmostEqual(cell.cv("ns/lookup") or 0, 0.6627, places=3)

    def test_the_median_row_wins_over_the_repetitions(self) -> None:
        rows = made_up.repeated(NAME, [10.0, 11.0, 12.0])
        for row in rows:
            if row.get("aggregate_name") == "median":
                row["ns/lookup"] = 99.0
        (cell,) = cells_of(rows)
        self.assertEqual(cell.number("ns/lookup"), 99.0)

    def test_one_repetition_is_its_own_row_without_a_spread(self) -> None:
        (cell,) = cells_of([made_up.lookup(NAME, 12.0)])
        self.assertEqual(cell.number("ns/lookup"), 12.0)
        self.assertIsNone(cell.cv("ns/lookup"))

    def test_repetitions_without_aggregates_are_summed_up_here(self) -> None:
        (cell,) = cells_of([made_up.lookup(NAME, value) for value in (10.0, 20.0, 60.0)])
        self.assertEqual(cell.number("ns/lookup"), 20.0)
        self.assertIsNotNone(cell.cv("ns/lookup"))

    def test_a_failed_cell_has_its_reason_and_no_number(self) -> None:
        rows = [made_up.lookup(NAME, 10.0), made_up.failed(NAME, "wrong result")]
        (cell,) = cells_of(rows)
        self.assertEqual(cell.error, "wrong result")
        self.assertIsNone(cell.number("ns/lookup"))

    def test_an_interrupted_cell_keeps_what_it_measured(self) -> None:
        rows = [made_up.lookup(NAME, 10.0), made_up.failed(NAME, "interrupted")]
        (cell,) = cells_of(rows)
        self.assertEqual((cell.error, cell.number("ns/lookup")), ("interrupted", 10.0))

    def test_a_wrong_result_is_not_hidden_by_an_interruption(self) -> None:
        rows = [made_up.failed(NAME, "interrupted"), made_up.failed(NAME, "wrong result")]
        self.assertEqual(cells_of(rows)[0].error, "wrong result")

    def test_times_are_nanoseconds_whatever_their_unit(self) -> None:
        row = {**made_up.lookup(NAME, 1.0), "real_time": 2.5, "time_unit": "ms"}
        self.assertEqual(cells_of([row])[0].time_ns, 2.5e6)

    def test_nan_is_a_missing_number(self) -> None:
        (cell,) = cells_of([made_up.row(NAME, 1.0, **{"ns/lookup": math.nan})])
        self.assertIsNone(cell.number("ns/lookup"))

    def test_rows_of_other_programs_are_left_out(self) -> None:
        self.assertEqual(cells_of([made_up.row("BM_other/8", 1.0)]), [])


class Files(unittest.TestCase):
    def test_a_file_with_nan_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = made_up.write_run(
                Path(folder) / "run.json",
                [made_up.row(NAME, 1.0, **{"ns/lookup": math.nan})],
                {"weft_seed": "1"},
            )
            run = load_run(str(path))
        self.assertEqual(run.context["weft_seed"], "1")
        self.assertEqual(len(run.cells), 1)

    def test_bad_files_are_named_with_their_fault(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            for content in ("", "{", "[]", '{"benchmarks": 1}'):
                path.write_text(content)
                with self.subTest(content=content), self.assertRaisesRegex(BadRun, "run.json"):
                    load_run(str(path))
            with self.assertRaisesRegex(BadRun, "none.json"):
                load_run(str(Path(folder) / "none.json"))


if __name__ == "__main__":
    made_up.main()
