# SPDX-License-Identifier: MIT
"""Runs weft-bench for the smoke tests; the program is the first argument of each test file."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
COMMAND: list[str] = []  # the program, behind what emulates its processor if that is another one
# Enough to run every variant in a moment.
SMALL = ["--weft_size=64KiB", "--weft_group=1,3", "--weft_lookups=100", "--weft_pages=4k",
         "--weft_fibers=10", "--weft_stream_array=64KiB", "--benchmark_min_time=0.0001"]


def run(*arguments: str, timeout: float = 120, **options) -> subprocess.CompletedProcess:
    """Runs the program to its end."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=timeout,
                          **options)


def run_json(*arguments: str, status: int = 0) -> dict:
    """Runs the program and returns its JSON file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        result = run(*arguments, f"--benchmark_out={path}")
        assert result.returncode == status, f"status {result.returncode}: {result.stderr}"
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def main() -> None:
    """unittest.main() with the program's path taken out of the arguments."""
    global PROGRAM
    PROGRAM = sys.argv.pop(1)
    COMMAND[:] = [*os.environ.get("WEFT_BENCH_EMULATOR", "").split(), PROGRAM]
    unittest.main(module="__main__", verbosity=2)
