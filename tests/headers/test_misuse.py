#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the contract of weft/coro.h says must not compile does not; its correct neighbour does.

usage: test_misuse.py c|c++ SOURCE INCLUDE COMPILER [ARGUMENT...]
"""

import os
import subprocess
import sys
import unittest

LANGUAGE, SOURCE, INCLUDE, *COMPILER = sys.argv[1:]
STANDARD = {"c": "c17", "c++": "c++20"}[LANGUAGE]


def message_of(misuse: int) -> str:
    """What the compiler says; empty when it compiles."""
    command = [*COMPILER, "-x", LANGUAGE, f"-std={STANDARD}", "-fsyntax-only", "-I", INCLUDE,
               f"-DMISUSE={misuse}", SOURCE]
    result = subprocess.run(command, capture_output=True, text=True,
                            env={**os.environ, "LC_ALL": "C"})
    return result.stderr if result.returncode else ""


class Misuse(unittest.TestCase):
    def test_correct_use_compiles(self):
        self.assertEqual(message_of(0), "")

    def test_an_await_outside_does_not(self):
        self.assertIn("weft_coro_self_", message_of(1))

    def test_two_awaits_on_one_line_do_not(self):
        self.assertIn("duplicate case", message_of(2))

    @unittest.skipUnless(LANGUAGE == "c++", "C allows it and warns of the value")
    def test_an_initialised_local_across_an_await_does_not(self):
        self.assertRegex(message_of(3), "jump to case label|cannot jump from switch")

    def test_a_missing_end_does_not(self):
        self.assertRegex(message_of(4), "expected")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
