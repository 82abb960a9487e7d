/* SPDX-License-Identifier: MIT */
#include "flags.h"
#include "gb_compat.h"
#include "presets.h"
#include "values.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "cmocka_main.h"
#include "lookup/variant.h"
#include "machine/affinity.h"
#include "machine/topology.h"
}

using namespace weft;

static constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/* A last-level cache of 32 MiB, an L3 that divides no power of two, no L1 told; processors 1 to 3
 * and 6. */
static const FlagMachine machine = {
    {32 * mib, 0, 512 * 1024, 24 * mib}, {1, 2, 3, 6}, true, 1024 * mib};

struct Parsed {
    Flags flags;
    std::vector<std::string> google;
    std::vector<std::string> notes;
    std::string error; /* empty: parsed */
};

static Parsed parse(const std::vector<std::string> &own, const FlagMachine &on = machine)
{
    Parsed parsed;

    parsed.google = {"weft-bench"};
    parsed.google.insert(parsed.google.end(), own.begin(), own.end());
    try {
        parsed.flags = parse_flags(parsed.google, parsed.notes, on);
    } catch (const FlagError &error) {
        parsed.error = error.message;
    }
    return parsed;
}

static bool contains(const std::vector<std::string> &texts, const std::string &text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/* What Google Benchmark would go by: the last setting of `name`, "" when there is none. */
static std::string last_google(const Parsed &parsed, const std::string &name)
{
    std::string value;

    for (const std::string &text : parsed.google)
        if (text.starts_with(name + "="))
            value = text.substr(name.size() + 1);
    return value;
}

static std::string min_time(const std::string &seconds)
{
    return seconds + (gb_min_time_has_unit ? "s" : "");
}

static void assert_refused(const Parsed &parsed, const std::string &argument,
                           const std::string &fragment)
{
    if (!parsed.error.starts_with(argument + ": ") ||
        parsed.error.find(fragment) == std::string::npos ||
        parsed.error.find("; allowed: ") == std::string::npos ||
        parsed.error.find('\n') != std::string::npos)
        fail_msg("%s, expected '%s', gave: %s", argument.c_str(), fragment.c_str(),
                 parsed.error.c_str());
}

static void wrong_values_name_flag_fault_and_what_is_allowed(void **)
{
    static const struct {
        const char *argument;
        const char *fragment;
    } rows[] = {
        {"--weft_preset=", "the value is empty; allowed: quick, default, full or amaco2"},
        {"--weft_preset=slow", "slow is not a preset"},
        {"--weft_size=", "the list is empty"},
        {"--weft_size", "write --weft_size=<value>"},
        {"--weft_size=,1MiB", "begins with a comma"},
        {"--weft_size=1MiB,", "ends with a comma"},
        {"--weft_size=1MiB,,2MiB", "doubled comma"},
        {"--weft_size=,", "a comma"},
        {"--weft_size=-1MiB", "-1MiB is negative"},
        {"--weft_size=-2xLLC", "-2xLLC is negative"},
        {"--weft_size=0MiB", "less than one node of 64 B"},
        {"--weft_size=0xL2", "less than one node of 64 B"},
        {"--weft_size=0.0001xL2", "less than one node of 64 B"},
        {"--weft_size=63B", "less than one node of 64 B"},
        {"--weft_size=100B", "not a multiple of a node's 64 B"},
        {"--weft_size=1024", "1024 has no unit"},
        {"--weft_size=8MB", "8MB is not a size"},
        {"--weft_size=8mib", "8mib is not a size"},
        {"--weft_size=MiB", "MiB is not a size"},
        {"--weft_size=1.5MiB", "1.5MiB is not a size"},
        {"--weft_size=8 MiB", "8 MiB is not a size"},
        {"--weft_size=8MiB ", "8MiB  is not a size"},
        {"--weft_size=big", "big is not a size"},
        {"--weft_size=17179869184GiB", "does not fit 64 bits"},
        {"--weft_size=99999999999999999999B", "is out of range"},
        {"--weft_size=999999999999999xL2", "does not fit 64 bits"},
        {"--weft_size=733007751850.9xL3", "does not fit 64 bits"},
        {"--weft_size=4xL1", "this machine does not tell the size of its L1"},
        {"--weft_size=4xL4", "there is no cache L4"},
        {"--weft_size=.5xL2", ".5xL2 is not a size"},
        {"--weft_size=1.xL2", "1.xL2 is not a size"},
        {"--weft_size=1.2.3xL2", "1.2.3xL2 is not a size"},
        {"--weft_size=xL2", "xL2 is not a size"},
        {"--weft_depth=0", "0 is out of range"},
        {"--weft_depth=1048577", "1048577 is out of range"},
        {"--weft_depth=12,", "ends with a comma"},
        {"--weft_branch=2", "2 is out of range; allowed: a comma-separated list of 0 and 1"},
        {"--weft_branch=yes", "yes is not a whole number"},
        {"--weft_payload=32", "32 is out of range"},
        {"--weft_payload=96", "96 is not a multiple of a line's 64 B"},
        {"--weft_payload=8192", "8192 is out of range"},
        {"--weft_group=0",
         "0 is out of range; allowed: a comma-separated list of whole numbers from 1 to 1024"},
        {"--weft_group=1025", "1025 is out of range"},
        {"--weft_group=-1", "-1 is negative"},
        {"--weft_group=+1", "+1 is not a whole number"},
        {"--weft_group=0x10", "0x10 is not a whole number"},
        {"--weft_group=1e2", "1e2 is not a whole number"},
        {"--weft_group=8 ", "8  is not a whole number"},
        {"--weft_group= 8", " 8 is not a whole number"},
        {"--weft_group=1,two", "two is not a whole number"},
        {"--weft_group=18446744073709551617", "is out of range"},
        {"--weft_group=1,,2", "doubled comma"},
        {"--weft_group=", "the list is empty"},
        {"--weft_group", "write --weft_group=<value>"},
        {"--weft_hint=t3", "t3 is not a hint"},
        {"--weft_hint=T0", "T0 is not a hint"},
        {"--weft_hint=none", "none is not a hint"},
        {"--weft_hint=", "the list is empty"},
        {"--weft_distance=257", "257 is out of range"},
        {"--weft_limits=yes", "yes is neither on nor off; allowed: on or off"},
        {"--weft_limits=", "the value is empty"},
        {"--weft_pages=4K", "4K is not a page policy"},
        {"--weft_pages=huge", "huge is not a page policy"},
        {"--weft_lookups=0", "0 is out of range"},
        {"--weft_lookups=4294967296", "is out of range"},
        {"--weft_lookups=1,2", "1,2 is not a whole number"},
        {"--weft_lookups=", "the value is empty"},
        {"--weft_warmup=1001", "is out of range"},
        {"--weft_warmup=-1", "-1 is negative"},
        {"--weft_threads=0", "0 is out of range"},
        {"--weft_threads=1025", "is out of range"},
        {"--weft_cpu=0", "processor 0 is outside the allowed mask; allowed: auto, none and the "
                         "processors 1-3,6"},
        {"--weft_cpu=auto,4", "processor 4 is outside the allowed mask"},
        {"--weft_cpu=all", "all is not a whole number"},
        {"--weft_cpu=-1", "-1 is negative"},
        {"--weft_cpu=99999999999", "is out of range"},
        {"--weft_seed=18446744073709551616", "is out of range"},
        {"--weft_seed=-1", "-1 is negative"},
        {"--weft_seed=abc", "abc is not a whole number"},
        {"--weft_memory=0GiB", "less than one node"},
        {"--weft_memory=2", "2 has no unit"},
        {"--weft_memory=", "the value is empty"},
        {"--weft_csv=", "the value is empty"},
        {"--weft_csv=/", "/ cannot be written: Is a directory"},
        {"--weft_csv=/no/such/folder/x.csv", "cannot be written: No such file or directory"},
        {"--weft_csv=/proc/weft.csv", "cannot be written"},
        {"--weft_progress=yes", "yes is neither true nor false"},
        {"--weft_gruop=1", "did you mean --weft_group?"},
        {"--weft_sizes=1MiB", "did you mean --weft_size?"},
        {"--weft_colour=red", "there is no such flag; allowed: --weft_preset, --weft_size"},
        {"--weft_Group=1", "did you mean --weft_group?"},
        {"quick", "this is no flag"},
        {"-weft_group=1", "this is no flag"},
        {"--verbose", "this is no flag"},
        {"--benchmark_format=csv", "--weft_csv=<file>"},
        {"--benchmark_out_format=csv", "--weft_csv=<file>"},
        {"--benchmark_format=xml", "xml is not a format; allowed: console or json"},
        {"--benchmark_min_time=-1", "-1 is negative"},
        {"--benchmark_min_time=-1s", "-1 is negative"},
        {"--benchmark_min_time=", "the value is empty"},
        {"--benchmark_min_time=s", "the value is empty"},
        {"--benchmark_min_time", "write --benchmark_min_time=<value>"},
        {"--benchmark_min_time=fast", "is not a number of seconds"},
        {"--benchmark_min_time=0.1m", "is not a number of seconds"},
        {"--benchmark_min_time=0x1p3", "is not a number of seconds"},
        {"--benchmark_min_time= 1", "is not a number of seconds"},
        {"--benchmark_min_time=inf", "inf is not finite"},
        {"--benchmark_min_time=nan", "nan is not finite"},
        {"--benchmark_min_time=1e999", "1e999 is not finite"},
        {"--benchmark_min_warmup_time=-1", "-1 is negative"},
        {"--benchmark_repetitions=0", "0 is out of range"},
        {"--benchmark_repetitions=-3", "-3 is negative"},
        {"--benchmark_repetitions=few", "few is not a whole number"},
        {"--benchmark_repetitions=2147483648", "is out of range"},
        {"--benchmark_filter=(", "does not compile"},
        {"--benchmark_filter=-*a", "does not compile"},
        {"--benchmark_out=/no/such/folder/x.json", "cannot be written: No such file or directory"},
        {"--benchmark_out=/", "Is a directory"},
        {"--benchmark_time_unit=h", "h is not a unit of time"},
    };

    for (const auto &row : rows)
        assert_refused(parse({row.argument}), row.argument, row.fragment);
}

static void good_values_arrive(void **)
{
    static const struct {
        const char *argument;
        std::function<bool(const Flags &)> arrived;
    } rows[] = {
        {"--weft_size=64B,3KiB,1GiB",
         [](const Flags &f) {
             return f.sizes == std::vector<std::uint64_t>{64, 3072, 1024 * mib};
         }},
        {"--weft_size=4xLLC,0.5xL2,1xL3",
         [](const Flags &f) {
             return f.sizes == std::vector<std::uint64_t>{128 * mib, 256 * 1024, 24 * mib};
         }},
        /* 0.3 x 512 KiB is 157286.4 B, which is 2457 nodes and a part of one */
        {"--weft_size=0.3xL2", [](const Flags &f) { return f.sizes[0] == 2457 * 64; }},
        {"--weft_size=17179869183GiB",
         [](const Flags &f) { return f.sizes[0] == std::uint64_t{17179869183} << 30; }},
        {"--weft_depth=1,1048576",
         [](const Flags &f) {
             return f.depths == std::vector<std::size_t>{1, 1048576};
         }},
        {"--weft_branch=1,0",
         [](const Flags &f) {
             return f.branches == std::vector<bool>{true, false};
         }},
        {"--weft_payload=64,4096,128",
         [](const Flags &f) {
             return f.payloads == std::vector<std::size_t>{64, 4096, 128};
         }},
        {"--weft_group=1024,1,007",
         [](const Flags &f) {
             return f.groups == std::vector<std::size_t>{1024, 1, 7};
         }},
        {"--weft_hint=nta,t2,pldl2keep,t0",
         [](const Flags &f) {
             return f.hints ==
                    std::vector<weft_hint>{WEFT_HINT_NTA, WEFT_HINT_T2, WEFT_HINT_T1, WEFT_HINT_T0};
         }},
        {"--weft_distance=0,256",
         [](const Flags &f) {
             return f.distances == std::vector<unsigned>{0, 256};
         }},
        {"--weft_limits=off", [](const Flags &f) { return !f.limits; }},
        {"--weft_pages=4k,thp,2m,1g",
         [](const Flags &f) {
             return f.pages == std::vector<weft_pages>{WEFT_PAGES_4K, WEFT_PAGES_THP, WEFT_PAGES_2M,
                                                       WEFT_PAGES_1G};
         }},
        {"--weft_lookups=4294967295", [](const Flags &f) { return f.lookups == 4294967295; }},
        {"--weft_warmup=0", [](const Flags &f) { return f.warmup_batches == 0; }},
        {"--weft_threads=2,1",
         [](const Flags &f) {
             return f.threads == std::vector<unsigned>{2, 1};
         }},
        {"--weft_cpu=6,auto,none",
         [](const Flags &f) {
             return f.cpus == std::vector<CpuSetting>{{CpuSetting::Kind::number, 6},
                                                      {CpuSetting::Kind::automatic, 0},
                                                      {CpuSetting::Kind::none, 0}};
         }},
        {"--weft_seed=0", [](const Flags &f) { return f.seed == 0; }},
        {"--weft_seed=18446744073709551615", [](const Flags &f) { return f.seed == UINT64_MAX; }},
        {"--weft_memory=2GiB", [](const Flags &f) { return f.memory_bytes == 2048 * mib; }},
        {"--weft_csv=/dev/null", [](const Flags &f) { return f.csv_path == "/dev/null"; }},
        {"--weft_progress", [](const Flags &f) { return f.progress; }},
        {"--weft_progress=true", [](const Flags &f) { return f.progress; }},
        {"--weft_progress=false", [](const Flags &f) { return !f.progress; }},
    };

    for (const auto &row : rows) {
        const Parsed parsed = parse({row.argument});
        if (!parsed.error.empty() || !parsed.notes.empty() || !row.arrived(parsed.flags))
            fail_msg("%s: %s", row.argument, parsed.error.c_str());
    }
}

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

static void duplicates_are_dropped_and_said_once(void **)
{
    const Parsed sizes = parse({"--weft_size=1024KiB,2MiB,1MiB,2MiB"});
    assert_true(sizes.flags.sizes == (std::vector<std::uint64_t>{mib, 2 * mib}));
    assert_true(sizes.notes ==
                std::vector<std::string>{"--weft_size: named before, so dropped: 1MiB, 2MiB"});

    const Parsed hints = parse({"--weft_hint=t0,pldl1keep"});
    assert_true(hints.flags.hints == std::vector<weft_hint>{WEFT_HINT_T0});
    assert_int_equal(hints.notes.size(), 1);

    const Parsed cpus = parse({"--weft_cpu=auto,2,auto,02"});
    assert_int_equal(cpus.flags.cpus.size(), 2);
    assert_int_equal(cpus.notes.size(), 1);
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

static void any_processor_is_taken_where_no_mask_is_told(void **)
{
    FlagMachine maskless = machine;
    maskless.allowed_cpus.clear();

    assert_true(parse({"--weft_cpu=1000"}, maskless).flags.cpus ==
                (std::vector<CpuSetting>{{CpuSetting::Kind::number, 1000}}));
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

static void a_sweep_is_named_by_its_factor(void **)
{
    assert_true(parse({"--weft_stream_sweep"}).flags.stream_sweep == 2);
    assert_true(parse({"--weft_stream_sweep=1.2"}).flags.stream_sweep == 1.2);
    assert_true(parse({"--weft_preset=full"}).flags.stream_sweep == 1.2);
    assert_true(parse({"--weft_preset=full", "--weft_stream_sweep=none"}).flags.stream_sweep == 0);
    for (const char *text : {"", "1", "17", "-2", "1.", ".5", "1e1", "2x", "nan"})
        assert_true(!parse({std::string("--weft_stream_sweep=") + text}).error.empty());
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

static void either_spelling_of_min_time_suits_either_version(void **)
{
    for (const char *text : {"0.1", "0.1s"}) {
        assert_string_equal(parse_min_time(text, false).c_str(), "0.1");
        assert_string_equal(parse_min_time(text, true).c_str(), "0.1s");
        assert_string_equal(last_google(parse({std::string("--benchmark_min_time=") + text}),
                                        "--benchmark_min_time")
                                .c_str(),
                            min_time("0.1").c_str());
    }
    assert_string_equal(parse_min_time("1e-3", true).c_str(), "1e-3s");
    assert_string_equal(parse_min_time("10x", true).c_str(), "10x");
    for (const char *text : {"0x", "-1x", "x", "1.5x"}) {
        bool refused = false;
        try {
            parse_min_time(text, true);
        } catch (const ValueFault &) {
            refused = true;
        }
        assert_true(refused);
    }
    if (!gb_min_time_has_unit)
        assert_refused(parse({"--benchmark_min_time=10x"}), "--benchmark_min_time=10x", "1.8.0");
}

static void google_benchmarks_flags_pass_in_their_order(void **)
{
    for (const char *argument :
         {"--benchmark_filter=all", "--benchmark_filter=", "--benchmark_filter=-group:8/",
          "--benchmark_filter=^chase/(serial|amac)/.*", "--benchmark_format=json",
          "--benchmark_out_format=json", "--benchmark_out=", "--benchmark_list_tests",
          "--benchmark_list_tests=true", "--benchmark_enable_random_interleaving=true",
          "--benchmark_repetitions=9", "--benchmark_time_unit=ms", "--benchmark_of_the_future=1",
          "--v=2"}) {
        const Parsed parsed = parse({argument});
        assert_string_equal(parsed.error.c_str(), "");
        assert_string_equal(parsed.google.back().c_str(), argument);
    }
}

static void the_environment_counts_where_no_argument_does(void **)
{
    setenv("BENCHMARK_FORMAT", "csv", 1);
    const Parsed alone = parse({});
    const Parsed overruled = parse({"--benchmark_format=json"});
    unsetenv("BENCHMARK_FORMAT");
    setenv("BENCHMARK_OUT_FORMAT", "csv", 1);
    const Parsed file = parse({});
    unsetenv("BENCHMARK_OUT_FORMAT");
    setenv("BENCHMARK_REPETITIONS", "0", 1);
    const Parsed of_preset = parse({});
    unsetenv("BENCHMARK_REPETITIONS");

    assert_refused(alone, "BENCHMARK_FORMAT=csv", "--weft_csv=<file>");
    assert_refused(file, "BENCHMARK_OUT_FORMAT=csv", "--weft_csv=<file>");
    assert_string_equal(overruled.error.c_str(), "");
    assert_string_equal(of_preset.error.c_str(), "");
}

static void checking_an_output_file_leaves_the_folder_as_it_was(void **)
{
    char folder[] = "/tmp/weft-flags-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const std::string fresh = std::string(folder) + "/fresh";
    const std::string kept = std::string(folder) + "/kept";
    std::ofstream(kept) << "results";

    for (const char *flag : {"--weft_csv=", "--benchmark_out="})
        for (const std::string &path : {fresh, kept})
            assert_string_equal(parse({flag + path}).error.c_str(), "");
    std::ifstream file(kept);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const bool appeared = access(fresh.c_str(), F_OK) == 0;
    unlink(kept.c_str());
    const bool removed = rmdir(folder) == 0;

    assert_string_equal(content.c_str(), "results");
    assert_false(appeared);
    assert_true(removed);
}

static void help_tells_flags_presets_variants_and_statuses(void **)
{
    const std::string text = help_text();

    for (const char *part :
         {"--weft_size=<value> (default 8MiB,32MiB,128MiB,512MiB)", "--weft_progress",
          "amaco2:", "--weft_lookups=200000", "--benchmark_filter", "--benchmark_time_unit", "130"})
        if (text.find(part) == std::string::npos)
            fail_msg("--help lacks %s", part);
    for (std::size_t i = 0; i < weft_variant_count; ++i)
        assert_non_null(std::strstr(text.c_str(), weft_variants[i].help));
}

static void help_is_given_whatever_else_is_asked(void **)
{
    for (const char *argument : {"--help", "-h"}) {
        const Parsed parsed = parse({"--weft_group=0", argument});
        assert_true(parsed.flags.help);
        assert_false(contains(parsed.google, argument));
    }
    assert_refused(parse({"--help=1"}), "--help=1", "this is no flag");
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_values_name_flag_fault_and_what_is_allowed),
        cmocka_unit_test(good_values_arrive),
        cmocka_unit_test(defaults_are_those_of_the_documentation),
        cmocka_unit_test(every_preset_parses_and_says_how_often_and_how_long),
        cmocka_unit_test(bandwidth_takes_the_machines_sizes_and_thread_counts_by_itself),
        cmocka_unit_test(the_users_threads_are_those_of_bandwidth_too),
        cmocka_unit_test(the_default_array_is_clamped_to_memory_and_to_the_budget),
        cmocka_unit_test(a_sweep_is_named_by_its_factor),
        cmocka_unit_test(preset_amaco2_is_five_runs_after_two_warm_up_batches),
        cmocka_unit_test(the_users_arguments_win_over_the_presets_wherever_they_stand),
        cmocka_unit_test(the_last_setting_of_a_flag_wins),
        cmocka_unit_test(duplicates_are_dropped_and_said_once),
        cmocka_unit_test(a_preset_leaves_out_multiples_of_a_cache_that_is_not_told),
        cmocka_unit_test(only_the_presets_huge_pages_fall_back_where_they_are_off),
        cmocka_unit_test(any_processor_is_taken_where_no_mask_is_told),
        cmocka_unit_test(the_machine_that_is_asked_is_this_one),
        cmocka_unit_test(either_spelling_of_min_time_suits_either_version),
        cmocka_unit_test(google_benchmarks_flags_pass_in_their_order),
        cmocka_unit_test(the_environment_counts_where_no_argument_does),
        cmocka_unit_test(checking_an_output_file_leaves_the_folder_as_it_was),
        cmocka_unit_test(help_tells_flags_presets_variants_and_statuses),
        cmocka_unit_test(help_is_given_whatever_else_is_asked),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
