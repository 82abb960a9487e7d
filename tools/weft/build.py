# SPDX-License-Identifier: MIT
"""Configures and builds with Meson, anew only where the options have changed."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
TAIL_LINES = 40


class BuildFailed(Exception):
    """A step of the build failed; the text has the log's tail."""


def tail(path: Path, lines: int = TAIL_LINES) -> str:
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return "\n".join(text.rstrip().splitlines()[-lines:])


def run_logged(command: Sequence[str], extra: Mapping[str, str], log: Path) -> int:
    """The command's exit status; what it prints is added to the log."""
    with open(log, "ab") as file:
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode


def build(folder: Path, options: Sequence[str], extra: Mapping[str, str]) -> None:
    """Leaves a built `folder`, or raises BuildFailed."""
    stamp = folder / "weft-options.txt"
    wanted = "\n".join([*options, *(f"{key}={value}" for key, value in sorted(extra.items()))])
    known = stamp.read_text(encoding="utf-8") if stamp.exists() else None
    log = folder / "weft-build.log"
    if known != wanted or not (folder / "build.ninja").exists():
        # Compilers and cross files cannot be changed in a configured folder.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if run_logged(["meson", "setup", str(folder), *options], extra, log) != 0:
            raise BuildFailed(f"{folder.name}: meson setup failed\n{tail(log)}")
        stamp.write_text(wanted, encoding="utf-8")
    else:
        log.unlink(missing_ok=True)
    if run_logged(["meson", "compile", "-C", str(folder)], extra, log) != 0:
        raise BuildFailed(f"{folder.name}: the build failed\n{tail(log)}")
