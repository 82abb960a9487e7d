#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves in the disassembly that the bandwidth kernels store as their names say.

Plain kernels are vectorised, store past no cache and call nothing: above a size of its own choice
the C library's memcpy() does not store plainly. Non-temporal kernels hold a loop of vector stores of
that kind, and on x86-64 end with a fence.

usage: check_stream.py OBJDUMP LIBRARY
"""

import re
import sys

from check_asm import architecture, functions

KERNELS = ("copy", "scale", "add", "triad")

# In AT&T syntax the destination is the last operand: a store ends in a memory operand.
PLAIN_STORE = {
    "x86-64": r"\tv?mov[au]p[sd]\s+%[xyz]mm\d+,[^%]*\(",
    "aarch64": r"\tst[pru]\w*\s+q\d+",
}
NT_STORE = {
    "x86-64": r"\tv?movntp[sd]\s+%[xyz]mm\d+,[^%]*\(",
    "aarch64": r"\tstnp\s+q\d+",
}
ANY_NT_STORE = {"x86-64": r"\tv?movnt", "aarch64": r"\tstnp\b"}
# On packed doubles.
VECTOR_ARITHMETIC = {
    "x86-64": r"\tv?(?:add|mul|fmadd\d+)pd\s",
    "aarch64": r"\tf(?:add|mul|mla)\s+v\d+\.2d",
}
CALL = {"x86-64": r"\t(?:call|jmp)\w*\s.*\b(mem(?:cpy|move|set))\b", "aarch64": r"\tbl?\s.*\b(mem\w+)\b"}
FENCE = r"\tsfence"


def holds(code: list[str], pattern: str) -> bool:
    return any(re.search(pattern, line) for line in code)


def check_plain(kernel: str, code: list[str], arch: str) -> list[str]:
    """What is wrong with a kernel of plain stores."""
    faults = []
    if not holds(code, PLAIN_STORE[arch]):
        faults.append("holds no plain vector store")
    if holds(code, ANY_NT_STORE[arch]):
        faults.append("holds a non-temporal store")
    if holds(code, CALL[arch]):
        faults.append("calls the C library")
    if kernel != "copy" and not holds(code, VECTOR_ARITHMETIC[arch]):
        faults.append("computes without vectors")
    return faults


def check_nt(kernel: str, code: list[str], arch: str) -> list[str]:
    """What is wrong with a kernel of non-temporal stores."""
    faults = []
    if not holds(code, NT_STORE[arch]):
        faults.append("holds no non-temporal vector store")
    if holds(code, CALL[arch]):
        faults.append("calls the C library")
    if arch == "x86-64" and not holds(code, FENCE):
        faults.append("does not complete its stores")
    if kernel != "copy" and not holds(code, VECTOR_ARITHMETIC[arch]):
        faults.append("computes without vectors")
    return faults


def main() -> int:
    objdump, library = sys.argv[1:]
    arch = architecture(objdump, library)
    code = functions(objdump, library)
    failures = 0
    for kernel in KERNELS:
        for store, check in (("plain", check_plain), ("nt", check_nt)):
            name = f"weft_stream_{kernel}_{store}"
            faults = check(kernel, code[name], arch) if name in code else ["not in the library"]
            failures += len(faults)
            for fault in faults:
                print(f"{name}: {fault}")
    print(f"{2 * len(KERNELS)} kernels checked, {failures} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
