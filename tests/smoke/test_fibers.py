# SPDX-License-Identifier: MIT
"""The family `fiber` as weft-bench measures it."""

import unittest

import bench
from bench import SMALL, run, run_json

UNITS = {"call": "call", "step": "step", "switch": "switch", "thread-switch": "switch",
         "create": "create", "resume": "resume", "yield-to": "switch", "destroy": "destroy"}
NAMES = {
    "fiber/call/manual_time",
    "fiber/step/manual_time",
    *(f"fiber/switch/kind:{kind}/fpu:{fpu}/manual_time"
      for kind in ("inline", "outline") for fpu in ("shared", "private")),
    "fiber/thread-switch/manual_time",
    "fiber/create/kind:first/fpu:shared/fibers:10/manual_time",
    "fiber/create/kind:warm/fpu:shared/fibers:10/manual_time",
    "fiber/resume/kind:inline/fpu:shared/fibers:10/manual_time",
    "fiber/yield-to/kind:inline/fpu:shared/fibers:10/manual_time",
    "fiber/destroy/fpu:shared/fibers:10/manual_time",
}


class Fibers(unittest.TestCase):
    def test_every_rung_has_its_cells_and_counters(self):
        table = run_json(*SMALL, "--benchmark_filter=^fiber/")["benchmarks"]
        self.assertEqual({row["name"] for row in table}, NAMES)
        for row in table:
            unit = UNITS[row["name"].split("/")[1]]
            self.assertGreater(row["ns/" + unit], 0)
            self.assertAlmostEqual(row["items_per_second"] * row["ns/" + unit], 1e9, delta=1e5)
            self.assertEqual(row.get("control_bytes", 0) > 0, "fpu:" in row["name"])
            for counter in ("involuntary_switches", "cpu_share", "minor_faults"):
                self.assertIn(counter, row)

    def test_numbers_of_fibers_are_an_axis(self):
        names = run("--benchmark_list_tests", "--weft_fibers=1,70000",
                    "--benchmark_filter=fiber/destroy").stdout.split()
        self.assertEqual(names, ["fiber/destroy/fpu:shared/fibers:1/manual_time",
                                 "fiber/destroy/fpu:shared/fibers:70000/manual_time"])

    def test_more_fibers_than_memory_are_an_error_of_their_cells(self):
        with open("/proc/meminfo", encoding="utf-8") as file:
            if int(file.readline().split()[1]) > 30 << 20:
                self.skipTest("this machine has the memory for ten million stacks")
        data = run_json("--weft_fibers=10000000", "--benchmark_filter=fiber/resume", status=1)
        self.assertIn("MiB are available", data["benchmarks"][0]["error_message"])


if __name__ == "__main__":
    bench.main()
