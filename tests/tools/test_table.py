# SPDX-License-Identifier: MIT
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from typing import List

import made_up
from weft import table
from weft.results import cells_of

ROWS = [
    *made_up.repeated(made_up.chase("serial", "512MiB"), [1800.0, 1800.0, 1800.0]),
    *made_up.repeated(made_up.chase("scalar", "512MiB"), [300.0, 303.0, 297.0]),
    *made_up.repeated(made_up.chase("amac", "512MiB", hint="t0", group=8), [200.0, 200.0, 200.0]),
    *made_up.repeated(made_up.chase("amac", "512MiB", hint="t0", group=32), [119.0, 120.0, 121.0]),
    made_up.lookup(made_up.chase("serial", "8MiB"), 90.0),
    made_up.failed(made_up.chase("scalar", "8MiB"), "pages not obtained"),
    made_up.lookup(made_up.chase("amac", "8MiB", hint="t0", group=8), 30.0),
]


def fields(text: str, first: str) -> List[List[str]]:
    return [line.split() for line in text.splitlines() if line.split()[:1] == [first]]


class Tables(unittest.TestCase):
    def test_blocks_go_by_size_and_show_the_best_group(self) -> None:
        text = table.tables(cells_of(ROWS))
        self.assertLess(text.index("size 8MiB"), text.index("size 512MiB"))
        small, large = fields(text, "amac")
        self.assertEqual(large, ["amac", "32", "120.0", "10.0", "2.50", "15.0", "0.8%"])
        self.assertEqual(small, ["amac", "8", "30.0", "2.50", "-", "3.00", "-"])

    def test_variants_without_a_group_have_a_dash(self) -> None:
        text = table.tables(cells_of(ROWS))
        self.assertEqual(fields(text, "scalar")[0][:3], ["scalar", "-", "300.0"])

    def test_speed_ups_name_their_baseline(self) -> None:
        lines = table.tables(cells_of(ROWS)).splitlines()
        heading = next(line for line in lines if "best group" in line)
        self.assertIn("x scalar", heading)
        self.assertIn("x serial", heading)

    def test_failed_cells_are_listed_with_their_reason(self) -> None:
        text = table.tables(cells_of(ROWS))
        self.assertIn("without a result (1): pages not obtained\n  chase/scalar/size:8MiB", text)

    def test_many_failures_of_one_reason_stay_short(self) -> None:
        names = [made_up.chase("gp", "8MiB", hint="t0", group=group) for group in range(1, 31)]
        text = table.tables(cells_of([made_up.failed(name, "interrupted") for name in names]))
        self.assertIn("without a result (30): interrupted", text)
        self.assertIn("and 26 more", text)
        self.assertLess(len(text.splitlines()), 8)

    def test_each_setting_has_its_block_with_the_baselines_in_it(self) -> None:
        rows = [
            made_up.lookup(made_up.chase("scalar", "8MiB"), 60.0),
            made_up.lookup(made_up.chase("amac", "8MiB", hint="t0", group=8), 30.0),
            made_up.lookup(made_up.chase("amac", "8MiB", hint="nta", group=8), 120.0),
            made_up.lookup(made_up.chase("scalar", "8MiB", threads=2), 90.0),
        ]
        text = table.tables(cells_of(rows))
        self.assertEqual([row[4] for row in fields(text, "amac")], ["2.00", "0.50"])
        self.assertEqual([row[2] for row in fields(text, "scalar")], ["60.0", "60.0", "90.0"])
        self.assertIn("threads 2", text)

    def test_another_family_of_lookups_has_the_same_table(self) -> None:
        rows = [made_up.lookup("search/gp/size:8MiB/hint:t0/group:4/manual_time", 40.0)]
        self.assertEqual(fields(table.tables(cells_of(rows)), "gp")[0][:3], ["gp", "4", "40.0"])

    def test_other_families_show_their_own_figure(self) -> None:
        name = "bandwidth/triad/size:1GiB/pages:thp/threads:2/manual_time"
        text = table.tables(cells_of([made_up.row(name, 1e6, **{"checksum": 1.0, "GB/s": 28.0})]))
        self.assertIn("GB/s", text)
        self.assertIn("28.0", fields(text, "triad")[0])

    def test_limits_show_their_figures_side_by_side(self) -> None:
        burst = {"issue_ns": 300.0, "latency_ns": 130.0, "lines_in_flight": 9.5, "ns/line": 12.5,
                 "loads_ns": 200.0}
        rows = [
            made_up.row("limit/clock/manual_time", 1e6, **{"GHz": 3.0, "GHz_by_adds": 3.1}),
            made_up.row("limit/prefetch-burst/n:32/manual_time", 1e6, **burst),
            made_up.row("limit/random-read/size:1GiB/pages:thp/hint:t0/distance:32/manual_time",
                        1e6, **{"GB/s": 5.0, "ns/line": 12.8}),
        ]
        text = table.tables(cells_of(rows))
        self.assertEqual(fields(text, "clock")[0][1:], ["3.00", "3.10", "-"])
        self.assertEqual(fields(text, "prefetch-burst")[0][3:], ["12.5", "300.0", "200.0", "9.50", "-"])
        self.assertEqual(fields(text, "random-read")[0][-3:], ["12.8", "5.00", "-"])

    def test_lookups_say_how_much_of_the_machine_they_used(self) -> None:
        name = made_up.chase("scalar", "8MiB")
        counters = {"ns/lookup": 120.0, "ns/hop": 10.0, "mlp": 15.0, "roofline": 0.9}
        text = table.tables(cells_of([made_up.row(name, 1.0, **counters)]))
        self.assertEqual(fields(text, "variant")[0][-3:], ["mlp", "roofline", "cv"])
        self.assertEqual(fields(text, "scalar")[0][-3:], ["15.0", "0.90", "-"])

    def test_a_missing_or_nan_counter_is_a_dash(self) -> None:
        name = made_up.chase("scalar", "8MiB")
        text = table.tables(cells_of([made_up.row(name, 1.0, **{"ns/lookup": 5.0})]))
        self.assertEqual(fields(text, "scalar")[0][3], "-")
        only_nan = cells_of([made_up.row(name, 1.0, **{"ns/lookup": float("nan")})])
        self.assertEqual(fields(table.tables(only_nan), "scalar"), [])

    def test_lines_are_aligned_and_fit_100_columns(self) -> None:
        keys = {"cpu": "0-1", "hint": "nta", "group": 128, "threads": 16}
        name = made_up.chase("cxx20-no-prefetch", "1536MiB", **keys)
        text = table.tables(cells_of([*ROWS, made_up.lookup(name, 123456.7)]))
        self.assertLessEqual(max(map(len, text.splitlines())), table.WIDTH)
        block = text.split("\n\n")[1].splitlines()[1:]
        self.assertEqual(len({len(line) for line in block}), 1)


class Program(unittest.TestCase):
    def run_main(self, *arguments: str) -> "tuple[int, str, str]":
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = table.main(arguments)
        return status, out.getvalue(), err.getvalue()

    def test_a_bad_file_is_status_2_and_named(self) -> None:
        status, out, err = self.run_main("/none/run.json")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("/none/run.json", err)

    def test_a_good_file_is_printed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = made_up.write_run(Path(folder) / "run.json", ROWS)
            status, out, _ = self.run_main(str(path))
        self.assertEqual(status, 0)
        self.assertIn("best group", out)


if __name__ == "__main__":
    made_up.main()
