#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves in the disassembly what the names of the variants promise.

For each function of a table: how often each kind of prefetch stands in its machine code, and that
it calls nothing through a pointer and switches over nothing within its loops.

usage: check_asm.py OBJDUMP LIBRARY
"""

import re
import subprocess
import sys
from collections import Counter

# Hint -> instruction, by architecture.
HINTS = {
    "x86-64": {
        "t0": r"prefetcht0\b",
        "t1": r"prefetcht1\b",
        "t2": r"prefetcht2\b",
        "nta": r"prefetchnta\b",
    },
    "aarch64": {
        "t0": r"prfu?m\s+pldl1keep\b",
        "t1": r"prfu?m\s+pldl2keep\b",
        "t2": r"prfu?m\s+pldl3keep\b",
        "nta": r"prfu?m\s+pldl1strm\b",
    },
}
ANY_PREFETCH = {"x86-64": r"prefetch\w+", "aarch64": r"prfu?m\b"}
INDIRECT_CALL = {"x86-64": r"\bcallq?\s+\*|\b(?:jmp|call)q?\s+\S*__x86_indirect", "aarch64": r"\bblra?\w*\s"}
CALL = {"x86-64": r"\bcallq?\s.*<(\S+)>", "aarch64": r"\bbl\s.*<(\S+)>"}
INDIRECT_JUMP = {"x86-64": r"\bjmpq?\s+\*", "aarch64": r"\bbra?\w*\s+x\d+"}
# An instruction's address, and where it jumps to if it does.
JUMP = {
    "x86-64": r"\s*([0-9a-f]+):\tj\w+\s+([0-9a-f]+) <",
    "aarch64": r"\s*([0-9a-f]+):\t(?:b|b\.\w+|cbn?z|tbn?z)\s(?:.*,\s*)?([0-9a-f]+) <",
}

# Function -> sites at which it awaits memory. A technique over start/step has two: where it starts
# a lookup and where it steps one; the straight forms and the coroutine have one. Each of the four
# hints has its own copy of the loop, so each site stands once for each.
PREFETCHING = {
    "weft_chase_scalar_prefetch": 1,
    "weft_chase_async_prefetch": 1,
    "weft_chase_amac": 2,
    "weft_chase_gp": 2,
    "weft_chase_spp": 2,
}
NOT_PREFETCHING = [
    "weft_chase_serial",
    "weft_chase_scalar",
    "weft_chase_async_no_prefetch",
]
# Outside the loops: the executor's set-up, its going on once it came back early, and a frame's move
# where it is not inlined.
ALLOWED_CALLS = {"weft_interleave_init", "weft_interleave_finish_", "memcpy"}


def functions(objdump: str, library: str) -> dict[str, list[str]]:
    """The instructions of each function of the library."""
    text = subprocess.run(
        [objdump, "-dr", "--no-show-raw-insn", "-w", library], check=True, capture_output=True, text=True
    ).stdout
    result: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        if head:
            name = re.sub(r"\.(part|cold|constprop|isra)[.\d]*$", "", head.group(1))
            current = result.setdefault(name, [])
        elif re.match(r"\s*[0-9a-f]+:\t", line):
            current.append(line)
    return result


def architecture(objdump: str, library: str) -> str:
    text = subprocess.run([objdump, "-f", library], check=True, capture_output=True, text=True).stdout
    return "aarch64" if "aarch64" in text else "x86-64"


def switches_in_loops(code: list[str], arch: str) -> list[str]:
    """Jumps through a table that a later jump leads back over: a hint's switch belongs outside."""
    jumps = [match for line in code if (match := re.match(JUMP[arch], line))]
    back = [(int(jump.group(2), 16), int(jump.group(1), 16)) for jump in jumps]
    return [
        line
        for line in code
        if re.search(INDIRECT_JUMP[arch], line)
        and any(to <= int(line.split(":")[0], 16) < at for to, at in back)
    ]


def check(name: str, code: list[str], sites: int, arch: str) -> list[str]:
    """What is wrong with one function."""
    faults = []
    if not code:
        return [f"{name}: not in the library"]
    found = Counter(
        hint for line in code for hint, pattern in HINTS[arch].items() if re.search(pattern, line)
    )
    every = sum(bool(re.search(ANY_PREFETCH[arch], line)) for line in code)
    for hint in HINTS[arch]:
        if found[hint] != sites:
            faults.append(f"{name}: {found[hint]} prefetches {hint}, expected {sites}")
    if every != sites * len(HINTS[arch]):
        faults.append(f"{name}: {every} prefetches in all, expected {sites * len(HINTS[arch])}")
    for line in switches_in_loops(code, arch):
        faults.append(f"{name}: a switch within a loop: {line.strip()}")
    for line in code:
        if re.search(INDIRECT_CALL[arch], line):
            faults.append(f"{name}: indirect call: {line.strip()}")
        call = re.search(CALL[arch], line)
        target = call and (re.search(r"R_\w+\s+(\w+)", line) or call).group(1)
        if target and target not in ALLOWED_CALLS and not target.startswith(name):
            faults.append(f"{name}: calls {target}: {line.strip()}")
    return faults


def main() -> int:
    objdump, library = sys.argv[1:]
    arch = architecture(objdump, library)
    code = functions(objdump, library)
    expected = PREFETCHING | {name: 0 for name in NOT_PREFETCHING}
    faults = [
        fault
        for name, sites in expected.items()
        for fault in check(name, code.get(name, []), sites, arch)
    ]
    for fault in faults:
        print(fault)
    print(f"{len(expected)} functions of {library} ({arch}): {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
