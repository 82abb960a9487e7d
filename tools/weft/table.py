# SPDX-License-Identifier: MIT
"""Cells as text: one block per family, size and setting, with the best group of each variant."""

import argparse
import sys
from dataclasses import dataclass
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from weft.names import CaseName, format_name, size_bytes
from weft.results import BadRun, Cell, load_run
from weft.stream_table import FAMILY as STREAM
from weft.stream_table import stream_tables
from weft.text import layout, number, percentage

LOOKUP = "ns/lookup"
HOP = "ns/hop"
BASELINES = ("scalar", "serial")
# Of lookups, where they were measured: how much of the machine they used.
SHARES = ("mlp", "roofline")
# The figures of families that are not lookups, by family and variant; of others the first counter
# that is a quantity per something.
FIGURES = {
    ("limit", "latency"): ("ns/load",),
    ("limit", "random-read"): ("ns/line", "GB/s"),
    ("limit", "clock"): ("GHz", "GHz_by_adds"),
    ("limit", "prefetch-burst"): ("ns/line", "issue_ns", "loads_ns", "lines_in_flight"),
}
WIDTH = 100

_LEGEND = (
    "x scalar, x serial: how many times faster than that variant of the same block\n"
    "(scalar: a plain loop over independent lookups; serial: each lookup starts where\n"
    "the last one ended).\n"
    "mlp: lines effectively in flight, the serial latency over ns/hop; roofline: the share of\n"
    "what random reads give that need not wait for each other.\n"
    "cv: spread of the best group's cell over its repetitions, - for a single one."
)
_NAMES_SHOWN = 4

Pairs = Tuple[Tuple[str, str], ...]


def _texts(keys: Pairs) -> List[str]:
    return [f"{key} {value}" for key, value in keys]


@dataclass(frozen=True)
class Block:
    family: str
    setting: Pairs  # every key but the group

    def title(self) -> str:
        return "  ".join([self.family, *_texts(self.setting)])

    def order(self) -> int:
        """Blocks go by size; those of one size stay in the order of the run."""
        try:
            return size_bytes(dict(self.setting).get("size", "0B"))
        except ValueError:
            return 0


def _ratio(baseline: Optional[Cell], cell: Cell) -> Optional[float]:
    ours = cell.number(LOOKUP)
    theirs = baseline.number(LOOKUP) if baseline else None
    return theirs / ours if theirs is not None and ours else None


def _best(cells: Iterable[Cell]) -> Optional[Cell]:
    measured = [cell for cell in cells if cell.number(LOOKUP) is not None]
    return min(measured, key=lambda cell: cell.number(LOOKUP) or 0.0, default=None)


def _lookup_blocks(cells: Iterable[Cell]) -> Dict[Block, List[Cell]]:
    """Variants that take no hint (the baselines) belong to the block of every hint."""
    by_block: Dict[Block, List[Cell]] = {}
    for cell in cells:
        by_block.setdefault(Block(cell.name.family, cell.name.without("group")), []).append(cell)
    for block in list(by_block):
        if "hint" in dict(block.setting):
            continue
        takers = [
            other
            for other in by_block
            if other.family == block.family
            and other.setting != block.setting
            and tuple(pair for pair in other.setting if pair[0] != "hint") == block.setting
        ]
        for other in takers:
            by_block[other] = by_block[block] + by_block[other]
        if takers:
            del by_block[block]
    return dict(sorted(by_block.items(), key=lambda item: item[0].order()))


def _lookup_table(block: Block, cells: List[Cell], variants: Sequence[str]) -> List[str]:
    best = {
        variant: _best(cell for cell in cells if cell.name.variant == variant)
        for variant in variants
    }
    shares = [name for name in SHARES if any(name in cell.counters for cell in cells)]
    rows = [
        [
            variant,
            cell.name.get("group") or "-",
            number(cell.number(LOOKUP)),
            number(cell.number(HOP)),
            *(number(_ratio(best.get(baseline), cell)) for baseline in BASELINES),
            *(number(cell.number(share)) for share in shares),
            percentage(cell.cv(LOOKUP)),
        ]
        for variant, cell in best.items()
        if cell is not None
    ]
    speed_ups = [f"x {name}" for name in BASELINES]
    headings = ["variant", "best group", LOOKUP, HOP, *speed_ups, *shares, "cv"]
    return [block.title(), *("  " + line for line in layout(headings, rows))] if rows else []


def _figures(cell: Cell) -> Tuple[str, ...]:
    known = FIGURES.get((cell.name.family, cell.name.variant))
    return known or (next((name for name in cell.counters if "/" in name), "time_ns"),)


def _simple_tables(cells: Iterable[Cell]) -> List[List[str]]:
    groups: Dict[Tuple[str, Tuple[str, ...]], List[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.name.family, _figures(cell)), []).append(cell)
    tables = []
    for (family, figures), of_group in groups.items():
        rows = [
            [
                "  ".join([cell.name.variant, *_texts(cell.name.keys)]),
                *(
                    number(cell.time_ns if figure == "time_ns" else cell.number(figure))
                    for figure in figures
                ),
                percentage(cell.cv(figures[0])),
            ]
            for cell in of_group
        ]
        headings = ["ns/batch" if figure == "time_ns" else figure for figure in figures]
        tables.append([family, *("  " + line for line in layout(["case", *headings, "cv"], rows))])
    return tables


def _failures(cells: Iterable[Cell]) -> List[str]:
    by_reason: Dict[str, List[CaseName]] = {}
    for cell in cells:
        if cell.error is not None:
            by_reason.setdefault(cell.error, []).append(cell.name)
    lines = []
    for reason, names in by_reason.items():
        lines.append(f"without a result ({len(names)}): {reason}")
        lines.extend("  " + format_name(name) for name in names[:_NAMES_SHOWN])
        if len(names) > _NAMES_SHOWN:
            lines.append(f"  and {len(names) - _NAMES_SHOWN} more")
    return lines


def tables(cells: Sequence[Cell], legend: bool = True) -> str:
    """Every table of the cells, then what has no result and why."""
    measured = [cell for cell in cells if cell.counters or cell.time_ns is not None]
    lookups = [cell for cell in measured if LOOKUP in cell.counters]
    streams = [cell for cell in measured if cell.name.family == STREAM]
    others = [
        cell for cell in measured if LOOKUP not in cell.counters and cell.name.family != STREAM
    ]
    # The order of work is the run's; a baseline comes first in every block for that reason.
    variants = list(dict.fromkeys(cell.name.variant for cell in lookups))
    parts = [_lookup_table(block, of, variants) for block, of in _lookup_blocks(lookups).items()]
    if legend and any(parts):
        parts.append(_LEGEND.split("\n"))
    parts.extend(_simple_tables(others))
    parts.extend(stream_tables(streams))
    parts.append(_failures(cells))
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tools/table",
        description="Prints the tables of a run: variant x size, the best group of each variant, "
        "and the speed-up over both baselines.",
    )
    parser.add_argument("run", nargs="+", help="a JSON that weft-bench wrote (--benchmark_out)")
    options = parser.parse_args(arguments)
    for path in options.run:
        try:
            run = load_run(path)
        except BadRun as error:
            print(f"tools/table: {error}", file=sys.stderr)
            return 2
        if len(options.run) > 1:
            print(f"{path}:\n")
        print(tables(run.cells) or f"{path}: no cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
