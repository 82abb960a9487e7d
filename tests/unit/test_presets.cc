/* SPDX-License-Identifier: MIT */
/* What flags are where nothing, a preset or the machine says it, and which setting wins. */
#include "presets.h"

#include <cstring>

extern "C" {
#include "machine/affinity.h"
#include "machine/topology.h"
}
#include "flags_parsed.h" /* last: cmocka has a macro fail() */

using namespace weft;

static void defaults_are_those_of_the_documentation(void **)
{
    const Parsed parsed = parse({});
    const Flags &flags = parsed.flags;

    assert_string_equal(parsed.error.c_str(), "");
    assert_true(parsed.notes.empty());
    assert_string_equal(flags.preset.c_str(), "default");
    assert_true(flags.sizes ==
                (std::vector<std::uint64_t>{8 * mib, 32 * mib, 128 * mib, 512 * mib}));
    assert_true(flags.depths == std::vector<std::size_t>{12});
    assert_true(flags.branches == std::vector<bool>{false});
    assert_true(flags.payloads == std::vector<std::size_t>{64});
    assert_true(flags.groups ==
                (std::vector<std::size_t>{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}));
    assert_true(flags.hints == std::vector<weft_hint>{WEFT_HINT_T0});
    assert_true(flags.distances == (std::vector<unsigned>{0, 4, 8, 16, 32, 64, 128, 256}));
    assert_true(flags.limits);
    assert_true(flags.pages == std::vector<weft_pages>{WEFT_PAGES_THP});
    assert_int_equal(flags.lookups, 500000);
    assert_int_equal(flags.warmup_batches, 1);
    assert_true(flags.threads == std::vector<unsigned>{1});
    assert_true(flags.cpus == std::vector<CpuSetting>(1));
    assert_true(flags.memory_bytes == 512 * mib);
    assert_string_equal(flags.csv_path.c_str(), "");
    assert_false(flags.progress);
    assert_false(flags.help);
    assert_string_equal(last_google(parsed, "--benchmark_repetitions").c_str(), "1");
    assert_string_equal(last_google(parsed, "--benchmark_min_time").c_str(),
                        min_time("0.1").c_str());
}

static void every_preset_parses_and_says_how_often_and_how_long(void **)
{
    for (const Preset &preset : presets) {
        const Parsed parsed = parse({std::string("--weft_preset=") + preset.name});
        assert_string_equal(parsed.error.c_str(), "");
        assert_string_equal(parsed.flags.preset.c_str(), preset.name);
        assert_string_not_equal(last_google(parsed, "--benchmark_repetitions").c_str(), "");
        assert_string_not_equal(last_google(parsed, "--benchmark_min_time").c_str(), "");
    }
}

static void preset_amaco2_is_five_runs_after_two_warm_up_batches(void **)
{
    const Parsed parsed = parse({"--weft_preset=amaco2"});

    assert_int_equal(parsed.flags.warmup_batches, 2);
    assert_int_equal(parsed.flags.lookups, 500000);
    assert_true(parsed.flags.pages == std::vector<weft_pages>{WEFT_PAGES_4K});
    assert_int_equal(parsed.flags.groups.size(), 15);
    assert_string_equal(last_google(parsed, "--benchmark_repetitions").c_str(), "5");
    assert_true(std::stod(last_google(parsed, "--benchmark_min_time")) <= 1e-6);
}

static void the_users_arguments_win_over_the_presets_wherever_they_stand(void **)
{
    const Parsed parsed = parse({"--weft_group=3", "--benchmark_repetitions=7",
                                 "--weft_preset=quick", "--benchmark_filter=serial"});

    assert_true(parsed.flags.groups == std::vector<std::size_t>{3});
    assert_true(parsed.flags.sizes == (std::vector<std::uint64_t>{8 * mib, 512 * mib}));
    assert_int_equal(parsed.flags.lookups, 200000);
    assert_true(parsed.google == (std::vector<std::string>{
                                     "weft-bench", "--benchmark_repetitions=3",
                                     "--benchmark_min_time=" + min_time("0.05"),
                                     "--benchmark_repetitions=7", "--benchmark_filter=serial"}));
}

static void the_last_setting_of_a_flag_wins(void **)
{
    const Parsed parsed =
        parse({"--weft_preset=full", "--weft_group=3,3", "--weft_group=4", "--weft_preset=quick"});

    assert_string_equal(parsed.flags.preset.c_str(), "quick");
    assert_true(parsed.flags.groups == std::vector<std::size_t>{4});
    assert_true(parsed.notes.empty());
    assert_refused(parse({"--weft_group=0", "--weft_group=4"}), "--weft_group=0", "out of range");
}

static void a_preset_leaves_out_multiples_of_a_cache_that_is_not_told(void **)
{
    FlagMachine blank = machine;
    blank.cache_bytes = {};

    const Parsed parsed = parse({"--weft_preset=full"}, blank);
    assert_string_equal(parsed.error.c_str(), "");
    assert_int_equal(parsed.flags.sizes.size(), 7);
    assert_int_equal(parsed.notes.size(), 1);
    assert_refused(parse({"--weft_size=1MiB,4xLLC"}, blank), "--weft_size=1MiB,4xLLC",
                   "does not tell the size of its LLC");
}

static void only_the_presets_huge_pages_fall_back_where_they_are_off(void **)
{
    FlagMachine off = machine;
    off.thp_available = false;

    for (const char *preset : {"--weft_preset=quick", "--weft_preset=full"}) {
        const Parsed fallen = parse({preset, "--weft_size=1MiB"}, off);
        assert_true(fallen.flags.pages == std::vector<weft_pages>{WEFT_PAGES_4K});
        assert_int_equal(fallen.notes.size(), 1);
        assert_non_null(std::strstr(fallen.notes[0].c_str(), "becomes 4k"));
    }
    const Parsed wished = parse({"--weft_pages=thp"}, off);
    assert_true(wished.flags.pages == std::vector<weft_pages>{WEFT_PAGES_THP});
    assert_true(wished.notes.empty());
    assert_true(parse({"--weft_preset=amaco2"}, off).notes.empty());
}

static void bandwidth_takes_the_machines_sizes_and_thread_counts_by_itself(void **)
{
    FlagMachine large = machine;
    large.memory_available_bytes = 8192 * mib;
    const Flags flags = parse({}, large).flags;

    assert_true(flags.stream_arrays == std::vector<std::uint64_t>{512 * mib});
    assert_int_equal(flags.stream_array_clamped, 0);
    assert_true(flags.stream_slices == std::vector<std::uint64_t>{64 * 1024});
    assert_true(flags.stream_threads == (std::vector<unsigned>{1, 2, 4}));
    assert_true(flags.loads == std::vector<unsigned>{0});
    assert_true(flags.stream_sweep == 0 && flags.vendor_gbs == 0 && !flags.oversubscribe);
}

static void the_users_threads_are_those_of_bandwidth_too(void **)
{
    assert_true(parse({"--weft_threads=1"}).flags.stream_threads == std::vector<unsigned>{1});
    assert_true(parse({"--weft_threads=3,2"}).flags.stream_threads ==
                (std::vector<unsigned>{3, 2}));
}

static void the_default_array_is_clamped_to_memory_and_to_the_budget(void **)
{
    const Flags clamped = parse({}).flags; /* 1 GiB is available */
    assert_true(clamped.stream_arrays == std::vector<std::uint64_t>{128 * mib});
    assert_true(clamped.stream_array_clamped == 128 * mib);

    /* Wherever the budget's flag stands. */
    const Flags budget = parse({"--weft_memory=64MiB", "--weft_stream_array=auto"}).flags;
    assert_true(budget.stream_arrays == std::vector<std::uint64_t>{16 * mib});

    const Flags named = parse({"--weft_stream_array=auto,1MiB,128MiB"}).flags;
    assert_true(named.stream_arrays == (std::vector<std::uint64_t>{mib, 128 * mib}));
    assert_int_equal(named.stream_array_clamped, 0);
}

static void the_machine_that_is_asked_is_this_one(void **)
{
    const FlagMachine here = this_machine();
    std::vector<std::string> notes;

    assert_true(here.memory_available_bytes > 0);
    assert_true(std::is_sorted(here.allowed_cpus.begin(), here.allowed_cpus.end()));
    for (const int cpu : here.allowed_cpus) {
        std::vector<std::string> arguments = {"weft-bench", "--weft_cpu=" + std::to_string(cpu)};
        assert_true(weft_affinity_allows(cpu));
        assert_int_equal(parse_flags(arguments, notes).cpus[0].cpu, cpu);
    }
    assert_true(here.cache_bytes[0] == weft_last_level_cache_bytes());
    assert_true(here.cache_bytes[2] == weft_cache_bytes(2));
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_documentation),
        cmocka_unit_test(every_preset_parses_and_says_how_often_and_how_long),
        cmocka_unit_test(preset_amaco2_is_five_runs_after_two_warm_up_batches),
        cmocka_unit_test(the_users_arguments_win_over_the_presets_wherever_they_stand),
        cmocka_unit_test(the_last_setting_of_a_flag_wins),
        cmocka_unit_test(a_preset_leaves_out_multiples_of_a_cache_that_is_not_told),
        cmocka_unit_test(only_the_presets_huge_pages_fall_back_where_they_are_off),
        cmocka_unit_test(bandwidth_takes_the_machines_sizes_and_thread_counts_by_itself),
        cmocka_unit_test(the_users_threads_are_those_of_bandwidth_too),
        cmocka_unit_test(the_default_array_is_clamped_to_memory_and_to_the_budget),
        cmocka_unit_test(the_machine_that_is_asked_is_this_one),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
