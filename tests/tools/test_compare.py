# SPDX-License-Identifier: MIT
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import made_up
from weft import compare

NAME = made_up.chase("amac", "8MiB", hint="t0", group=8)


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

    def test_what_is_no_run_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            good = made_up.write_run(Path(folder) / "good.json", [made_up.lookup(NAME, 1.0)])
            for text in ("", "{}", '{"benchmarks": 3}', '{"benchmarks": [{"name": "BM_x"}]}'):
                bad = Path(folder) / "bad.json"
                bad.write_text(text, encoding="utf-8")
                result = run(str(good), str(bad))
                self.assertEqual(result.returncode, 2)
                self.assertIn("bad.json", result.stderr)
                self.assertNotIn("Traceback", result.stderr)
            self.assertIn("directory", run(str(good), folder).stderr)

    def test_runs_without_a_common_cell_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            paths = [
                str(made_up.write_run(Path(folder) / f"{size}.json", [made_up.lookup(name, 1.0)]))
                for size in ("8MiB", "9MiB")
                for name in (made_up.chase("amac", size, hint="t0", group=8),)
            ]
            result = run(*paths)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no cell in common", result.stderr)


if __name__ == "__main__":
    made_up.main()
