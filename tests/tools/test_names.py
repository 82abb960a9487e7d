# SPDX-License-Identifier: MIT
import unittest

import made_up
from weft.names import CaseName, format_name, parse_name, size_bytes


class Names(unittest.TestCase):
    def test_every_family_survives_the_round_trip(self) -> None:
        for text in (
            "chase/async-prefetch/size:512MiB/depth:12/pages:thp/hint:t0/group:32/manual_time",
            "chase/serial/size:8MiB/depth:12/pages:4k/threads:2/manual_time",
            "bandwidth/triad_nt/size:1GiB/pages:thp/threads:1/manual_time",
            "limit/latency/manual_time",
        ):
            self.assertEqual(format_name(parse_name(text)), text)

    def test_the_parts_are_found(self) -> None:
        name = parse_name("chase/amac/size:8MiB/hint:nta/group:8/manual_time")
        self.assertEqual((name.family, name.variant), ("chase", "amac"))
        self.assertEqual(name.keys, (("size", "8MiB"), ("hint", "nta"), ("group", "8")))
        self.assertEqual(name.get("group"), "8")
        self.assertIsNone(name.get("threads"))
        self.assertEqual(name.without("group", "hint"), (("size", "8MiB"),))

    def test_a_structure_survives_the_round_trip(self) -> None:
        name = CaseName("search", "gp", (("size", "2GiB"), ("group", "1")))
        self.assertEqual(parse_name(format_name(name)), name)

    def test_what_is_not_a_name_is_refused(self) -> None:
        for text in (
            "",
            "chase",
            "chase/amac",
            "chase/manual_time",
            "chase/amac/size:8MiB",
            "chase/amac/size:8MiB/manual_time_median",
            "chase/amac/size/manual_time",
            "chase/amac/size:/manual_time",
            "chase/amac/:8MiB/manual_time",
            "chase/amac/size:8:9/manual_time",
            "chase/amac/size:0.5MiB/manual_time",
            "chase/amac/group:8/group:9/manual_time",
            "chase//size:8MiB/manual_time",
            "chase/a mac/size:8MiB/manual_time",
        ):
            with self.subTest(text=text), self.assertRaises(ValueError):
                parse_name(text)

    def test_sizes_are_bytes(self) -> None:
        self.assertEqual(size_bytes("64B"), 64)
        self.assertEqual(size_bytes("1KiB"), 1024)
        self.assertEqual(size_bytes("512MiB"), 512 << 20)
        self.assertEqual(size_bytes("4GiB"), 4 << 30)
        for text in ("", "8", "8MB", "4xLLC", "-1MiB"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                size_bytes(text)


if __name__ == "__main__":
    made_up.main()
