# SPDX-License-Identifier: MIT
import subprocess
import sys
import unittest

import made_up
from weft import compare


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "weft.compare", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Arguments(unittest.TestCase):
    def test_options_come_before_the_mode(self) -> None:
        self.assertEqual(
            compare.command(["a.json", "b.json", "--no-color"]),
            ["--no-color", "benchmarks", "a.json", "b.json"],
        )

    def test_one_file_is_refused(self) -> None:
        result = run("a.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("usage", result.stderr)

    def test_a_missing_file_is_named(self) -> None:
        result = run("/none/a.json", "/none/b.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/none/a.json", result.stderr)


if __name__ == "__main__":
    made_up.main()
