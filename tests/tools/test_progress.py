# SPDX-License-Identifier: MIT
import unittest

import made_up
from weft.progress import Progress, parse_line

AMAC = made_up.chase("amac", "8MiB", hint="t0", group=8)
LARGE = made_up.chase("serial", "512MiB")


class Lines(unittest.TestCase):
    def test_a_figure_is_read(self) -> None:
        cell = parse_line(f"[ 12/56] {AMAC}  32.1 ns/lookup  0:45 left\n")
        assert cell is not None
        self.assertEqual((cell.name.variant, cell.number("ns/lookup")), ("amac", 32.1))
        self.assertAlmostEqual(cell.number("ns/hop") or 0, 32.1 / 12)

    def test_bandwidth_is_read(self) -> None:
        name = "bandwidth/copy/size:1GiB/threads:1/manual_time"
        cell = parse_line(f"[1/2] {name}  22.4 GB/s  0:01 left")
        assert cell is not None
        self.assertEqual(cell.number("GB/s"), 22.4)

    def test_an_error_is_read_with_its_message(self) -> None:
        cell = parse_line(f"[ 13/56] {AMAC}  ERROR: too little memory: 1 of 2 GiB  0:44 left")
        assert cell is not None
        self.assertEqual(cell.error, "too little memory: 1 of 2 GiB")

    def test_other_lines_are_not_progress(self) -> None:
        unnamed = "[1/2] not-a-name  3 ns/lookup  0:01 left"
        for line in ("", "warning: load", unnamed, f"[1/2] {AMAC}"):
            with self.subTest(line=line):
                self.assertIsNone(parse_line(line))


class LiveTables(unittest.TestCase):
    def test_a_size_is_shown_when_the_next_one_starts(self) -> None:
        progress = Progress()
        self.assertIsNone(progress.feed(f"[1/3] {AMAC}  32.1 ns/lookup  0:45 left"))
        self.assertIsNone(progress.feed("a warning in between"))
        shown = progress.feed(f"[2/3] {LARGE}  1800 ns/lookup  0:40 left")
        assert shown is not None
        self.assertIn("32.1", shown)
        self.assertNotIn("512MiB", shown)

    def test_an_interleaved_order_has_no_table_of_a_part(self) -> None:
        progress = Progress(in_order=False)
        progress.feed(f"[1/3] {AMAC}  32.1 ns/lookup  0:45 left")
        self.assertIsNone(progress.feed(f"[2/3] {LARGE}  1800 ns/lookup  0:40 left"))


if __name__ == "__main__":
    made_up.main()
