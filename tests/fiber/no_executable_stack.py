#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails if anything built asks for an executable stack, or an assembly file leaves it open.

usage: no_executable_stack.py READELF BUILD_DIRECTORY
"""
import pathlib
import subprocess
import sys


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def complaint(readelf, path):
    """What is wrong with one object file or program, or None."""
    text = subprocess.run(
        [readelf, "-lSW", path], check=True, capture_output=True, text=True
    ).stdout
    if path.suffix == ".o":
        notes = [line for line in text.splitlines() if ".note.GNU-stack" in line]
        if not notes:
            return "has no .note.GNU-stack"
        if "X" in notes[0].split("PROGBITS")[1].split()[4:5]:
            return "has an executable .note.GNU-stack"
        return None
    segments = [line.split() for line in text.splitlines() if line.split()[:1] == ["GNU_STACK"]]
    if not segments:
        return "has no GNU_STACK segment"
    return "has an executable stack" if "E" in "".join(segments[0][6:-1]) else None


def main():
    readelf, directory = sys.argv[1:]
    checked = 0
    failed = 0
    for path in sorted(pathlib.Path(directory).rglob("*")):
        if path.is_symlink() or not path.is_file() or "meson-private" in path.parts:
            continue
        if not is_elf(path):
            continue
        checked += 1
        problem = complaint(readelf, path)
        if problem:
            failed += 1
            print(f"{path}: {problem}")
    print(f"{checked} files checked, {failed} failed")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
