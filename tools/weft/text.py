# SPDX-License-Identifier: MIT
"""Numbers and columns as text, the same in every table."""

from typing import Iterable, List, Optional, Sequence


def layout(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> List[str]:
    """Aligned lines: the first column to the left, numbers to the right."""
    lines = [list(headings), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return [
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    ]


def number(value: Optional[float]) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def percentage(value: Optional[float]) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"
