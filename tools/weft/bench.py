# SPDX-License-Identifier: MIT
"""tools/bench: build, run, show the table, keep the JSON."""

import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

from weft.build import ROOT, BuildFailed, build
from weft.progress import Progress
from weft.results import BadRun, load_run
from weft.table import tables

FOLDER = ROOT / "build-bench"
PROGRAM = FOLDER / "benchmarks" / "weft-bench"
OPTIONS = (
    "-Dbuildtype=release",
    "-Dnative=true",
    "-Dbenchmarks=enabled",
    "-Dtests=disabled",
)

# Put before the user's own, each unless the user gives it.
DEFAULTS = {
    "--weft_preset": "quick",
    "--weft_progress": "true",
}


def flag_value(arguments: Sequence[str], flag: str) -> Optional[str]:
    """The value that counts: the last one. A bare flag is `true`."""
    value = None
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if name == flag:
            value = text if equals else "true"
    return value


def results_path(host: str, now: time.struct_time) -> Path:
    """results/<host>-<time>/run.json, the time in UTC."""
    safe_host = re.sub(r"[^A-Za-z0-9_.-]+", "-", host).strip("-.") or "unknown"
    return Path("results") / (safe_host + time.strftime("-%Y%m%dT%H%M%SZ", now)) / "run.json"


def full_arguments(arguments: Sequence[str], out: Path) -> List[str]:
    defaults: Dict[str, str] = dict(DEFAULTS)
    if flag_value(arguments, "--benchmark_out") is None:
        defaults["--benchmark_out"] = str(out)
        defaults["--benchmark_out_format"] = "json"
    before = [
        f"{flag}={value}"
        for flag, value in defaults.items()
        if flag_value(arguments, flag) is None
    ]
    return before + list(arguments)


def run_program(command: Sequence[str], in_order: bool) -> int:
    """Runs weft-bench, shows what it prints with the tables between; its exit status.

    It gets a session of its own and each signal from here: from the terminal it would get a
    second one, which ends it at once instead of after it has closed its JSON."""
    early: List[int] = []
    forward: Callable[[int], None] = early.append
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: forward(number))
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        bufsize=1,
        start_new_session=True,
    )

    def send(number: int) -> None:
        process.send_signal(signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)

    forward = send
    for number in early:
        send(number)
    progress = Progress(in_order)
    assert process.stdout is not None
    for line in process.stdout:
        table = progress.feed(line)
        try:
            print(line if table is None else f"\n{table}\n\n{line}", end="", flush=True)
        except BrokenPipeError:
            process.terminate()
            break
    process.stdout.close()
    status = process.wait()
    return status if status >= 0 else 128 - status


def show(out: Path) -> None:
    """The tables of the run and where it is; silent where there is none."""
    if not out.exists() or out.stat().st_size == 0:
        return
    try:
        text = tables(load_run(str(out)).cells)
    except BadRun as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        return
    if text:
        print(f"\n{text}\n\nwritten to {os.path.relpath(out)}")


def drop_if_empty(out: Path) -> None:
    if out.exists() and out.stat().st_size == 0:
        out.unlink()
    try:
        out.parent.rmdir()
    except OSError:
        pass


def main(arguments: Sequence[str]) -> int:
    print(f"building {os.path.relpath(PROGRAM)}", flush=True)
    try:
        build(FOLDER, OPTIONS, {})
    except BuildFailed as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    own_out = flag_value(arguments, "--benchmark_out")
    if own_out is None:
        out = ROOT / results_path(platform.node(), time.gmtime())
        out.parent.mkdir(parents=True, exist_ok=True)
    else:
        out = Path(own_out)
    random = flag_value(arguments, "--benchmark_enable_random_interleaving")
    command = [str(PROGRAM), *full_arguments(arguments, out)]
    status = run_program(command, in_order=random in (None, "false", "0"))
    show(out)
    if own_out is None:
        drop_if_empty(out)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
