# SPDX-License-Identifier: MIT
"""tools/test: every configuration built and run, one sum of all."""

import argparse
import os
import platform
import sys
import time
from typing import List, Optional, Sequence

from weft.build import ROOT, BuildFailed, build, run_logged, tail
from weft.configurations import CONFIGURATIONS, Configuration
from weft.testlog import Outcome, Verdict, read_testlog, report, succeeded, summary


def obstacle(configuration: Configuration) -> Optional[str]:
    """Why the configuration cannot be run here, or None."""
    if "aarch64" in configuration.needs and platform.machine() in ("aarch64", "arm64"):
        return "this machine is AArch64 itself: the other configurations cover it"
    for piece_set in configuration.needs:
        # tools/lib/packages.sh looked and tried to install.
        lacks = os.environ.get(f"WEFT_LACKS_{piece_set}")
        if lacks:
            return f"missing: {lacks}"
    return None


def test_command(configuration: Configuration) -> List[str]:
    command = ["meson", "test", "-C", f"build-{configuration.folder}", "--no-rebuild"]
    command += ["--logbase", configuration.name]
    command += ["--timeout-multiplier", str(configuration.timeout_multiplier)]
    for suite in configuration.suites:
        command += ["--suite", suite]
    if configuration.wrapper:
        command += ["--wrap", configuration.wrapper]
    return command


def run_configuration(configuration: Configuration) -> List[Outcome]:
    name = configuration.name
    reason = obstacle(configuration)
    if reason is not None:
        return [Outcome(name, Verdict.SKIPPED, reason)]
    folder = ROOT / f"build-{configuration.folder}"
    try:
        build(folder, configuration.options, configuration.environment)
    except BuildFailed as error:
        return [Outcome(name, Verdict.FAILED, str(error))]
    logs = folder / "meson-logs"
    for old in logs.glob(f"{name}*"):
        old.unlink()
    output = folder / f"weft-test-{name}.log"
    output.unlink(missing_ok=True)
    status = run_logged(test_command(configuration), configuration.environment, output)
    # Meson adds the wrapper's name to that of the log.
    wrapper = "-" + configuration.wrapper.split()[0] if configuration.wrapper else ""
    outcomes = read_testlog(logs / f"{name}{wrapper}.json", name)
    if not outcomes:
        return [Outcome(name, Verdict.FAILED, f"no test ran\n{tail(output)}")]
    if status != 0 and all(outcome.verdict is not Verdict.FAILED for outcome in outcomes):
        outcomes.append(Outcome(name, Verdict.FAILED, f"exit status {status}\n{tail(output)}"))
    return outcomes


def selected(every: bool, only: Sequence[str]) -> List[Configuration]:
    if only:
        return [row for row in CONFIGURATIONS if row.name in only]
    return [row for row in CONFIGURATIONS if every or not row.only_with_all]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    names = [configuration.name for configuration in CONFIGURATIONS]
    parser = argparse.ArgumentParser(
        prog="tools/test",
        description="Installs what is missing, builds and runs every test. Ends with the line "
        "'N passed, N failed, N skipped'; exit status 1 if a test failed or none ran.",
    )
    parser.add_argument("--all", action="store_true", help="the slow configurations as well")
    parser.add_argument(
        "--only", action="append", default=[], choices=names, help="this configuration alone"
    )
    options = parser.parse_args(arguments)
    outcomes: List[Outcome] = []
    try:
        for configuration in selected(options.all, options.only):
            print(f"{configuration.name:<16}", end="", flush=True)
            start_s = time.monotonic()
            found = run_configuration(configuration)
            outcomes += found
            print(f"{summary(found)}  ({time.monotonic() - start_s:.0f} s)", flush=True)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    print(f"\n{report(outcomes)}")
    return 0 if succeeded(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
