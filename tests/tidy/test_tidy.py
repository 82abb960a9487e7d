#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The C core is clean under .clang-tidy.

usage: test_tidy.py CLANG_TIDY BUILD
"""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "src"


def sources(build: Path) -> list:
    """The core's C files that this build compiles."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {(build / command["file"]).resolve() for command in commands}
    return sorted(file for file in files if CORE in file.parents and file.suffix == ".c")


def complaints(clang_tidy: str, build: Path, source: Path) -> str:
    """What clang-tidy says of one file; empty when it is clean."""
    result = subprocess.run([clang_tidy, "-p", str(build), "--quiet", str(source)],
                            capture_output=True, text=True)
    return result.stdout + result.stderr if result.returncode else ""


def main() -> int:
    clang_tidy, build = sys.argv[1], Path(sys.argv[2])
    files = sources(build)
    if not files:
        print("no file of the core is compiled by this build")
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda file: complaints(clang_tidy, build, file), files))
    print("".join(said), f"{sum(map(bool, said))} of {len(files)} files are not clean", sep="")
    return 1 if any(said) else 0


if __name__ == "__main__":
    sys.exit(main())
