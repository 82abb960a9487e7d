#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves in the disassembly what the names of the variants promise.

For each function of a table: how often each kind of prefetch stands in its machine code, that the
branch of a lookup is a conditional jump, and that it calls nothing through a pointer and switches
over nothing within its loops.

usage: check_asm.py OBJDUMP LIBRARY
"""

import re
import subprocess
import sys
from dataclasses import dataclass

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
# A jump that depends on the sign of a register, as weft_chain_turns() does, and the conditional
# move that it must not become.
SIGN_JUMP = {"x86-64": r"\bjn?s\s", "aarch64": r"\btbn?z\s+x\d+, #63,"}
SIGN_MOVE = {"x86-64": r"\bcmovn?s\w*\s", "aarch64": r"\bcs\w+\s.*\b(mi|pl|lt|ge)\b"}


@dataclass(frozen=True)
class Sites:
    """Where the source of a function prefetches and branches, once for each copy of its loop."""

    awaits: int  # where it awaits memory
    rests: int = 0  # where it prefetches the further lines of a node
    visits: int = 0  # where it reads a node, and may branch

    def prefetches(self) -> int:
        """Of each hint. Where a visit may branch there is a loop for nodes of one line and one for
        more, both with and without the branch; else there is one."""
        return 2 * (self.awaits + self.awaits + self.rests) if self.visits else self.awaits


# Each hint has its own copies. A technique over start/step awaits and visits in two places: where
# it starts a lookup or steps one, and in steps that are the last or are not; AMAC starts one in two
# places. The straight forms and the coroutine have one of each; the executor resumes in two places
# and awaits in one. A probe's straight form awaits its bucket and its nodes.
PREFETCHING = {
    "weft_chase_scalar_prefetch": Sites(1, 1, 1),
    "weft_chase_async_prefetch": Sites(1, 2, 1),
    "weft_chase_amac": Sites(2, 3, 2),
    "weft_chase_gp": Sites(2, 2, 2),
    "weft_chase_spp": Sites(2, 2, 2),
    "fiber_body_prefetch": Sites(1, 1, 1),
    "weft_probe_scalar_prefetch": Sites(2),
    "weft_probe_async_prefetch": Sites(1),
    "weft_probe_amac": Sites(2),
    "weft_probe_gp": Sites(2),
    "weft_probe_spp": Sites(2),
}
NOT_PREFETCHING = {
    "weft_chase_serial": Sites(0, 0, 1),
    "weft_chase_scalar": Sites(0, 0, 1),
    "weft_chase_async_no_prefetch": Sites(0, 0, 1),
    "fiber_body_no_prefetch": Sites(0, 0, 1),
    "weft_probe_scalar": Sites(0),
    "weft_probe_async_no_prefetch": Sites(0),
}
# A fiber's switch is a jump through a register; its rare cases are out of line.
SWITCHING = {"fiber_body_prefetch", "fiber_body_no_prefetch"}
# Outside the loops: the executor's set-up, its going on once it came back early, and a frame's move
# where it is not inlined.
ALLOWED_CALLS = {"weft_interleave_init", "weft_interleave_finish_", "weft_fiber_yield", "weft_fiber_yield_to", "memcpy"}


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


def count(pattern: str, code: list[str]) -> int:
    return sum(bool(re.search(pattern, line)) for line in code)


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


def check(name: str, code: list[str], sites: Sites, arch: str) -> list[str]:
    """What is wrong with one function."""
    faults = []
    if not code:
        return [f"{name}: not in the library"]
    expected = sites.prefetches()
    for hint, pattern in HINTS[arch].items():
        found = count(pattern, code)
        if found != expected:
            faults.append(f"{name}: {found} prefetches {hint}, expected {expected}")
    every = count(ANY_PREFETCH[arch], code)
    if every != expected * len(HINTS[arch]):
        faults.append(f"{name}: {every} prefetches in all, expected {expected * len(HINTS[arch])}")
    jumps = count(SIGN_JUMP[arch], code)
    branchy = 2 * sites.visits * (len(HINTS[arch]) if expected else 1)
    if jumps < branchy:
        faults.append(f"{name}: {jumps} jumps on a sign, expected {branchy}")
    if count(SIGN_MOVE[arch], code):
        faults.append(f"{name}: a conditional move on a sign")
    for line in switches_in_loops(code, arch) if name not in SWITCHING else []:
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
    expected = PREFETCHING | NOT_PREFETCHING
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
