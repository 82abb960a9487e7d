#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing that is built may be written and executed: no such segment, no executable stack.

Programs and shared libraries are judged by their segments. Objects, alone or in a library, ask the
linker for an executable stack unless they have a section .note.GNU-stack without the flag X.

usage: check_elf.py READELF BUILD
"""

import re
import subprocess
import sys
from pathlib import Path

# Segment type, flags as readelf prints them.
SEGMENT = re.compile(r"^\s+(LOAD|GNU_STACK|TLS|GNU_RELRO)\s.*\s([R ][W ][E ])\s+0x[0-9a-f]+$", re.M)
# Its columns: type, address, offset, size, entry size, flags.
STACK_SECTION = re.compile(r"\]\s+\.note\.GNU-stack\s+\S+(?:\s+[0-9a-f]+){4}\s+([A-Za-z]*)\s")


def readelf(program: str, option: str, file: Path) -> str:
    return subprocess.run([program, "--wide", option, str(file)], check=True, capture_output=True,
                          text=True).stdout


def program_faults(text: str) -> list:
    """What is wrong with a program's segments, `readelf --segments`."""
    segments = SEGMENT.findall(text)
    faults = [f"segment {kind} is {flags}" for kind, flags in segments if "W" in flags and "E" in flags]
    if not any(kind == "GNU_STACK" for kind, _ in segments):
        faults.append("no segment GNU_STACK: the stack is executable")
    return faults


def object_faults(text: str) -> list:
    """What is wrong with the objects of a file, `readelf --sections`."""
    faults = []
    # One part per object; what stands before the first is a library's index.
    for part in re.split(r"^There are \d+ section headers", text, flags=re.M)[1:]:
        section = STACK_SECTION.search(part)
        if not section:
            faults.append("an object without .note.GNU-stack: the stack becomes executable")
        elif "X" in section.group(1):
            faults.append("an object that asks for an executable stack")
    return faults


def faults_of(program: str, file: Path, head: bytes) -> list:
    if head.startswith(b"!<arch>") or head[16:18] in (b"\x01\x00", b"\x00\x01"):  # ET_REL
        return object_faults(readelf(program, "--sections", file))
    return program_faults(readelf(program, "--segments", file))


def main() -> int:
    program, build = sys.argv[1], Path(sys.argv[2])
    files = faulty = 0
    for file in sorted(build.rglob("*")):
        if not file.is_file() or file.is_symlink() or "meson-private" in file.parts:
            continue
        with file.open("rb") as opened:
            head = opened.read(18)
        if not head.startswith((b"\x7fELF", b"!<arch>")):
            continue
        files += 1
        faults = faults_of(program, file, head)
        faulty += bool(faults)
        for fault in sorted(set(faults)):
            print(f"{file.relative_to(build)}: {fault}")
    print(f"{files} files, {faulty} faulty")
    return 1 if faulty or not files else 0


if __name__ == "__main__":
    sys.exit(main())
