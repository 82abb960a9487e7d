# SPDX-License-Identifier: MIT
"""weft-bench's progress lines, and the tables that can be printed before the run has ended.

    [ 12/56] <name>  32.1 ns/lookup  0:45 left
    [ 13/56] <name>  ERROR: <message>  0:44 left
"""

import re
from typing import List, Optional, Set

from weft.names import parse_name
from weft.results import Cell
from weft.table import HOP, LOOKUP, tables

_LINE = re.compile(r"\[ *\d+/\d+\] (?P<name>\S+)  (?P<what>.*?)(?:  \S+ left)?")
_ERROR = re.compile(r"ERROR: (?P<message>.*)")
_FIGURE = re.compile(r"(?P<value>\S+) (?P<unit>\S+)")


def parse_line(line: str) -> Optional[Cell]:
    """The cell that a progress line reports, or None for any other line."""
    match = _LINE.fullmatch(line.rstrip())
    if not match:
        return None
    try:
        name = parse_name(match.group("name"))
        error = _ERROR.fullmatch(match.group("what"))
        if error:
            return Cell(name, error=error.group("message"))
        figure = _FIGURE.fullmatch(match.group("what"))
        if not figure:
            return None
        counters = {figure.group("unit"): float(figure.group("value"))}
        depth = name.get("depth")
        if LOOKUP in counters and depth is not None:
            counters[HOP] = counters[LOOKUP] / int(depth)
        return Cell(name, counters)
    except (ValueError, ZeroDivisionError):
        return None


class Progress:
    """Collects lookups and gives the table of a size as soon as the run has moved on to another.
    What other families measured is shown once, at the end.

    Cells are run by size. Where they are not (random interleaving) a size would come back, so
    that its first table would be of a part: `in_order` is False then and there are none."""

    def __init__(self, in_order: bool = True) -> None:
        self._in_order = in_order
        self._cells: List[Cell] = []
        self._shown: Set[Optional[str]] = set()

    def feed(self, line: str) -> Optional[str]:
        """The table to print before this line, if there is one."""
        cell = parse_line(line)
        if cell is None:
            return None
        table = None
        if self._cells and self._cells[-1].name.get("size") != cell.name.get("size"):
            table = self._table()
            self._cells = []
        self._cells.append(cell)
        return table

    def _table(self) -> Optional[str]:
        size = self._cells[-1].name.get("size")
        if not self._in_order or size is None or size in self._shown:
            return None
        lookups = [cell for cell in self._cells if cell.error or LOOKUP in cell.counters]
        if not any(LOOKUP in cell.counters for cell in lookups):
            return None
        self._shown.add(size)
        return tables(lookups, legend=False) or None
