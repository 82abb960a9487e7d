#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""weft as a product: the README's example against the installed tree and as a subproject.

usage: test_install.py SOURCE BUILD C_COMPILER CXX_COMPILER
"""

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = (Path(argument) for argument in sys.argv[1:3])
COMPILERS = {"c": (sys.argv[3], "c17"), "c++": (sys.argv[4], "c++20")}
HERE = Path(__file__).resolve().parent
WARNINGS = ["-Wall", "-Wextra", "-Werror"]

PROJECT = """project('embedder', 'c', 'cpp', meson_version: '>= 1.0.0',
  default_options: ['c_std=c17', 'cpp_std=c++20'])
weft = dependency('weft')
assert(weft.type_name() == 'internal')
foreach language, source : {'c': 'main.c', 'cpp': 'main.cc'}
  test(language, executable('probe-' + language, source, dependencies: weft))
endforeach
"""


def run(*command, **options) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            **options)
    if result.returncode:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.stdout}{result.stderr}")
    return result.stdout


class Example(unittest.TestCase):
    def test_it_has_at_most_forty_lines(self):
        lines = (HERE / "hash_probe.c").read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len(lines) - 1, 40)  # beside the licence


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name) / "root"
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--skip-subprojects",
            "--destdir", cls.root)
        (found,) = cls.root.glob("**/weft.pc")
        cls.environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(found.parent),
                           "PKG_CONFIG_SYSROOT_DIR": str(cls.root)}

    def flags(self, *arguments: str) -> list:
        return shlex.split(run("pkg-config", *arguments, "weft", env=self.environment))

    def test_headers_library_and_description_are_installed_and_nothing_else(self):
        files = {path.name for path in self.root.glob("**/*") if path.is_file()}
        headers = {path.name for path in (SOURCE / "src" / "include" / "weft").iterdir()}
        self.assertEqual(files, headers | {"libweft.a", "weft.pc"})

    def test_the_version_is_the_project_s(self):
        version = run("pkg-config", "--modversion", "weft", env=self.environment).strip()
        self.assertIn(f"version: '{version}'", (SOURCE / "meson.build").read_text(encoding="utf-8"))

    def test_the_example_builds_and_runs_by_pkg_config(self):
        for language, (compiler, standard) in COMPILERS.items():
            for optimisation in ("-O0", "-O2"):
                with self.subTest(language=language, optimisation=optimisation):
                    program = Path(self.folder.name) / "probe"
                    run(*shlex.split(compiler), *WARNINGS, optimisation, f"-std={standard}", "-x",
                        language, HERE / "hash_probe_main.c", "-x", "none", "-o", program,
                        *self.flags("--cflags", "--libs"))
                    self.assertEqual(run(program), "0 wrong values\n")


class Subproject(unittest.TestCase):
    def test_the_example_builds_and_runs_with_weft_as_a_subproject(self):
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder)
            (project / "subprojects").mkdir()
            (project / "subprojects" / "weft").symlink_to(SOURCE, target_is_directory=True)
            (project / "meson.build").write_text(PROJECT, encoding="utf-8")
            for name in ("main.c", "main.cc"):
                (project / name).write_text(f'#include "{HERE}/hash_probe_main.c"\n',
                                            encoding="utf-8")
            environment = {**os.environ, "CC": COMPILERS["c"][0], "CXX": COMPILERS["c++"][0]}
            run("meson", "setup", project / "build", project, env=environment)
            run("ninja", "-C", project / "build")
            self.assertFalse(list(project.glob("build/**/weft-bench*")))
            self.assertFalse(list(project.glob("build/**/unit-*")))
            run("meson", "test", "-C", project / "build", "--no-rebuild")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
