# SPDX-License-Identifier: MIT
"""tools/lib/packages.sh with a PATH that holds made-up commands only."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List

import made_up

LIBRARY = made_up.TOOLS / "lib" / "packages.sh"
BASH = shutil.which("bash") or "/bin/bash"
REAL = ("env", "grep")
BENCH = {
    "gcc": "exit 0",
    "g++": "exit 0",
    "ninja": "exit 0",
    "meson": "echo 1.3.2",
    "pkg-config": "exit 0",
    "python3": "exit 0",
}
NOT_ROOT = {"id": "echo 1000"}
ROOT = {"id": "echo 0"}


class Packages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        self.log = Path(folder.name) / "log"
        self.os_release = Path(folder.name) / "os-release"
        self.os_release.write_text("ID=debian\n")
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name) or f"/bin/{name}")

    def have(self, *groups: Dict[str, str]) -> None:
        for group in groups:
            for name, body in group.items():
                script = self.bin / name
                script.write_text(f"#!{BASH}\n{body}\n")
                script.chmod(0o755)

    def manager(self, name: str, then: str = "") -> Dict[str, str]:
        """A package manager that notes its arguments, with an effect of its `install`."""
        effect = f'case "$*" in *install*) :; {then} ;; esac'
        return {name: f'echo "{name} $DEBIAN_FRONTEND $*" >>"{self.log}"\n{effect}'}

    def appears(self, name: str, body: str = "exit 0") -> str:
        path = self.bin / name
        return f"printf '#!{BASH}\\n{body}\\n' >'{path}'; /bin/chmod +x '{path}'"

    def source(self, commands: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [BASH, "-c", f'set -eu; . "{LIBRARY}"; {commands}'],
            env={"PATH": str(self.bin), "WEFT_OS_RELEASE": str(self.os_release), **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> List[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def test_nothing_missing_calls_no_package_manager(self) -> None:
        self.have(BENCH, ROOT, self.manager("apt-get"))
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "done\n", ""))
        self.assertEqual(self.calls(), [])

    def test_missing_without_root_says_what_and_how_with_status_2(self) -> None:
        self.have(BENCH, NOT_ROOT, self.manager("apt-get"))
        (self.bin / "ninja").unlink()
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("  Ninja\n", result.stderr)
        self.assertIn("apt-get update && apt-get install ninja-build\n", result.stderr)
        self.assertEqual(self.calls(), [])

    def test_root_installs_what_is_missing_and_only_that(self) -> None:
        self.have(BENCH, ROOT, self.manager("apt-get", self.appears("ninja")))
        (self.bin / "ninja").unlink()
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)
        update, install = self.calls()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.startswith("apt-get noninteractive "))
        self.assertTrue(install.endswith(" install ninja-build"))

    def test_a_failing_update_does_not_stop_the_installation(self) -> None:
        self.have(BENCH, ROOT, self.manager("apt-get", self.appears("ninja")))
        (self.bin / "ninja").unlink()
        script = self.bin / "apt-get"
        script.write_text(script.read_text() + 'case "$*" in *update*) exit 100 ;; esac\n')
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)

    def test_sudo_is_used_where_it_asks_nothing(self) -> None:
        sudo = {"sudo": f'echo "sudo $*" >>"{self.log}"\n[ "$1" != -n ] || shift\n"$@"'}
        self.have(BENCH, NOT_ROOT, sudo, {"true": "exit 0"})
        self.have(self.manager("apt-get", self.appears("ninja")))
        (self.bin / "ninja").unlink()
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)
        self.assertIn("sudo apt-get -q update", self.calls())

    def test_an_old_meson_counts_as_missing_and_the_way_out_is_named(self) -> None:
        self.have(BENCH, ROOT, {"meson": "echo 0.61.2"}, self.manager("apt-get"))
        result = self.source("weft_require bench; echo done")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("Meson 1.0 or newer", result.stderr)
        self.assertIn("pip install --user meson", result.stderr)

    def test_other_distributions_are_told_their_own_names(self) -> None:
        self.have(BENCH, ROOT, self.manager("dnf"))
        (self.bin / "g++").unlink()
        (self.bin / "ninja").unlink()
        result = self.source("weft_require bench")
        self.assertEqual(result.returncode, 2)
        self.assertIn("dnf install gcc-c++ ninja-build\n", result.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_machine_without_a_known_manager_is_told_what_is_missing(self) -> None:
        self.have(NOT_ROOT)
        result = self.source("weft_require bench")
        self.assertEqual(result.returncode, 2)
        self.assertIn("  Ninja\n", result.stderr)
        self.assertIn("No known package manager", result.stderr)

    def test_installing_can_be_forbidden(self) -> None:
        self.have(BENCH, ROOT, self.manager("apt-get"))
        (self.bin / "ninja").unlink()
        result = self.source("weft_require bench", WEFT_NO_INSTALL="1")
        self.assertEqual((result.returncode, self.calls()), (2, []))

    def test_what_can_be_done_without_is_a_reason_and_no_end(self) -> None:
        self.have(BENCH, NOT_ROOT, self.manager("apt-get"))
        result = self.source('weft_offer clang; env | grep "^WEFT_LACKS"')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stdout, "WEFT_LACKS_clang=clang, clang++, the sanitizers of clang\n"
        )

    def test_a_complete_set_has_no_reason(self) -> None:
        self.have(BENCH, {"valgrind": "exit 0"})
        result = self.source('weft_offer valgrind; echo "[$WEFT_LACKS_valgrind]"')
        self.assertEqual(result.stdout, "[]\n")

    def test_what_several_sets_lack_is_installed_at_once(self) -> None:
        effect = f"{self.appears('valgrind')}; {self.appears('clang')}; {self.appears('clang++')}"
        self.have(BENCH, ROOT, self.manager("apt-get", effect))
        result = self.source('weft_offer clang valgrind; env | grep "^WEFT_LACKS" || echo none')
        reasons = sorted(result.stdout.split())
        self.assertEqual(reasons, ["WEFT_LACKS_clang=", "WEFT_LACKS_valgrind="])
        update, install = self.calls()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.endswith(" install clang libclang-rt-dev valgrind libc6-dbg"))

    def test_what_cannot_be_had_does_not_take_the_other_sets_with_it(self) -> None:
        self.have(BENCH, ROOT, self.manager("apt-get"))
        script = self.bin / "apt-get"
        script.write_text(
            script.read_text()
            + 'case "$*" in *clang*) exit 100 ;; *install*valgrind*) '
            + f"{self.appears('valgrind')} ;; esac\n"
        )
        result = self.source('weft_offer clang valgrind; env | grep "^WEFT_LACKS"')
        self.assertEqual(
            sorted(result.stdout.splitlines()),
            ["WEFT_LACKS_clang=clang, clang++, the sanitizers of clang", "WEFT_LACKS_valgrind="],
        )
        self.assertIn("going on without clang", result.stderr)
        self.assertEqual(sum(call.endswith(" update") for call in self.calls()), 1)

    def test_the_lists_are_read_once_and_again_for_a_new_architecture(self) -> None:
        for known, again in (("", ["update"]), ("arm64", [])):
            with self.subTest(known=known):
                self.log.unlink(missing_ok=True)
                self.have(BENCH, ROOT, {"dpkg": f"echo {known}"}, self.manager("apt-get"))
                installs = "for each in a b c:arm64; do weft_install $each; done"
                self.source(f"weft_become_root; {installs}")
                calls = [call.split()[-1] for call in self.calls()]
                self.assertEqual(calls, ["update", "a", "b", *again, "c:arm64"])

    def test_arm64_is_added_on_debian_before_the_lists_are_read(self) -> None:
        dpkg = f'echo "dpkg $*" >>"{self.log}"'
        self.have(BENCH, ROOT, {"dpkg": dpkg, "pkg-config": "exit 1"}, self.manager("apt-get"))
        self.source("weft_offer aarch64")
        calls = [call for call in self.calls() if "print" not in call]
        self.assertEqual(calls[0], "dpkg --add-architecture arm64")
        self.assertTrue(calls[1].endswith(" update"))
        self.assertIn("libcmocka-dev:arm64", calls[2])

    def test_ubuntus_archives_are_left_alone(self) -> None:
        self.os_release.write_text("ID=ubuntu\nID_LIKE=debian\n")
        dpkg = f'echo "dpkg $*" >>"{self.log}"'
        self.have(BENCH, ROOT, {"dpkg": dpkg, "pkg-config": "exit 1"}, self.manager("apt-get"))
        result = self.source('weft_offer aarch64; echo "$WEFT_LACKS_aarch64"')
        self.assertIn("cmocka for arm64", result.stdout)
        self.assertEqual([call for call in self.calls() if "print" not in call], [])


if __name__ == "__main__":
    made_up.main()
