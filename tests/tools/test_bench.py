# SPDX-License-Identifier: MIT
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import List

import made_up
from weft import bench

HERE = Path(__file__).resolve().parent

# tools/bench with the fake in place of what it would build, and a folder of its own.
DRIVER = """
import sys
from pathlib import Path
from weft import bench
bench.ROOT = Path(sys.argv[1])
bench.PROGRAM = bench.ROOT / "weft-bench"
bench.build = lambda *_: None
sys.exit(bench.main(sys.argv[2:]))
"""


class Arguments(unittest.TestCase):
    OUT = Path("results/here/run.json")

    def test_defaults_come_before_the_users_own(self) -> None:
        full = bench.full_arguments(["--weft_depth=1"], self.OUT)
        self.assertEqual(
            full,
            [
                "--weft_preset=quick",
                "--weft_progress=true",
                f"--benchmark_out={self.OUT}",
                "--benchmark_out_format=json",
                "--weft_depth=1",
            ],
        )

    def test_the_users_own_win(self) -> None:
        own = ["--weft_preset=full", "--benchmark_out=mine.json"]
        full = bench.full_arguments(own, self.OUT)
        self.assertEqual(full, ["--weft_progress=true", *own])

    def test_the_last_value_of_a_flag_counts(self) -> None:
        self.assertEqual(bench.flag_value(["--a=1", "--b", "--a=2"], "--a"), "2")
        self.assertEqual(bench.flag_value(["--a=1", "--b"], "--b"), "true")
        self.assertIsNone(bench.flag_value(["--ab=1"], "--a"))

    def test_results_are_named_by_host_and_utc(self) -> None:
        at = time.gmtime(1_000_000_000)
        path = bench.results_path("big box.lan", at)
        self.assertEqual(path, Path("results/big-box.lan-20010909T014640Z/run.json"))
        self.assertEqual(bench.results_path("", at).parts[1], "unknown-20010909T014640Z")


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        program = self.root / "weft-bench"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE}/fake_weft_bench.py" "$@"\n')
        program.chmod(0o755)
        self.command: List[str] = [sys.executable, "-c", DRIVER, str(self.root)]

    def run_bench(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self.command, *arguments], capture_output=True, text=True, cwd=self.root, check=False
        )

    def results(self) -> List[Path]:
        return sorted(self.root.glob("results/*"))

    def test_a_run_ends_with_the_table_and_the_place_of_its_json(self) -> None:
        result = self.run_bench()
        self.assertEqual(result.returncode, 0, result.stderr)
        (folder,) = self.results()
        self.assertRegex(folder.name, r"-\d{8}T\d{6}Z$")
        last = result.stdout.splitlines()[-1]
        self.assertEqual(last, f"written to results/{folder.name}/run.json")
        self.assertIn("size 512MiB", result.stdout)

    def test_a_size_has_its_table_before_the_next_one_goes_on(self) -> None:
        lines = self.run_bench().stdout.splitlines()
        first_table = next(index for index, line in enumerate(lines) if "best group" in line)
        next_size = next(index for index, line in enumerate(lines) if line.startswith("[4/5]"))
        self.assertLess(first_table, next_size)

    def test_a_failed_cell_is_status_1_and_in_the_table(self) -> None:
        result = self.run_bench("--fake_failure=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("without a result (1): wrong result", result.stdout)

    def test_a_wrong_flag_is_status_2_and_leaves_no_folder(self) -> None:
        result = self.run_bench("--weft_group=0")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--weft_group: 0 is too small", result.stderr)
        self.assertEqual(self.results(), [])
        self.assertNotIn("written", result.stdout)

    def test_a_json_of_ones_own_is_kept_where_it_was_asked(self) -> None:
        result = self.run_bench("--benchmark_out=mine.json")
        self.assertTrue((self.root / "mine.json").exists())
        self.assertEqual(self.results(), [])
        self.assertEqual(result.stdout.splitlines()[-1], "written to mine.json")

    def interrupt(self, whole_group: bool, number: int) -> "tuple[int, str]":
        with subprocess.Popen(
            [*self.command, "--fake_wait=1"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.root,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            seen = ""
            for line in process.stdout:
                seen += line
                if line.startswith("waiting"):
                    break
            if whole_group:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            seen += process.stdout.read()
        return process.returncode, seen

    def test_an_interruption_reaches_it_once_and_keeps_what_was_measured(self) -> None:
        for whole_group in (True, False):
            with self.subTest(whole_group=whole_group):
                status, out = self.interrupt(whole_group, signal.SIGINT)
                self.assertEqual(status, 130)
                self.assertIn(f"signals: {int(signal.SIGINT)}\n", out)
                self.assertIn("without a result (1): interrupted", out)
                self.assertEqual(len(re.findall("size 8MiB", out)), 2)

    def test_a_termination_is_passed_on(self) -> None:
        status, out = self.interrupt(False, signal.SIGTERM)
        self.assertEqual(status, 130)
        self.assertIn(f"signals: {int(signal.SIGTERM)}\n", out)


if __name__ == "__main__":
    made_up.main()
