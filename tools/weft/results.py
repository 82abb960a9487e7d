# SPDX-License-Identifier: MIT
"""A run's JSON as cells: one per case, whatever the number of its repetitions."""

import json
import math
import statistics
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from weft.names import CaseName, parse_name

INTERRUPTED = "interrupted"

# What Google Benchmark writes into a row itself; every other number is a counter.
_BUILT_IN = frozenset(
    "name family_index per_family_instance_index run_name run_type repetitions repetition_index "
    "threads aggregate_name aggregate_unit iterations real_time cpu_time time_unit label "
    "error_occurred error_message skipped skip_message".split()
)
_UNIT_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class BadRun(Exception):
    """The file is not a run's JSON; the text says why."""


@dataclass(frozen=True)
class Cell:
    name: CaseName
    counters: Mapping[str, float] = field(default_factory=dict)  # median over the repetitions
    spread: Mapping[str, float] = field(default_factory=dict)  # coefficient of variation
    time_ns: Optional[float] = None  # of one batch
    error: Optional[str] = None  # a cell with an error has no numbers, unless interrupted

    def number(self, counter: str) -> Optional[float]:
        """The counter, or None where it is missing or not a number."""
        return _finite(self.counters.get(counter))

    def cv(self, counter: str) -> Optional[float]:
        return _finite(self.spread.get(counter))


@dataclass(frozen=True)
class Run:
    context: Mapping[str, Any]
    cells: List[Cell]


def _finite(value: Optional[float]) -> Optional[float]:
    return value if value is not None and math.isfinite(value) else None


def _numbers(row: Mapping[str, Any]) -> Dict[str, float]:
    """The row's counters and, as time_ns, its time."""
    numbers = {
        key: float(value)
        for key, value in row.items()
        if key not in _BUILT_IN and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    time = row.get("real_time")
    if isinstance(time, (int, float)):
        # A cv row has a ratio here, in whatever unit it says.
        is_ratio = row.get("aggregate_unit") == "percentage" or row.get("aggregate_name") == "cv"
        unit_ns = 1.0 if is_ratio else _UNIT_NS.get(row.get("time_unit", "ns"), 1.0)
        numbers["time_ns"] = time * unit_ns
    return numbers


def _over(rows: List[Dict[str, float]], statistic: Any) -> Dict[str, float]:
    """A statistic of every number over the repetitions that have it."""
    columns: Dict[str, List[float]] = {}
    for row in rows:
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    return {key: statistic(values) for key, values in columns.items()}


def _cv(values: List[float]) -> float:
    mean = statistics.fmean(values)
    if len(values) < 2 or not math.isfinite(mean) or mean == 0:
        return math.nan
    return statistics.stdev(values) / mean


def _error(row: Mapping[str, Any]) -> Optional[str]:
    if row.get("error_occurred"):
        return str(row.get("error_message", "no reason given"))
    if row.get("skipped"):
        return str(row.get("skip_message", "skipped"))
    return None


def _cell(name: CaseName, rows: List[Mapping[str, Any]]) -> Cell:
    errors = [error for error in map(_error, rows) if error is not None]
    error = next((text for text in errors if text != INTERRUPTED), errors[0] if errors else None)
    if error not in (None, INTERRUPTED):
        return Cell(name, error=error)
    aggregates = {row["aggregate_name"]: row for row in rows if "aggregate_name" in row}
    measured = [
        _numbers(row) for row in rows if "aggregate_name" not in row and _error(row) is None
    ]
    # An interrupted run has repetitions without their aggregates.
    median = _numbers(aggregates["median"]) if "median" in aggregates else None
    numbers = _over(measured, statistics.median) if median is None else median
    spread = _numbers(aggregates["cv"]) if "cv" in aggregates else _over(measured, _cv)
    time_ns = numbers.pop("time_ns", None)
    return Cell(name, numbers, spread, time_ns, error)


def cells_of(rows: List[Mapping[str, Any]]) -> List[Cell]:
    """The cells in the order of their first row. Rows that are not weft's are left out."""
    by_name: Dict[CaseName, List[Mapping[str, Any]]] = {}
    for row in rows:
        try:
            name = parse_name(str(row.get("run_name", row.get("name", ""))))
        except ValueError:
            continue
        by_name.setdefault(name, []).append(row)
    return [_cell(name, of_name) for name, of_name in by_name.items()]


def load_run(path: str) -> Run:
    """Reads the file; BadRun says what is wrong with it."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise BadRun(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadRun(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("benchmarks"), list):
        raise BadRun(f"{path}: not a run of weft-bench (no list 'benchmarks')")
    rows = [row for row in content["benchmarks"] if isinstance(row, dict)]
    if content["benchmarks"] and not cells_of(rows):
        raise BadRun(f"{path}: not a run of weft-bench (no row has one of its names)")
    context = content.get("context")
    return Run(context if isinstance(context, dict) else {}, cells_of(rows))
