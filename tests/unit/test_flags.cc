/* SPDX-License-Identifier: MIT */
/* What values flags take, one by one. */
#include "gb_compat.h"
#include "values.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include <unistd.h>

extern "C" {
#include "lookup/variant.h"
}
#include "flags_parsed.h" /* last: cmocka has a macro fail() */

using namespace weft;

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

static void any_processor_is_taken_where_no_mask_is_told(void **)
{
    FlagMachine maskless = machine;
    maskless.allowed_cpus.clear();

    assert_true(parse({"--weft_cpu=1000"}, maskless).flags.cpus ==
                (std::vector<CpuSetting>{{CpuSetting::Kind::number, 1000}}));
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
          "--benchmark_out_format=json", "--benchmark_out=", "--benchmark_list_tests=true",
          "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=9",
          "--benchmark_time_unit=ms", "--benchmark_of_the_future=1", "--v=2"}) {
        const Parsed parsed = parse({argument});
        assert_string_equal(parsed.error.c_str(), "");
        assert_string_equal(parsed.google.back().c_str(), argument);
    }
}

static void a_boolean_flag_of_google_benchmark_is_true_or_false(void **)
{
    for (const char *yes : {"", "=1", "=t", "=Yes", "=on"})
        assert_string_equal(
            parse({"--benchmark_list_tests" + std::string(yes)}).google.back().c_str(),
            "--benchmark_list_tests=true");
    for (const char *no : {"=0", "=F", "=no", "=OFF"})
        assert_string_equal(
            parse({"--benchmark_list_tests" + std::string(no)}).google.back().c_str(),
            "--benchmark_list_tests=false");
    for (const char *neither : {"=", "=2", "=maybe"})
        assert_refused(parse({"--benchmark_list_tests" + std::string(neither)}),
                       "--benchmark_list_tests" + std::string(neither), "true or false");
    assert_string_equal(parse({"--benchmark_color=auto"}).google.back().c_str(),
                        "--benchmark_color=auto");
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
        cmocka_unit_test(duplicates_are_dropped_and_said_once),
        cmocka_unit_test(any_processor_is_taken_where_no_mask_is_told),
        cmocka_unit_test(a_sweep_is_named_by_its_factor),
        cmocka_unit_test(either_spelling_of_min_time_suits_either_version),
        cmocka_unit_test(google_benchmarks_flags_pass_in_their_order),
        cmocka_unit_test(a_boolean_flag_of_google_benchmark_is_true_or_false),
        cmocka_unit_test(the_environment_counts_where_no_argument_does),
        cmocka_unit_test(checking_an_output_file_leaves_the_folder_as_it_was),
        cmocka_unit_test(help_tells_flags_presets_variants_and_statuses),
        cmocka_unit_test(help_is_given_whatever_else_is_asked),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
