# SPDX-License-Identifier: MIT
"""Meson's testlog.json as outcomes, and their sum."""

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Iterable, List, Mapping

_TAIL_LINES = 30


class Verdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Outcome:
    name: str
    verdict: Verdict
    detail: str = ""  # a skip's reason, a failure's output


_VERDICTS = {"OK": Verdict.PASSED, "EXPECTEDFAIL": Verdict.PASSED, "SKIP": Verdict.SKIPPED}


def _lines(text: object) -> List[str]:
    return [line for line in str(text or "").splitlines() if line.strip()]


def _outcome(prefix: str, entry: Mapping[str, Any]) -> Outcome:
    name = f"{prefix}: {entry.get('name', 'unnamed')}"
    result = str(entry.get("result", "no result"))
    verdict = _VERDICTS.get(result, Verdict.FAILED)
    output = _lines(entry.get("stdout"))
    if verdict is Verdict.SKIPPED:
        # Exit status 77; the reason is the last line of stdout.
        return Outcome(name, verdict, output[-1].strip() if output else "no reason given")
    if verdict is Verdict.PASSED:
        return Outcome(name, verdict)
    what = f"{result}, exit status {entry.get('returncode')}"
    last = (output + _lines(entry.get("stderr")))[-_TAIL_LINES:]
    return Outcome(name, verdict, "\n".join([what, *last]))


def read_testlog(path: Path, prefix: str) -> List[Outcome]:
    """One outcome per line of the log; none where there is no log."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    return [_outcome(prefix, json.loads(line)) for line in text.splitlines() if line.strip()]


def count(outcomes: Iterable[Outcome], verdict: Verdict) -> int:
    return sum(outcome.verdict is verdict for outcome in outcomes)


def summary(outcomes: List[Outcome]) -> str:
    """N passed, N failed, N skipped"""
    return ", ".join(f"{count(outcomes, verdict)} {verdict.value}" for verdict in Verdict)


def report(outcomes: List[Outcome]) -> str:
    """Every skip with its reason, every failure with its output, and the sum as the last line."""
    parts = [
        f"SKIPPED {outcome.name}: {outcome.detail}"
        for outcome in outcomes
        if outcome.verdict is Verdict.SKIPPED
    ]
    for outcome in outcomes:
        if outcome.verdict is Verdict.FAILED:
            indented = outcome.detail.replace("\n", "\n    ")
            parts.append(f"FAILED {outcome.name}\n    {indented}")
    return "\n".join([*parts, summary(outcomes)])


def succeeded(outcomes: List[Outcome]) -> bool:
    """Nothing failed, and something ran."""
    return count(outcomes, Verdict.FAILED) == 0 and count(outcomes, Verdict.PASSED) > 0
