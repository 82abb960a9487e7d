# SPDX-License-Identifier: MIT
"""Behaves like weft-bench towards tools/bench: progress lines, a JSON, signals, exit status.

The cells come in the order of made_up; --fake_wait makes it wait for a signal before the last.
"""

import signal
import sys
import time
from pathlib import Path
from typing import Dict, List

import made_up

CELLS: Dict[str, float] = {
    made_up.chase("serial", "8MiB"): 90.0,
    made_up.chase("scalar", "8MiB"): 60.0,
    made_up.chase("amac", "8MiB", hint="t0", group=8): 30.0,
    made_up.chase("serial", "512MiB"): 1800.0,
    made_up.chase("scalar", "512MiB"): 300.0,
}
signals: List[int] = []


def main(arguments: List[str]) -> int:
    flags = dict(argument.lstrip("-").split("=", 1) for argument in arguments)
    out = Path(flags["benchmark_out"])
    print("arguments:", *arguments, flush=True)
    if flags.get("weft_group") == "0":
        out.write_text("")
        print("--weft_group: 0 is too small", file=sys.stderr)
        return 2
    rows = []
    for number, (name, value) in enumerate(CELLS.items(), 1):
        if number == len(CELLS) and "fake_wait" in flags:
            print("waiting", flush=True)
            while not signals:
                time.sleep(0.01)
        if signals:
            rows.append(made_up.failed(name, "interrupted"))
            continue
        rows.append(made_up.lookup(name, value))
        print(f"[{number}/{len(CELLS)}] {name}  {value} ns/lookup  0:01 left", flush=True)
    if "fake_failure" in flags:
        rows[-1] = made_up.failed(rows[-1]["name"], "wrong result")
    # Long enough for a second signal to arrive, if there were one.
    time.sleep(0.2 if signals else 0)
    made_up.write_run(out, rows)
    print("signals:", *signals, flush=True)
    return 130 if signals else 1 if "fake_failure" in flags else 0


if __name__ == "__main__":
    for caught in (signal.SIGINT, signal.SIGTERM):
        signal.signal(caught, lambda number, _frame: signals.append(number))
    sys.exit(main(sys.argv[1:]))
