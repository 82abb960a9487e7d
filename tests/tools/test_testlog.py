# SPDX-License-Identifier: MIT
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

import made_up
from weft.configurations import CONFIGURATIONS
from weft.testlog import Outcome, Verdict, read_testlog, report, succeeded, summary


def entry(name: str, result: str, stdout: str = "", status: int = 0) -> Dict[str, Any]:
    return {"name": name, "result": result, "stdout": stdout, "returncode": status}


def read(entries: List[Dict[str, Any]]) -> List[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "testlog.json"
        path.write_text("".join(json.dumps(line) + "\n" for line in entries))
        return read_testlog(path, "gcc")


class Sums(unittest.TestCase):
    def test_every_result_is_counted_once(self) -> None:
        outcomes = read(
            [
                entry("a", "OK"),
                entry("b", "EXPECTEDFAIL"),
                entry("c", "FAIL", "boom", 1),
                entry("d", "TIMEOUT"),
                entry("e", "ERROR"),
                entry("f", "UNEXPECTEDPASS"),
                entry("g", "INTERRUPT"),
                entry("h", "SKIP", "no huge pages here\n", 77),
            ]
        )
        self.assertEqual(summary(outcomes), "2 passed, 5 failed, 1 skipped")

    def test_a_skip_says_its_reason(self) -> None:
        outcomes = read([entry("h", "SKIP", "first line\nno huge pages here\n\n", 77)])
        self.assertIn("SKIPPED gcc: h: no huge pages here", report(outcomes))

    def test_a_skip_without_a_reason_says_so(self) -> None:
        self.assertIn("no reason given", report(read([entry("h", "SKIP")])))

    def test_a_failure_shows_the_end_of_its_output(self) -> None:
        output = "\n".join(f"line {number}" for number in range(100))
        text = report(read([entry("c", "FAIL", output, 3)]))
        self.assertIn("FAIL, exit status 3", text)
        self.assertIn("line 99", text)
        self.assertNotIn("line 9\n", text)

    def test_the_sum_is_the_last_line(self) -> None:
        outcomes = [Outcome("clang", Verdict.SKIPPED, "missing: clang"), *read([entry("a", "OK")])]
        self.assertEqual(report(outcomes).splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_a_failure_or_nothing_run_is_no_success(self) -> None:
        self.assertTrue(succeeded(read([entry("a", "OK"), entry("h", "SKIP")])))
        self.assertFalse(succeeded(read([entry("a", "OK"), entry("c", "FAIL")])))
        self.assertFalse(succeeded(read([entry("h", "SKIP")])))
        self.assertFalse(succeeded([]))

    def test_a_missing_log_is_no_outcome(self) -> None:
        self.assertEqual(read_testlog(Path("/none/testlog.json"), "gcc"), [])


class Table(unittest.TestCase):
    def test_names_are_unique_and_a_folder_has_one_setup(self) -> None:
        names = [row.name for row in CONFIGURATIONS]
        self.assertEqual(len(names), len(set(names)))
        setups: Dict[str, Any] = {}
        for row in CONFIGURATIONS:
            setup = (row.options, row.environment)
            self.assertEqual(setups.setdefault(row.folder, setup), setup, row.name)


if __name__ == "__main__":
    made_up.main()
