# SPDX-License-Identifier: MIT
"""What weft-bench refuses, and how it fails: exit statuses, messages, memory, interruption."""

import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import bench
from bench import SMALL, run, run_json

BAD = [
    ("--weft_size=", "--weft_size"),
    ("--weft_size=0B", "--weft_size"),
    ("--weft_size=32B", "64"),
    ("--weft_size=100B", "64"),
    ("--weft_size=8", "MiB"),
    ("--weft_size=8MB", "MiB"),
    ("--weft_size=-8MiB", "--weft_size"),
    ("--weft_size=99999999999999999999GiB", "--weft_size"),
    ("--weft_size=8MiB,", "--weft_size"),
    ("--weft_size=8MiB,,9MiB", "--weft_size"),
    ("--weft_group=0", "1024"),
    ("--weft_group=1025", "1024"),
    ("--weft_group=-1", "1024"),
    ("--weft_group=1.5", "--weft_group"),
    ("--weft_group=x", "--weft_group"),
    ("--weft_group=,1", "--weft_group"),
    ("--weft_group=99999999999999999999", "--weft_group"),
    ("--weft_depth=0", "--weft_depth"),
    ("--weft_fibers=10000001", "10000000"),
    ("--weft_branch=2", "--weft_branch"),
    ("--weft_payload=100", "64"),
    ("--weft_distance=257", "256"),
    ("--weft_limits=maybe", "off"),
    ("--weft_hint=t3", "nta"),
    ("--weft_pages=8k", "thp"),
    ("--weft_lookups=0", "--weft_lookups"),
    ("--weft_warmup=-1", "--weft_warmup"),
    ("--weft_threads=0", "--weft_threads"),
    ("--weft_cpu=9999", "allowed"),
    ("--weft_cpu=x", "auto"),
    ("--weft_seed=abc", "--weft_seed"),
    ("--weft_memory=1", "--weft_memory"),
    ("--weft_preset=fast", "quick"),
    ("--weft_sizes=8MiB", "--weft_size"),
    ("--weft_csv=/nonexistent/x.csv", "--weft_csv"),
    ("--weft_csv=", "--weft_csv"),
    ("--benchmark_format=csv", "--weft_csv"),
    ("--benchmark_list_tests=maybe", "true or false"),
    ("--benchmark_enable_random_interleaving=2", "true or false"),
    ("--benchmark_color=", "auto"),
    ("--benchmark_out_format=csv", "--weft_csv"),
    ("--benchmark_filter=nothing-has-this-name", "matches none"),
    ("--benchmark_filter=(", "--benchmark_filter"),
    ("--benchmark_min_time=-1", "--benchmark_min_time"),
    ("--benchmark_min_time=abc", "--benchmark_min_time"),
    ("--benchmark_repetitions=abc", "--benchmark_repetitions"),
    ("--benchmark_nonsense=1", "--benchmark_nonsense"),
    ("--benchmark_out=/nonexistent/out.json", "--benchmark_out"),
    ("--nonsense", "--nonsense"),
    ("word", "word"),
]


class Refusals(unittest.TestCase):
    def test_a_bad_flag_is_named_and_nothing_runs(self):
        for flag, fragment in BAD:
            with self.subTest(flag=flag):
                result = run(*SMALL, flag)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(fragment, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_csv_by_the_environment_is_refused_too(self):
        result = run(*SMALL, env={**os.environ, "BENCHMARK_FORMAT": "csv"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("--weft_csv", result.stderr)

    def test_a_refused_run_leaves_the_results_of_an_earlier_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("earlier")
            for flag in ("--weft_group=0", "--benchmark_filter=matches-nothing"):
                self.assertEqual(run(*SMALL, f"--benchmark_out={path}", flag).returncode, 2)
            self.assertEqual(run(*SMALL, f"--benchmark_out={path}",
                                 "--benchmark_list_tests").returncode, 0)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "earlier")

    def test_two_results_in_one_file_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            result = run(*SMALL, f"--benchmark_out={path}", f"--weft_csv={folder}/./out")
            self.assertEqual(result.returncode, 2)
            self.assertIn("another file", result.stderr)
            self.assertFalse(os.path.exists(path))

    def test_results_as_text_are_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run(*SMALL, f"--benchmark_out={folder}/out", "--benchmark_out_format=console",
                         "--benchmark_filter=^fiber/call/")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_duplicates_are_dropped_and_said_once(self):
        result = run("--weft_group=8,8,8", "--weft_size=1MiB,1024KiB", "--weft_pages=4k",
                     "--weft_lookups=100", "--benchmark_min_time=0.0001",
                     "--benchmark_filter=chase/gp/")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.count("chase/gp/"), 1)
        self.assertEqual(result.stderr.count("--weft_group"), 1)

    def test_random_interleaving_beyond_the_budget_is_refused(self):
        result = run("--benchmark_enable_random_interleaving=true", "--weft_size=1MiB,2MiB",
                     "--weft_pages=4k", "--weft_memory=2MiB")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--weft_memory", result.stderr)


class CellErrors(unittest.TestCase):
    def error_rows(self, *arguments: str) -> list:
        data = run_json(*SMALL, *arguments, status=1)
        return [row for row in data["benchmarks"] if row.get("error_occurred")]

    def test_a_size_beyond_the_budget_is_an_error_of_its_cells_alone(self):
        errors = self.error_rows("--weft_size=64KiB,4MiB", "--weft_memory=1MiB",
                                 "--benchmark_filter=chase/(scalar|gp)/")
        self.assertTrue(errors)
        for row in errors:
            self.assertIn("size:4MiB", row["name"])
            self.assertIn("--weft_memory", row["error_message"])

    def test_more_memory_than_the_machine_has_is_refused(self):
        errors = self.error_rows("--weft_size=65536GiB",
                                 "--weft_memory=131072GiB", "--benchmark_filter=chase/scalar/")
        self.assertEqual(len(errors), 1)
        self.assertIn("available", errors[0]["error_message"])

    def test_huge_pages_that_are_not_reserved_are_an_error_of_their_cells(self):
        with open("/proc/meminfo", encoding="utf-8") as file:
            if "HugePages_Free:        0" not in file.read():
                self.skipTest("huge pages are reserved on this machine")
        errors = self.error_rows("--weft_pages=4k,2m", "--benchmark_filter=chase/scalar/")
        self.assertEqual(len(errors), 1)
        self.assertIn("huge pages", errors[0]["error_message"])

    def test_more_threads_than_processors_are_an_error_of_their_cells(self):
        errors = self.error_rows("--weft_threads=1,1000", "--benchmark_filter=chase/scalar/")
        self.assertEqual(len(errors), 1)
        self.assertIn("1000 threads", errors[0]["error_message"])

    def test_the_stacks_of_a_chase_on_fibers_count_as_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            run("--weft_size=64KiB", "--weft_pages=4k", "--weft_group=1024", "--weft_threads=64",
                "--weft_oversubscribe", "--weft_lookups=100", "--benchmark_min_time=0.0001",
                "--benchmark_filter=chase/fiber-prefetch/", f"--benchmark_out={path}",
                preexec_fn=limit)
            with open(path, encoding="utf-8") as file:
                row, = json.load(file)["benchmarks"]
        self.assertIn("65536 fibers", row["error_message"])

    def test_a_memory_limit_refuses_instead_of_killing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            result = run("--weft_size=64KiB,1GiB", "--weft_pages=4k", "--weft_lookups=100",
                         "--weft_memory=4GiB", "--benchmark_min_time=0.0001",
                         "--benchmark_filter=chase/scalar/", f"--benchmark_out={path}",
                         preexec_fn=limit)
            self.assertEqual(result.returncode, 1, result.stderr)
            with open(path, encoding="utf-8") as file:
                table = json.load(file)["benchmarks"]
        self.assertEqual([bool(row.get("error_occurred")) for row in table], [False, True])
        self.assertIn("available", table[1]["error_message"])

    def test_results_that_cannot_be_written_are_an_error(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

        for flag in ("--benchmark_out", "--weft_csv"):
            with self.subTest(flag=flag), tempfile.TemporaryDirectory() as folder:
                result = run(*SMALL, "--benchmark_filter=chase/scalar/", f"{flag}={folder}/out",
                             preexec_fn=limit)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(flag, result.stderr)


    def test_a_size_below_one_node_is_an_error_of_its_cells(self):
        errors = self.error_rows("--weft_size=64B", "--weft_payload=64,128",
                                 "--benchmark_filter=chase/scalar/")
        self.assertEqual(len(errors), 1)
        self.assertIn("payload:128", errors[0]["name"])
        self.assertIn("one node", errors[0]["error_message"])


class Interruption(unittest.TestCase):
    ARGUMENTS = ["--weft_size=64KiB,256MiB", "--weft_pages=4k", "--weft_group=8",
                 "--weft_lookups=2000", "--benchmark_min_time=0.001", "--benchmark_repetitions=3",
                 "--benchmark_filter=^chase/"]

    def interrupt(self, cells: int, delay_s: float, number: int) -> None:
        """Sends the signal `delay_s` after that many cells."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            process = subprocess.Popen(
                [*bench.COMMAND, *self.ARGUMENTS, "--weft_progress", f"--benchmark_out={path}"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(cells):
                process.stdout.readline()
            time.sleep(delay_s)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            with open(path, encoding="utf-8") as file:
                table = json.load(file)["benchmarks"]
        self.assertFalse(table[0].get("error_occurred"))
        self.assertEqual(table[-1]["error_message"], "interrupted")

    def test_interruption_at_random_moments_leaves_valid_json(self):
        generator = random.Random(1)
        names = run("--benchmark_list_tests", *self.ARGUMENTS).stdout.split()
        small = sum("/size:64KiB/" in name for name in names)
        # Behind the last of the small cells comes the build of a large chain: there is always
        # something left to be interrupted.
        for i in range(8):
            with self.subTest(i=i):
                self.interrupt(small - i, generator.uniform(0, 0.03),
                               [signal.SIGINT, signal.SIGTERM][i % 2])

    def test_a_second_signal_ends_at_once(self):
        process = subprocess.Popen(
            [*bench.COMMAND, "--weft_size=64MiB", "--weft_pages=4k", "--weft_lookups=5000000",
             "--benchmark_filter=chase/serial/", "--weft_progress"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        # Two kinds at once: between them the run has no time to end as it does after one.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=30), (-signal.SIGINT, -signal.SIGTERM))


class CorruptedChain(unittest.TestCase):
    def test_a_corrupted_chain_makes_its_cells_errors(self):
        corrupt = os.path.join(os.path.dirname(bench.PROGRAM), "..", "tests", "smoke",
                               "weft-bench-corrupt")
        result = subprocess.run([corrupt, *SMALL, "--benchmark_format=json",
                                 "--benchmark_filter=^chase/"], capture_output=True, text=True,
                                timeout=120, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        table = json.loads(result.stdout)["benchmarks"]
        self.assertTrue(table)
        for row in table:
            if row["name"].startswith("limit/clock"):
                continue
            self.assertTrue(row["error_occurred"], row["name"])
            self.assertIn("expected", row["error_message"])


if __name__ == "__main__":
    bench.main()
