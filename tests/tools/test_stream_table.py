# SPDX-License-Identifier: MIT
import unittest
from typing import List

import made_up
from weft import table
from weft.results import cells_of


def stream(kernel: str, store: str, threads: int, gbs: float, level: float = 0, **keys: object):
    """A row of bandwidth; `keys` are slice, which stands after the array, and passed."""
    slices = f"/slice:{keys['slice']}" if "slice" in keys else ""
    passed = f"/pass:{keys['passed']}" if "passed" in keys else ""
    name = (
        f"stream/{kernel}/store:{store}/array:512MiB{slices}/threads:{threads}/pages:thp{passed}"
        "/manual_time"
    )
    figures = {"GB/s": gbs, "GB/s_best": gbs + 1, "cv": 0.05, "scaling": threads * 0.9}
    return made_up.row(name, 1e6, **figures, cache_level=level)


def loaded(rate: int, gbs: float, latency: float):
    name = f"stream/loaded-latency/rate:{rate}/size:512MiB/threads:2/pages:thp/manual_time"
    return made_up.row(name, 1e6, **{"load_gbs": gbs, "ns/hop": latency})


ROWS = [
    stream("copy", "plain", 1, 13.0),
    stream("copy", "nt", 1, 19.0),
    stream("triad", "plain", 1, 14.0),
    stream("triad", "nt", 1, 21.0),
    stream("triad", "plain", 2, 28.0),
    stream("triad", "nt", 2, 43.0),
    stream("copy", "plain", 1, 60.0, 2, slice="64KiB"),
    stream("triad", "plain", 1, 87.0, 2, slice="64KiB"),
    stream("triad", "plain", 1, 43.0, 2, slice="64KiB", passed=2),
    loaded(100, 9.5, 180.0),
    loaded(0, 0.0, 95.0),
]
SWEEP = [
    stream("triad", "plain", 1, 200.0, 1, slice="4KiB"),
    stream("triad", "plain", 1, 40.0, 3, slice="8MiB"),
    stream("triad", "plain", 1, 15.0, 0, slice="128MiB"),
    stream("triad", "plain", 2, 390.0, 1, slice="4KiB"),
]


def fields(text: str, first: str) -> List[List[str]]:
    return [line.split() for line in text.splitlines() if line.split()[:1] == [first]]


class Kernels(unittest.TestCase):
    def test_both_stores_stand_beside_each_other_by_threads(self) -> None:
        rows = fields(table.tables(cells_of(ROWS)), "triad")
        self.assertEqual(rows[0][1:9], "1 14.0 15.0 0.90 21.0 22.0 0.90 5.0%".split())
        self.assertEqual(rows[1][1:8], "2 28.0 29.0 1.80 43.0 44.0 1.80".split())

    def test_each_working_set_has_its_table_and_level(self) -> None:
        text = table.tables(cells_of(ROWS))
        self.assertIn("array 512MiB  pages thp  slice 64KiB", text)
        self.assertEqual([row[-1] for row in fields(text, "copy")], ["memory", "L2"])

    def test_the_second_pass_is_no_row_of_its_own(self) -> None:
        self.assertEqual(len(fields(table.tables(cells_of(ROWS)), "triad")), 3)

    def test_an_unknown_level_is_a_dash(self) -> None:
        row = {key: value for key, value in ROWS[0].items() if key != "cache_level"}
        self.assertEqual(fields(table.tables(cells_of([row])), "copy")[0][-1], "-")


class Ratios(unittest.TestCase):
    def line(self, start: str, rows=ROWS) -> str:
        lines = [line.strip() for line in table.tables(cells_of(rows)).splitlines()]
        return next((line for line in lines if line.startswith(start)), "")

    def test_cache_is_compared_with_memory(self) -> None:
        line = self.line("best cache / best memory")
        self.assertIn(" 2.00  triad plain slice 64KiB threads 1 / triad nt threads 2", line)

    def test_the_best_of_all_threads_is_compared_with_the_best_of_one(self) -> None:
        self.assertIn(" 2.00  triad nt threads 2 / triad nt threads 1", self.line("2 threads / one"))

    def test_the_vendors_share_is_there_when_it_was_told(self) -> None:
        self.assertEqual(self.line("memory / vendor"), "")
        told = [*ROWS[1:], {**ROWS[0], "vendor_fraction": 0.43}]
        self.assertIn(" 0.43  copy plain threads 1", self.line("memory / vendor", told))

    def test_the_second_pass_shows_the_drift(self) -> None:
        self.assertIn(" 0.50 ", self.line("second pass / first (drift)"))

    def test_a_slice_is_never_memory(self) -> None:
        rows = [stream("copy", "plain", 1, 60.0, 0, slice="64KiB"), ROWS[0], ROWS[7]]
        self.assertIn("/ copy plain threads 1", self.line("best cache / best memory", rows))


class Steps(unittest.TestCase):
    def test_a_sweep_is_one_table_of_steps_by_size(self) -> None:
        text = table.tables(cells_of([*SWEEP, *ROWS]))
        steps = text[text.index("by slice") :].split("\n\n")[0].splitlines()[1:]
        firsts = [line.split()[0] for line in steps]
        self.assertEqual(firsts, ["slice", "4KiB", "64KiB", "8MiB", "128MiB", "whole"])
        self.assertEqual(steps[1].split(), ["4KiB", "L1", "200.0", "-", "390.0", "-"])
        self.assertNotIn("pages thp  slice 4KiB", text)

    def test_without_a_sweep_there_are_no_steps(self) -> None:
        self.assertNotIn("by slice", table.tables(cells_of(ROWS)))


class Loaded(unittest.TestCase):
    def test_the_curve_goes_by_rate(self) -> None:
        text = table.tables(cells_of(ROWS))
        self.assertEqual(fields(text, "100%")[0][:3], ["100%", "9.50", "180.0"])
        self.assertEqual(fields(text, "0%")[0][:3], ["0%", "0.00", "95.0"])

    def test_lines_fit_100_columns(self) -> None:
        text = table.tables(cells_of([*SWEEP, *ROWS]))
        self.assertLessEqual(max(map(len, text.splitlines())), table.WIDTH)


if __name__ == "__main__":
    made_up.main()
