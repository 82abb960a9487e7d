# SPDX-License-Identifier: MIT
"""The tables of the bandwidth family: kernels by threads and working set, the steps of a sweep,
loaded latency, and the ratios that follow."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from weft.names import CaseName, size_bytes
from weft.results import Cell
from weft.text import layout, number, percentage

FAMILY = "stream"
LOADED = "loaded-latency"
MEDIAN = "GB/s"
BEST = "GB/s_best"
LEVEL = "cache_level"  # 0: memory
STORES = ("plain", "nt")
SWEEP_SLICES = 3  # of one kernel alone: fewer are no sweep

Pairs = Tuple[Tuple[str, str], ...]
Table = List[str]


def _title(what: str, keys: Pairs) -> str:
    return "  ".join([what, *(f"{key} {value}" for key, value in keys)])


def _indented(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return [title, *("  " + line for line in layout(headings, rows))]


def _level(cells: Iterable[Optional[Cell]]) -> str:
    levels = [cell.number(LEVEL) for cell in cells if cell]
    known = next((level for level in levels if level is not None), None)
    if known is None:
        return "-"
    return "memory" if known == 0 else f"L{int(known)}"


def _threads(name: CaseName) -> int:
    return int(name.get("threads") or 0)


def _setting(name: CaseName) -> Pairs:
    """What all cells of a working set's tables share."""
    return name.without("store", "slice", "threads", "pass")


def _value(cell: Optional[Cell], counter: str) -> Optional[float]:
    return cell.number(counter) if cell else None


def _grouped(cells: Iterable[Cell]) -> Dict[Pairs, List[Cell]]:
    groups: Dict[Pairs, List[Cell]] = {}
    for cell in cells:
        groups.setdefault(_setting(cell.name), []).append(cell)
    return groups


def _sweep_slices(cells: Sequence[Cell]) -> List[str]:
    """The slices of the sweep; none where only the working sets themselves were measured."""
    kernels: Dict[str, set] = {}
    for cell in cells:
        text = cell.name.get("slice")
        if text is not None:
            kernels.setdefault(text, set()).add(cell.name.variant)
    alone = [text for text, of in kernels.items() if len(of) == 1]
    return sorted(kernels, key=size_bytes) if len(alone) >= SWEEP_SLICES else []


def _kernel_table(setting: Pairs, text: Optional[str], cells: Sequence[Cell]) -> Table:
    by_row: Dict[Tuple[str, int], Dict[str, Cell]] = {}
    for cell in cells:
        row = by_row.setdefault((cell.name.variant, _threads(cell.name)), {})
        row[cell.name.get("store") or ""] = cell
    rows = []
    for (kernel, threads), of_row in by_row.items():
        pair = [of_row.get(store) for store in STORES]
        rows.append(
            [
                kernel,
                str(threads),
                *(number(_value(cell, name)) for cell in pair for name in (MEDIAN, BEST, "scaling")),
                *(percentage(_value(cell, "cv")) for cell in pair),
                _level(pair),
            ]
        )
    headings = ["kernel", "threads"]
    for store in STORES:
        headings += [f"{store} {MEDIAN}", "best", "x one"]
    headings += [*(f"cv {store}" for store in STORES), "level"]
    keys = setting if text is None else (*setting, ("slice", text))
    return _indented(_title(FAMILY, keys), headings, rows)


def _kernel_tables(setting: Pairs, cells: Sequence[Cell], sweep: Sequence[str]) -> List[Table]:
    by_slice: Dict[Optional[str], List[Cell]] = {}
    for cell in cells:
        by_slice.setdefault(cell.name.get("slice"), []).append(cell)
    return [
        _kernel_table(setting, text, of)
        for text, of in by_slice.items()
        if text not in sweep or len({cell.name.variant for cell in of}) > 1
    ]


def _step_tables(setting: Pairs, cells: Sequence[Cell], sweep: Sequence[str]) -> List[Table]:
    tables = []
    swept = {cell.name.variant for cell in cells if cell.name.get("slice") in sweep}
    counts: Dict[str, set] = {}
    for cell in cells:
        if cell.name.get("slice") in sweep:
            counts.setdefault(cell.name.variant, set()).add(cell.name.get("slice"))
    for kernel in sorted(swept):
        if len(counts[kernel]) < SWEEP_SLICES:
            continue
        by_step: Dict[Optional[str], Dict[Tuple[int, str], Cell]] = {}
        for cell in cells:
            if cell.name.variant == kernel:
                key = (_threads(cell.name), cell.name.get("store") or "")
                by_step.setdefault(cell.name.get("slice"), {})[key] = cell
        columns = sorted(
            {key for step in by_step.values() for key in step},
            key=lambda key: (key[0], STORES.index(key[1]) if key[1] in STORES else 9),
        )
        rows = [
            [
                text or "whole array",
                _level(by_step[text].values()),
                *(number(_value(by_step[text].get(column), MEDIAN)) for column in columns),
            ]
            for text in [*sweep, None]
            if text in by_step
        ]
        headings = ["slice", "level", *(f"{threads} {store}" for threads, store in columns)]
        title = _title(f"{FAMILY}/{kernel}  {MEDIAN} by slice, threads and store", setting)
        tables.append(_indented(title, headings, rows))
    return tables


def _best(cells: Iterable[Cell], counter: str = BEST) -> Optional[Cell]:
    measured = [cell for cell in cells if cell.number(counter) is not None]
    return max(measured, key=lambda cell: cell.number(counter) or 0.0, default=None)


def _which(cell: Cell) -> str:
    keys = (("store", ""), ("slice", "slice "), ("threads", "threads "))
    words = [prefix + str(cell.name.get(key)) for key, prefix in keys if cell.name.get(key)]
    return " ".join([cell.name.variant, *words])


def _ratio_row(what: str, above: Optional[Cell], below: Optional[Cell]) -> List[List[str]]:
    top, bottom = _value(above, BEST), _value(below, BEST)
    if not above or not below or top is None or not bottom:
        return []
    names = dict.fromkeys([_which(above), _which(below)])
    return [[what, number(top / bottom), " / ".join(names)]]


def _ratios(setting: Pairs, cells: Sequence[Cell]) -> List[Table]:
    first = [cell for cell in cells if cell.name.get("pass") is None]
    # Whole arrays alone: a slice is meant to lie in a cache, wherever it was found.
    whole = [cell for cell in first if cell.name.get("slice") is None]
    memory = [cell for cell in whole if cell.number(LEVEL) == 0]
    cache = [cell for cell in first if (cell.number(LEVEL) or 0) > 0]
    most = max((_threads(cell.name) for cell in memory), default=0)
    rows = _ratio_row("best cache / best memory", _best(cache), _best(memory))
    vendor = _best(memory, "vendor_fraction")
    if vendor:
        rows.append(["memory / vendor", number(vendor.number("vendor_fraction")), _which(vendor)])
    if most > 1:
        rows += _ratio_row(
            f"{most} threads / one, in memory",
            _best(cell for cell in memory if _threads(cell.name) == most),
            _best(cell for cell in memory if _threads(cell.name) == 1),
        )
    for again in (cell for cell in cells if cell.name.get("pass") is not None):
        before = [
            cell
            for cell in first
            if cell.name.variant == again.name.variant
            and cell.name.keys == again.name.without("pass")
        ]
        rows += _ratio_row("second pass / first (drift)", again, before[0] if before else None)
    if not rows:
        return []
    title = _title(f"{FAMILY} ratios", setting)
    figures = _indented(title, ["of the best GB/s", ""], [row[:2] for row in rows])
    return [[*figures[:2], *(f"{line}  {row[2]}" for line, row in zip(figures[2:], rows))]]


def _loaded_tables(cells: Iterable[Cell]) -> List[Table]:
    by_setting: Dict[Pairs, List[Cell]] = {}
    for cell in cells:
        by_setting.setdefault(cell.name.without("rate"), []).append(cell)
    tables = []
    for setting, of in by_setting.items():
        rows = [
            [
                f"{cell.name.get('rate')}%",
                number(cell.number("load_gbs")),
                number(cell.number("ns/hop")),
                percentage(cell.cv("ns/hop")),
            ]
            for cell in of
        ]
        title = _title(f"{FAMILY}/{LOADED}", setting)
        tables.append(_indented(title, ["rate", "load GB/s", "latency ns", "cv"], rows))
    return tables


def stream_tables(cells: Iterable[Cell]) -> List[Table]:
    """Every table of the family's measured cells, each a list of lines."""
    measured = list(cells)
    tables: List[Table] = []
    bandwidth = [cell for cell in measured if cell.name.variant != LOADED]
    for setting, of in _grouped(bandwidth).items():
        first = [cell for cell in of if cell.name.get("pass") is None]
        sweep = _sweep_slices(first)
        tables += _kernel_tables(setting, first, sweep)
        tables += _step_tables(setting, first, sweep)
        tables += _ratios(setting, of)
    return tables + _loaded_tables(cell for cell in measured if cell.name.variant == LOADED)
