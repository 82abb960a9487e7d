# SPDX-License-Identifier: MIT
"""The bandwidth cells of weft-bench: names, counters, sizes, threads, sweep, load, vendor."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest

import bench
from bench import run, run_json

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
from weft.names import format_name, parse_name  # noqa: E402

# Arrays of an odd number of lines; too little memory for what is slow to build.
SMALL = ["--weft_stream_array=4160B", "--weft_stream_slice=1088B", "--weft_stream_rate=100,50,0",
         "--weft_pages=4k", "--weft_memory=64MiB", "--weft_size=64KiB", "--weft_group=1",
         "--weft_lookups=100", "--benchmark_min_time=0.0001"]
KERNELS = ["copy", "scale", "add", "triad"]
COUNTED = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
MOVED = {"copy": 24, "scale": 24, "add": 32, "triad": 32}
COUNTERS = ["GB/s", "GB/s_best", "GB/s_write_allocate", "GB/s_fastest_thread",
            "GB/s_slowest_thread", "cv", "scaling", "rounds", "late_rounds", "minor_faults",
            "involuntary_switches", "latency_ns"]
ONE_CPU = len(os.sched_getaffinity(0)) < 2


def rows(data: dict) -> list:
    return [row for row in data["benchmarks"] if row.get("run_type", "iteration") == "iteration"]


def names(*arguments: str) -> list:
    return run("--benchmark_list_tests", *arguments).stdout.split()


class Names(unittest.TestCase):
    def test_every_kernel_store_and_working_set_has_its_cell(self):
        found = names(*SMALL, "--weft_threads=1,2", "--benchmark_filter=stream/")
        expected = [f"stream/{kernel}/store:{store}/array:4160B{slice}/threads:{threads}/pages:4k"
                    "/manual_time"
                    for slice in ("", "/slice:1088B") for threads in (1, 2) for kernel in KERNELS
                    for store in ("plain", "nt")]
        expected.append("stream/triad/store:plain/array:4160B/slice:1088B/threads:1/pages:4k/pass:2"
                        "/manual_time")
        expected += [f"stream/loaded-latency/rate:{rate}/size:4160B/threads:2/pages:4k/manual_time"
                     for rate in (100, 50, 0)]
        self.assertEqual(found, expected)
        for name in found:
            self.assertEqual(format_name(parse_name(name)), name)

    def test_threads_double_up_to_the_allowed_processors(self):
        found = names(*SMALL, "--benchmark_filter=stream/copy/store:nt/array:4160B/threads")
        allowed = len(os.sched_getaffinity(0))
        expected = []
        while 2 ** len(expected) < allowed:
            expected.append(2 ** len(expected))
        self.assertEqual([int(parse_name(name).get("threads")) for name in found],
                         [*expected, allowed])

    def test_every_preset_has_all_kernels(self):
        for preset in ("quick", "default", "full", "amaco2"):
            found = names(f"--weft_preset={preset}", "--benchmark_filter=stream/")
            with self.subTest(preset=preset):
                self.assertLessEqual(set(KERNELS), {parse_name(name).variant for name in found})
                self.assertTrue(ONE_CPU or any("/loaded-latency/" in name for name in found))

    def test_a_sweep_goes_from_4_KiB_by_its_factor_to_the_array(self):
        arguments = ["--weft_stream_array=1MiB", "--weft_stream_slice=64KiB", "--weft_threads=1",
                     "--benchmark_filter=stream/triad/store:nt/.*slice"]
        found = names(*arguments, "--weft_stream_sweep")
        sizes = sorted(int(parse_name(name).get("slice")[:-3]) for name in found)
        self.assertEqual(sizes, [4, 8, 16, 32, 64, 128, 256, 512])
        self.assertGreater(len(names(*arguments, "--weft_stream_sweep=1.2")), 25)
        self.assertEqual(len(names(*arguments, "--weft_stream_sweep=none")), 1)

    def test_a_load_is_a_key_after_the_processor(self):
        found = names(*SMALL, "--weft_load=0,1", "--weft_cpu=none", "--benchmark_filter=chase/amac")
        self.assertEqual(found, [
            "chase/amac/size:64KiB/depth:12/pages:4k/cpu:none/hint:t0/group:1/manual_time",
            "chase/amac/size:64KiB/depth:12/pages:4k/cpu:none/load:1/hint:t0/group:1/manual_time"])


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = [row for row in rows(run_json(*SMALL, "--benchmark_filter=stream/",
                                                 "--weft_threads=1,2,3", "--weft_oversubscribe"))
                    if "/loaded-latency/" not in row["name"]]

    def test_counters_are_there_and_consistent(self):
        self.assertEqual(len(self.rows), 2 * 3 * 8 + 1)
        for row in self.rows:
            name = parse_name(row["name"])
            with self.subTest(name=row["name"]):
                self.assertFalse(row.get("error_occurred"), row.get("error_message"))
                for counter in COUNTERS:
                    self.assertIn(counter, row)
                self.assertGreaterEqual(row["GB/s_best"], row["GB/s"])
                self.assertGreaterEqual(row["GB/s_fastest_thread"], row["GB/s_slowest_thread"])
                self.assertEqual(row["rounds"], 21 * row["iterations"])
                self.assertLessEqual(row["late_rounds"], row["rounds"])
                moved = (MOVED if name.get("store") == "plain" else COUNTED)[name.variant]
                self.assertAlmostEqual(row["GB/s_write_allocate"] / row["GB/s"],
                                       moved / COUNTED[name.variant], places=6)
                if name.get("threads") == "1":
                    self.assertEqual(row["scaling"], 1)
                self.assertTrue("pages_obtained_share" in row or "unknown" in row["label"])

    def test_scaling_is_against_one_thread_on_the_same_working_set(self):
        by_name = {parse_name(row["name"]): row for row in self.rows}
        for name, row in by_name.items():
            if name.get("threads") == "2" and name.get("slice") is None:
                one = next(other for of, other in by_name.items()
                           if of.without("threads") == name.without("threads")
                           and of.get("threads") == "1" and of.variant == name.variant)
                self.assertAlmostEqual(row["scaling"], row["GB/s"] / one["GB/s"], places=6)

    def test_a_working_set_in_a_cache_is_never_called_memory(self):
        for row in self.rows:
            self.assertNotIn("memory", row["label"])
            self.assertNotEqual(row.get("cache_level"), 0)
            self.assertNotIn("vendor_fraction", row)

    def test_the_main_figure_is_the_first_counter(self):
        row = self.rows[0]
        counters = [key for key in row if key in COUNTERS]
        self.assertEqual(counters[0], "GB/s")

    def test_what_is_oversubscribed_says_so(self):
        allowed = len(os.sched_getaffinity(0))
        for row in self.rows:
            more = int(parse_name(row["name"]).get("threads")) > allowed
            self.assertEqual("oversubscribed" in row["label"], more, row["name"])


class Behaviour(unittest.TestCase):
    def test_one_thread_is_measured_where_its_cell_was_not_chosen(self):
        if ONE_CPU:
            self.skipTest("one processor is allowed")
        (row,) = rows(run_json(*SMALL, "--benchmark_filter=copy/store:nt/array:4160B/threads:2"))
        self.assertGreater(row["scaling"], 0)
        self.assertNotEqual(row["scaling"], 1)

    def test_more_threads_than_processors_are_refused_with_the_reason(self):
        for cpu in ("auto", "none"):
            data = run_json(*SMALL, "--weft_threads=1000", f"--weft_cpu={cpu}",
                            "--benchmark_filter=stream/copy/store:nt/array:4160B/t", status=1)
            (row,) = rows(data)
            self.assertIn("1000 threads", row["error_message"])

    def test_a_load_reports_what_it_moves(self):
        if ONE_CPU:
            self.skipTest("one processor is allowed")
        data = run_json(*SMALL, "--weft_load=0,1", "--benchmark_filter=chase/(scalar|serial)/")
        self.assertEqual(len(rows(data)), 4)
        for row in rows(data):
            if "/load:1/" in row["name"]:
                self.assertGreaterEqual(row["load_gbs"], 0)
            else:
                self.assertNotIn("load_gbs", row)

    def test_a_load_without_a_processor_is_refused(self):
        data = run_json(*SMALL, "--weft_load=1000", "--benchmark_filter=chase/scalar/", status=1)
        self.assertIn("1001 threads", rows(data)[0]["error_message"])

    def test_loaded_latency_reports_latency_and_rate(self):
        if ONE_CPU:
            self.skipTest("one processor is allowed")
        data = run_json(*SMALL, "--benchmark_filter=loaded-latency", "--benchmark_min_time=0.05")
        by_rate = {parse_name(row["name"]).get("rate"): row for row in rows(data)}
        self.assertEqual(set(by_rate), {"100", "50", "0"})
        self.assertEqual(by_rate["0"]["load_gbs"], 0)
        self.assertGreater(by_rate["100"]["load_gbs"], 0)
        for row in by_rate.values():
            self.assertGreater(row["ns/hop"], 0)

    def test_one_thread_has_no_loaded_latency(self):
        self.assertFalse(names(*SMALL, "--weft_threads=1", "--benchmark_filter=stream/copy|loaded")
                         [-1].startswith("stream/loaded"))

    def test_the_default_array_is_clamped_to_memory_and_says_so(self):
        arguments = [argument for argument in SMALL if "array" not in argument]
        result = run(*arguments, "--benchmark_filter=stream/copy/store:nt/array:[^/]*/threads:1/",
                     "--weft_memory=3MiB")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("/array:1MiB/", result.stdout)
        self.assertIn("clamped", result.stdout)
        self.assertEqual(result.stderr.count("clamped"), 1)

    def test_arrays_beyond_the_budget_are_an_error_of_their_cells(self):
        data = run_json(*SMALL, "--weft_stream_array=4160B,32MiB", status=1,
                        *["--benchmark_filter=stream/copy/store:nt/array:[^/]*/threads:1/"])
        small, large = rows(data)
        self.assertFalse(small.get("error_occurred"))
        self.assertIn("--weft_memory", large["error_message"])

    def test_listing_and_a_filter_that_matches_nothing_allocate_nothing(self):
        huge = ["--weft_stream_array=1024GiB", "--weft_memory=4096GiB", "--weft_threads=1"]
        self.assertIn("array:1024GiB", run("--benchmark_list_tests", *huge).stdout)
        self.assertEqual(run(*huge, "--benchmark_filter=stream/none").returncode, 2)

    def test_an_interruption_keeps_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [*bench.COMMAND, *SMALL, "--weft_stream_array=4160B,16MiB", "--weft_progress",
                 "--benchmark_filter=stream/", "--benchmark_repetitions=1000",
                 "--benchmark_out=" + os.path.join(folder, "out.json")],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
                text = file.read()
        self.assertIn("interrupted", text)

    def test_bad_values_are_refused(self):
        for flag, fragment in (("--weft_stream_array=100B", "64"), ("--weft_stream_array=", "auto"),
                               ("--weft_stream_slice=x", "auto"), ("--weft_stream_sweep=1", "1.01"),
                               ("--weft_stream_sweep=x", "none"), ("--weft_stream_rate=101", "100"),
                               ("--weft_vendor_gbs=-1", "GB/s"), ("--weft_vendor_gbs=1e3", "GB/s"),
                               ("--weft_load=1024", "1023"), ("--weft_load=-1", "1023"),
                               ("--weft_oversubscribe=2", "true")):
            with self.subTest(flag=flag):
                result = run(*SMALL, flag)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(fragment, result.stderr)
                self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    bench.main()
