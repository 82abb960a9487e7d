# SPDX-License-Identifier: MIT
"""What tools/test builds and runs: one row each."""

from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple

_GCC = {"CC": "gcc", "CXX": "g++"}
_CLANG = {"CC": "clang", "CXX": "clang++"}
_CHECKED = ("unit", "agree")
_COMPILED = (*_CHECKED, "headers", "asm", "fiber")  # what the compiler has a say in
_SANITIZERS = {
    # Its shadow stacks fault pages in, which tests of timed parts rightly report.
    "ASAN_OPTIONS": "detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}


@dataclass(frozen=True)
class Configuration:
    name: str
    folder: str  # build-<folder>; two rows may share one if their options are the same
    options: Tuple[str, ...] = ()
    environment: Dict[str, str] = field(default_factory=dict)
    suites: Tuple[str, ...] = ()  # none: all
    wrapper: Optional[str] = None
    timeout_multiplier: int = 1
    needs: Tuple[str, ...] = ()  # sets of tools/lib/packages.sh that must be complete
    only_with_all: bool = False


# Debug information enough for a backtrace: all of it takes nearly half of the compilers' time.
_LINES = ("-Dc_args=-g1", "-Dcpp_args=-g1")
_TEST = ("-Dwerror=true", "-Dtests=enabled", "-Dbenchmarks=enabled", *_LINES)
_CROSS = (
    *("-Dwerror=true", "-Dtests=enabled", *_LINES),
    *("--cross-file", "tests/aarch64-linux-gnu.cross"),
)
# The sanitizers of clang are linked into the program only, which leaves libraries undefined. The
# suites are about the core: the shim would be most of the build.
_SANITIZE = ("-Dtests=enabled", "-Dbenchmarks=disabled", "-Db_lundef=false", *_LINES)
# At -O2 the compiler takes half a minute for the inlined techniques alone.
_ADDRESS = ("-Db_sanitize=address,undefined", "-Doptimization=1", *_SANITIZE)
# Valgrind runs one thread at a time: unfairly chosen, a spinning thread starves the others.
# What belongs to a thread that still runs at the end is possibly lost, and no leak.
_MEMCHECK = (
    "valgrind -q --error-exitcode=99 --fair-sched=yes"
    " --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
)

CONFIGURATIONS: Tuple[Configuration, ...] = (
    Configuration("gcc", "test", _TEST, _GCC),
    Configuration(
        "clang", "clang", _TEST, _CLANG, (*_COMPILED, "fuzz", "tidy"), needs=("clang",)
    ),
    Configuration(
        "aarch64",
        "aarch64",
        _CROSS,
        {},
        (*_COMPILED, "smoke"),
        timeout_multiplier=5,
        needs=("aarch64",),
    ),
    Configuration(
        "sanitize",
        "sanitize",
        _ADDRESS,
        {**_GCC, **_SANITIZERS},
        _CHECKED,
        timeout_multiplier=5,
        needs=("sanitize",),
    ),
    Configuration(
        "threads",
        "tsan",
        ("-Db_sanitize=thread", *_SANITIZE),
        {**_GCC, **_SANITIZERS},
        _CHECKED,
        timeout_multiplier=10,
        needs=("sanitize",),
    ),
    Configuration(
        "valgrind",
        "test",
        _TEST,
        _GCC,
        ("unit",),
        wrapper=_MEMCHECK,
        timeout_multiplier=20,
        needs=("valgrind",),
    ),
    Configuration(
        "valgrind-agree",
        "test",
        _TEST,
        _GCC,
        ("agree",),
        wrapper=_MEMCHECK,
        timeout_multiplier=60,
        needs=("valgrind",),
        only_with_all=True,
    ),
    Configuration(
        "clang-sanitize",
        "clang-sanitize",
        _ADDRESS,
        {**_CLANG, **_SANITIZERS},
        _CHECKED,
        timeout_multiplier=5,
        needs=("clang",),
        only_with_all=True,
    ),
    Configuration(
        "debug",
        "debug",
        ("-Dbuildtype=debug", "-Dwerror=true", "-Dtests=enabled"),
        _CLANG,
        _CHECKED,
        timeout_multiplier=5,
        needs=("clang",),
        only_with_all=True,
    ),
    Configuration(
        "release",
        "release",
        ("-Dbuildtype=release", "-Dnative=true", *_TEST),
        _GCC,
        only_with_all=True,
    ),
)
