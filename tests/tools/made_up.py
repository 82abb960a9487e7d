# SPDX-License-Identifier: MIT
"""Made-up rows as Google Benchmark writes them, for the tests of the tools.

Imported first, it makes the tools importable, here and in the programs that a test starts."""

import json
import os
import statistics
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
os.environ["PYTHONPATH"] = str(TOOLS)

Row = Dict[str, Any]


def chase(variant: str, size: str, **keys: object) -> str:
    rest = "".join(f"/{key}:{value}" for key, value in keys.items())
    return f"chase/{variant}/size:{size}/depth:12/pages:thp{rest}/manual_time"


def row(name: str, time_ns: float, **counters: float) -> Row:
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "repetition_index": 0,
        "threads": 1,
        "iterations": 10,
        "real_time": time_ns,
        "cpu_time": time_ns,
        "time_unit": "ns",
        **counters,
    }


def lookup(name: str, ns_per_lookup: float) -> Row:
    figures = {"ns/lookup": ns_per_lookup, "ns/hop": ns_per_lookup / 12}
    return row(name, ns_per_lookup * 1000, **figures, items_per_second=1e9 / ns_per_lookup)


def failed(name: str, reason: str) -> Row:
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": reason,
    }


def repeated(name: str, ns_per_lookup: Sequence[float]) -> List[Row]:
    """The repetitions and the aggregates that follow them."""
    rows = [lookup(name, value) for value in ns_per_lookup]
    median = statistics.median(ns_per_lookup)
    cv = statistics.stdev(ns_per_lookup) / statistics.fmean(ns_per_lookup)
    for kind, value in (("mean", statistics.fmean(ns_per_lookup)), ("median", median)):
        rows.append({**lookup(name, value), "aggregate_name": kind, "aggregate_unit": "time"})
    ratios = {"ns/lookup": cv, "ns/hop": cv, "items_per_second": cv}
    rows.append({**row(name, cv, **ratios), "aggregate_name": "cv", "aggregate_unit": "percentage"})
    for aggregate in rows[len(ns_per_lookup) :]:
        aggregate["run_type"] = "aggregate"
        aggregate["name"] = f"{name}_{aggregate['aggregate_name']}"
    return rows


def write_run(path: Path, rows: Sequence[Row], context: Optional[Row] = None) -> Path:
    path.write_text(json.dumps({"context": context or {}, "benchmarks": list(rows)}))
    return path


def main() -> None:
    """Runs the tests of the calling file; exit status 77 where every one was skipped."""
    result = unittest.main(exit=False, verbosity=2).result
    sys.stderr.flush()
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    if len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
