# SPDX-License-Identifier: MIT
"""What weft-bench measures and records: cells, names, counters, context, files."""

import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

import bench
from bench import SMALL, run, run_json

TOOLS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
sys.path.insert(0, TOOLS)
from weft.names import format_name, parse_name  # noqa: E402

VARIANTS = ["serial", "scalar", "scalar-prefetch", "async-no-prefetch", "async-prefetch", "amac",
            "gp", "spp", "fiber-no-prefetch", "fiber-prefetch"]
PROBE_VARIANTS = ["scalar", "scalar-prefetch", "async-no-prefetch", "async-prefetch", "amac", "gp",
                  "spp"]
COUNTERS = ["ns/lookup", "ns/hop", "items_per_second", "checksum", "involuntary_switches",
            "cpu_share", "minor_faults", "mlp", "roofline", "limits_age_s"]
LIMIT_COUNTERS = {
    "latency": ["ns/load", "checksum"],
    "random-read": ["ns/line", "GB/s"],
    "clock": ["GHz", "GHz_by_adds", "multiply_to_add", "multiply_latency_cycles"],
    "prefetch-burst": ["ns/line", "issue_ns", "loads_ns", "latency_ns", "lines_in_flight"],
}
CONTEXT = ["cpu_model", "cores", "threads", "allowed_cpus", "l1d_bytes", "l2_bytes", "l3_bytes",
           "numa_nodes", "memory_bytes", "kernel", "hypervisor", "governor", "turbo", "thp_enabled",
           "load_average", "swap_used_bytes", "c_compiler", "compiler_flags", "version",
           "git_commit", "seed", "preset"]


def rows(data: dict) -> list:
    return [row for row in data["benchmarks"] if row.get("run_type") == "iteration"]


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = run_json(*SMALL, "--benchmark_filter=^(chase|limit)/")

    def test_every_variant_has_its_cells(self):
        names = [parse_name(row["name"]) for row in rows(self.data)]
        self.assertEqual({name.variant for name in names if name.family == "chase"}, set(VARIANTS))

    def test_every_cell_has_every_counter(self):
        for row in rows(self.data):
            if not row["name"].startswith("chase/"):
                continue
            for counter in COUNTERS:
                self.assertIn(counter, row, row["name"])
            self.assertAlmostEqual(row["ns/hop"] * 12, row["ns/lookup"], delta=1e-6 * row["ns/lookup"])
            self.assertAlmostEqual(row["items_per_second"] * row["ns/lookup"], 1e9, delta=1e4)
            self.assertTrue(0 < row["cpu_share"] <= 1)

    def test_limits_are_consistent_in_every_cell(self):
        for row in rows(self.data):
            if row["name"].startswith("chase/"):
                self.assertGreater(row["mlp"], 0, row["name"])
                self.assertGreater(row["roofline"], 0, row["name"])
                self.assertTrue(0 <= row["limits_age_s"] < 60, row["name"])
                # 1.05 itself may be rounded either way.
                if abs(row["roofline"] - 1.05) > 1e-6:
                    self.assertEqual(row["roofline"] > 1.05,
                                     "roofline_fault" in row.get("label", ""), row["name"])

    def test_every_limit_has_its_cells_and_counters(self):
        names = [parse_name(row["name"]) for row in rows(self.data)]
        self.assertEqual({name.variant for name in names if name.family == "limit"},
                         set(LIMIT_COUNTERS))
        for row in rows(self.data):
            name = parse_name(row["name"])
            if name.family != "limit":
                continue
            for counter in LIMIT_COUNTERS[name.variant]:
                self.assertTrue(0 < row[counter] < math.inf, (row["name"], counter))
            if name.variant == "random-read":
                self.assertAlmostEqual(row["GB/s"] * row["ns/line"], 64, places=6)
            if name.variant == "prefetch-burst":
                self.assertRegex(row["label"], "^(room|stalls|drops)")
            if name.variant == "clock":
                possible = abs(row["multiply_to_add"] / row["multiply_latency_cycles"] - 1) <= 0.1
                self.assertEqual(possible, "impossible" not in row.get("label", ""))

    def test_pages_are_proven_or_unknown(self):
        for row in rows(self.data):
            if row["name"].startswith("limit/clock/"):
                continue  # it reads no memory
            if "pages_obtained_share" in row:
                self.assertGreaterEqual(row["pages_obtained_share"], 0.95)
                self.assertGreater(row["page_bytes"], 0)
            else:
                self.assertIn("unknown", row.get("label", ""))

    def test_checksum_is_the_same_for_all_variants_but_serial(self):
        sums = {row["checksum"] for row in rows(self.data)
                if row["name"].startswith("chase/") and "/serial/" not in row["name"]}
        self.assertEqual(len(sums), 1)
        self.assertLess(sums.pop(), 2**53)

    def test_context_says_machine_build_and_flags(self):
        for key in CONTEXT:
            value = self.data["context"].get("weft_" + key)
            self.assertTrue(value, key)
        self.assertEqual(self.data["context"]["weft_preset"], "default")

    def test_checksums_are_those_of_every_machine_and_compiler(self):
        for row in rows(self.data):
            if row["name"].startswith("chase/"):
                expected = SERIAL_CHECKSUM if "/serial/" in row["name"] else CHECKSUM
                self.assertEqual(row["checksum"], expected, row["name"])


class Probes(unittest.TestCase):
    def test_probes_are_measured_where_a_chain_is_given(self):
        data = run_json(*SMALL, "--weft_chain=2,8", "--benchmark_filter=probe/")
        names = [parse_name(row["name"]) for row in rows(data)]
        self.assertEqual({name.variant for name in names}, set(PROBE_VARIANTS))
        self.assertEqual({name.get("chain") for name in names}, {"2", "8"})
        self.assertEqual({name.get("depth") for name in names}, {None})
        for chain, checksum in PROBE_CHECKSUMS.items():
            sums = {row["checksum"] for row, name in zip(rows(data), names)
                    if name.get("chain") == chain}
            self.assertEqual(sums, {checksum})


# Of --weft_size=64KiB --weft_lookups=100 with the default seed.
PROBE_CHECKSUMS = {"2": 86743, "8": 91392}
CHECKSUM = 628756
SERIAL_CHECKSUM = 539176


class Names(unittest.TestCase):
    def names(self, *arguments: str) -> list:
        return run("--benchmark_list_tests", *arguments).stdout.split()

    def test_names_round_trip(self):
        names = self.names("--weft_size=64B,100KiB,1GiB", "--weft_group=1,80",
                           "--weft_hint=t0,nta", "--weft_pages=4k,2m", "--weft_threads=1,2",
                           "--weft_cpu=auto,none", "--weft_branch=0,1", "--weft_payload=64,128")
        self.assertGreater(len(names), 1000)
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, r"^[A-Za-z0-9_:/-]+/manual_time$")
            self.assertEqual(format_name(parse_name(name)), name)

    def test_keys_stand_in_their_order_and_defaults_are_left_out(self):
        (name,) = self.names("--weft_size=8MiB", "--weft_group=8", "--weft_pages=4k",
                             "--benchmark_filter=async-prefetch")
        self.assertEqual(name, "chase/async-prefetch/size:8MiB/depth:12/pages:4k/hint:t0/group:8"
                               "/manual_time")
        (name,) = self.names("--weft_size=8MiB", "--weft_group=8", "--weft_pages=4k",
                             "--weft_cpu=none", "--weft_threads=2", "--benchmark_filter=chase/gp")
        self.assertEqual(name, "chase/gp/size:8MiB/depth:12/pages:4k/cpu:none/hint:t0/group:8"
                               "/threads:2/manual_time")

    def test_limits_go_from_16_kib_to_the_largest_size_and_over_hints_and_distances(self):
        names = self.names("--weft_size=100KiB,64B", "--weft_pages=4k", "--weft_threads=1,2",
                           "--weft_distance=0,256", "--benchmark_filter=^limit/")
        sizes = [parse_name(name).get("size") for name in names if "limit/latency/" in name]
        self.assertEqual(sizes, [size for size in ("16KiB", "32KiB", "64KiB", "100KiB")
                                 for _ in range(2)])
        reads = [name for name in names if "/size:64B/" in name and "threads" not in name]
        self.assertEqual(reads, [f"limit/random-read/size:64B/pages:4k/hint:{way}/manual_time"
                                 for way in ("none/distance:0", *(
                                     f"{hint}/distance:{distance}"
                                     for hint in ("t0", "t1", "t2", "nta")
                                     for distance in (0, 256)))])
        self.assertEqual(names.count("limit/clock/manual_time"), 1)
        bursts = [int(parse_name(name).get("n")) for name in names if "prefetch-burst" in name]
        self.assertEqual((min(bursts), max(bursts)), (1, 256))
        self.assertEqual([name for name in names if "prefetch-burst" in name],
                         [f"limit/prefetch-burst/n:{n}/manual_time" for n in bursts])

    def test_branch_and_payload_stand_behind_depth_and_are_left_out_at_their_defaults(self):
        names = self.names("--weft_size=8MiB", "--weft_pages=4k", "--weft_branch=1,0",
                           "--weft_payload=128,64", "--benchmark_filter=chase/scalar/")
        self.assertEqual([name.split("depth:12")[1] for name in names],
                         [f"{branch}{payload}/pages:4k/manual_time"
                          for payload in ("", "/payload:128") for branch in ("/branch:1", "")])

    def test_a_group_in_a_filter_matches_no_longer_number(self):
        names = self.names("--weft_size=8MiB", "--weft_group=8,80", "--benchmark_filter=group:8/")
        self.assertTrue(names)
        self.assertFalse([name for name in names if "group:80" in name])

    def test_cases_are_ordered_by_size_then_pages(self):
        keys = [(parse_name(name).get("size"), parse_name(name).get("pages"))
                for name in self.names("--weft_size=2MiB,1MiB", "--weft_pages=thp,4k",
                                       "--benchmark_filter=^chase/|random-read/")]
        changes = sum(a != b for a, b in zip(keys, keys[1:]))
        self.assertEqual(changes, 3)
        self.assertEqual(keys[0], ("1MiB", "4k"))

    def test_no_filter_and_each_filter_for_everything_give_the_same_cases(self):
        names = self.names("--weft_size=8MiB")
        self.assertGreater(len(names), 100)
        for everything in ("", "all", ".", "/"):
            self.assertEqual(self.names("--weft_size=8MiB", f"--benchmark_filter={everything}"),
                             names)
            result = run("--benchmark_list_tests", "--weft_size=8MiB",
                         env={**os.environ, "BENCHMARK_FILTER": everything})
            self.assertEqual(result.stdout.split(), names)
        result = run("--benchmark_list_tests", "--weft_size=8MiB",
                     env={**os.environ, "BENCHMARK_FILTER": "^fiber/"})
        self.assertEqual(result.stdout.split(), [name for name in names if "fiber/" in name])

    def test_listing_allocates_nothing(self):
        result = run("--benchmark_list_tests", "--weft_size=1024GiB", "--weft_memory=1024GiB")
        self.assertEqual(result.returncode, 0)
        self.assertIn("/size:1024GiB/", result.stdout)


class Files(unittest.TestCase):
    def test_csv_has_one_row_for_each_timed_batch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.csv")
            result = run("--weft_preset=amaco2", *SMALL[:-1], f"--weft_csv={path}",
                         "--benchmark_filter=chase/(scalar|async-prefetch)/")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                table = list(csv.DictReader(file))
        self.assertEqual(list(table[0]), ["variant", "workload_size_mb", "depth", "group_size",
                                          "hint", "run_id", "ns_total", "ns_per_lookup",
                                          "lookups_per_sec", "checksum"])
        cells = {(row["variant"], row["group_size"]) for row in table}
        self.assertEqual(cells, {("scalar", "1"), ("async-prefetch", "1"), ("async-prefetch", "3")})
        self.assertEqual(len(table), 3 * 5)
        for run_id in "01234":
            sums = {row["checksum"] for row in table if row["run_id"] == run_id}
            self.assertEqual(len(sums), 1)
        for row in table:
            self.assertEqual(float(row["workload_size_mb"]), 0.0625)
            self.assertTrue(math.isclose(float(row["ns_per_lookup"]), int(row["ns_total"]) / 100,
                                         rel_tol=1e-3))

    def test_two_runs_are_compared_by_compare_py(self):
        compare = os.path.join(TOOLS, "compare")
        if subprocess.run([compare, "--check"], capture_output=True, check=False).returncode != 0:
            self.skipTest("compare.py, numpy or scipy was not found")
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.json", "b.json")]
            for path in paths:
                run(*SMALL, "--benchmark_filter=chase/(scalar|gp)/", f"--benchmark_out={path}")
            result = subprocess.run([compare, "--no-color", *paths], capture_output=True, text=True,
                                    check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("chase/gp/size:64KiB/depth:12/pages:4k/hint:t0/group:3/manual_time",
                      result.stdout)

    def test_random_interleaving_gives_the_same_cells(self):
        data = run_json(*SMALL, "--benchmark_enable_random_interleaving=true",
                        "--benchmark_repetitions=3", "--benchmark_filter=chase/(scalar|gp)/")
        names = {row["name"] for row in rows(data)}
        self.assertEqual(len(names), 3)
        self.assertEqual(len(rows(data)), 9)

    def test_limits_can_be_left_out(self):
        data = run_json(*SMALL, "--weft_limits=off", "--benchmark_filter=chase/(scalar|gp)/")
        for row in rows(data):
            for counter in ("mlp", "roofline", "limits_age_s"):
                self.assertNotIn(counter, row)
            self.assertNotIn("roofline_fault", row.get("label", ""))

    def test_progress_shows_the_figure_of_every_limit(self):
        result = run(*SMALL, "--weft_progress", "--weft_distance=8", "--benchmark_filter=limit/")
        for line in result.stdout.splitlines():
            self.assertRegex(line, r"  [\d.e+-]+ (ns/load|ns/line|GHz)  ")

    def test_repetitions_give_median_and_cv(self):
        data = run_json(*SMALL, "--benchmark_repetitions=3", "--benchmark_filter=chase/scalar/")
        aggregates = {row["aggregate_name"] for row in data["benchmarks"]
                      if row["run_type"] == "aggregate"}
        self.assertLessEqual({"median", "cv"}, aggregates)

    def test_progress_lines_count_to_the_number_of_cells(self):
        result = run(*SMALL, "--weft_progress", "--benchmark_filter=chase/.*prefetch/")
        lines = result.stdout.splitlines()
        for i, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^\[ *{i}/{len(lines)}\] chase/\S+/manual_time  "
                                   r"[\d.e+]+ ns/lookup  \d+:\d\d left$")
        self.assertGreater(len(lines), 3)

    def test_threads_share_a_batch_and_keep_the_checksum(self):
        data = run_json(*SMALL, "--weft_threads=1,2", "--weft_cpu=none",
                        "--benchmark_filter=chase/(scalar|async-prefetch|serial)/")
        sums = {(("/serial/" in row["name"]), row["checksum"]) for row in rows(data)}
        self.assertEqual(len(sums), 2)
        for row in rows(data):
            if "threads:2" in row["name"]:
                fastest, slowest = (row[f"{which}_thread_ns/lookup"] for which in ("fastest", "slowest"))
                self.assertLessEqual(fastest, slowest)
                # The span of a batch is at least its slowest thread's time.
                self.assertLessEqual(slowest, 2 * row["ns/lookup"] * (1 + 1e-9))
            else:
                self.assertNotIn("slowest_thread_ns/lookup", row)
        self.assertTrue(any("threads:2" in row["name"] for row in rows(data)))

    def test_branches_and_payloads_are_cells_of_every_variant(self):
        data = run_json(*SMALL, "--weft_branch=0,1", "--weft_payload=64,256",
                        "--weft_group=3", "--benchmark_filter=chase/")
        sums = {}
        for row in rows(data):
            name = parse_name(row["name"])
            key = (name.get("branch"), name.get("payload"), name.variant == "serial")
            sums.setdefault(key, {}).setdefault(row["checksum"], []).append(name.variant)
        self.assertEqual(len(sums), 8)
        for key, variants in sums.items():
            self.assertEqual(len(variants), 1, key)
            self.assertEqual(len(*variants.values()), 1 if key[2] else len(VARIANTS) - 1)
        self.assertEqual(len({value for of_key in sums.values() for value in of_key}), 8)


class Help(unittest.TestCase):
    def test_help_names_every_flag_variant_and_preset(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for word in VARIANTS + ["quick", "default", "full", "amaco2"]:
            self.assertTrue(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", result.stdout), word)
        for flag in ["preset", "size", "depth", "branch", "payload", "group", "hint", "distance", "limits", "pages", "lookups", "warmup",
                     "threads", "cpu", "seed", "memory", "csv"]:
            self.assertIn("--weft_" + flag, result.stdout)
        for flag in ["filter", "out", "repetitions", "min_time", "list_tests"]:
            self.assertIn("--benchmark_" + flag, result.stdout)


if __name__ == "__main__":
    bench.main()
