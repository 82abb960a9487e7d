# SPDX-License-Identifier: MIT
"""Google Benchmark's compare.py on two runs: finds it, and a Python that has what it imports."""

import os
import shutil
import subprocess
import sys
from typing import Iterator, List, Optional, Sequence, Tuple

from weft.results import BadRun, load_run

USAGE = """usage: tools/compare [option...] OLD.json NEW.json

Runs Google Benchmark's compare.py on two runs of weft-bench. Cells of the same name are
compared by their times; with 9 repetitions or more (--benchmark_repetitions=9) a U test says
whether a difference is more than noise. Options go to compare.py, as --alpha=0.01, -a (only
aggregates), --no-utest, --no-color.
"""

_PLACES = (
    "/usr/share/benchmark/compare.py",
    "/usr/share/googlebenchmark/tools/compare.py",
    "/usr/local/share/googlebenchmark/tools/compare.py",
    "/opt/homebrew/share/googlebenchmark/tools/compare.py",
)


class NotHere(Exception):
    """Something that the comparison needs is not on this machine."""


def _in_path(name: str) -> Iterator[str]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(name, path=folder) if folder else None
        if found:
            yield found


def find_tool() -> Optional[str]:
    candidates = [*_in_path("compare.py"), *_PLACES]
    return next((path for path in candidates if os.path.isfile(path)), None)


def find_python() -> Optional[str]:
    """The first Python that imports numpy and scipy: the one of the PATH may have neither."""
    candidates = dict.fromkeys([sys.executable, *_in_path("python3"), "/usr/bin/python3"])
    for python in candidates:
        if not python or not os.path.exists(python):
            continue
        probe = [python, "-c", "import numpy, scipy"]
        if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def find() -> Tuple[str, str]:
    """The Python and the program; NotHere says what is missing."""
    tool = find_tool()
    if tool is None:
        raise NotHere("Google Benchmark's compare.py was not found (Debian: libbenchmark-tools)")
    python = find_python()
    if python is None:
        raise NotHere(
            "no python3 here imports numpy and scipy (Debian: python3-numpy python3-scipy)"
        )
    return python, tool


def command(arguments: Sequence[str]) -> List[str]:
    """compare.py wants its own options before the mode, and the files after it."""
    options = [text for text in arguments if text.startswith("-")]
    files = [text for text in arguments if not text.startswith("-")]
    return [*options, "benchmarks", *files]


def main(arguments: Sequence[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print(USAGE, end="")
        return 0
    files = [text for text in arguments if not text.startswith("-")]
    check = list(arguments) == ["--check"]
    if len(files) != 2 and not check:
        print(USAGE, end="", file=sys.stderr)
        return 2
    try:
        runs = [load_run(path) for path in files]
        if runs and not set.intersection(*({cell.name for cell in run.cells} for run in runs)):
            raise BadRun(f"{files[0]} and {files[1]} have no cell in common")
        python, tool = find()
    except (BadRun, NotHere) as error:
        print(f"tools/compare: {error}", file=sys.stderr)
        return 2
    if check:
        return 0
    return subprocess.run([python, tool, *command(arguments)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
