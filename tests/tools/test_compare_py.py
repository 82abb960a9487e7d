# SPDX-License-Identifier: MIT
"""Google Benchmark's compare.py itself on two of our files."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import made_up

NAME = made_up.chase("amac", "8MiB", hint="t0", group=8)
COMMAND = [sys.executable, "-m", "weft.compare"]


class Comparison(unittest.TestCase):
    def test_two_runs_are_compared_by_name(self) -> None:
        check = subprocess.run([*COMMAND, "--check"], capture_output=True, text=True, check=False)
        if check.returncode != 0:
            self.skipTest(check.stderr.strip())
        with tempfile.TemporaryDirectory() as folder:
            context = {"date": "2026-01-01", "num_cpus": 2, "caches": []}
            paths = [
                made_up.write_run(Path(folder) / name, [made_up.lookup(NAME, value)], context)
                for name, value in (("old.json", 40.0), ("new.json", 30.0))
            ]
            result = subprocess.run(
                [*COMMAND, "--no-color", *map(str, paths)],
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(NAME, result.stdout)
        self.assertIn("-0.2500", result.stdout)


if __name__ == "__main__":
    made_up.main()
