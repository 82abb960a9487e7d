/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

#include "case.h"
#include "context.h"
#include "gb_flags.h"
#include "interrupt.h"
#include "progress.h"

namespace weft
{
namespace
{

/* The value of a flag of Google Benchmark, as it reads it: of the last `--benchmark_name=value` or
 * `--benchmark_name` ("true"), else of the environment. */
std::string google_value(const std::vector<std::string> &arguments, const std::string &name)
{
    const std::string flag = "--benchmark_" + name;
    const char *const environment = std::getenv(environment_variable(flag).c_str());
    std::string value = environment ? environment : "";

    for (const std::string &argument : arguments) {
        if (argument == flag)
            value = "true";
        else if (argument.starts_with(flag + "="))
            value = argument.substr(flag.size() + 1);
    }
    return value;
}

/* Each line of `text` on stderr, under the program's name. */
void print_notes(const std::string &text)
{
    std::istringstream lines(text);

    for (std::string line; std::getline(lines, line);)
        std::fprintf(stderr, "weft-bench: %s\n", line.c_str());
}

/* As Google Benchmark reads a boolean flag. */
bool is_true(const std::string &value)
{
    static const std::set<std::string> yes = {"1", "t", "true", "y", "yes", "on"};
    std::string lower = value;

    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
    return yes.count(lower) > 0;
}

/* Hands Google Benchmark its flags. False when one is not its own or has a bad value. It keeps a
 * pointer to the program's name: `arguments` must outlive the run. */
bool initialize_benchmark(std::vector<std::string> &arguments)
{
    std::vector<char *> pointers;

    for (std::string &argument : arguments)
        pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    benchmark::Initialize(&count, pointers.data());
    for (int i = 1; i < count; ++i)
        std::fprintf(stderr,
                     "weft-bench: %s: not a flag of Google Benchmark, or not a value it takes; "
                     "allowed: see --help\n",
                     pointers[static_cast<std::size_t>(i)]);
    return count <= 1;
}

/* Google Benchmark makes its regular expression for everything, ".", slow: for each case that it
 * finds it makes room for just that one, and so moves all the others, in every version until 1.9 at
 * least. Every name has a '/'. */
void spell_out_everything(std::vector<std::string> &arguments)
{
    const std::string filter = google_value(arguments, "filter");

    if (filter.empty() || filter == "all" || filter == ".")
        arguments.emplace_back("--benchmark_filter=/");
}

/* Collects what Google Benchmark prints in place of reporting. */
class ListReporter : public benchmark::BenchmarkReporter
{
  public:
    ListReporter()
    {
        SetOutputStream(&names);
        SetErrorStream(&errors);
    }
    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &) override
    {
    }

    std::ostringstream names;
    std::ostringstream errors;
};

/* The names of the registered cases that Google Benchmark itself would run, in order. */
std::vector<std::string> selected_cases(std::vector<std::string> arguments)
{
    ListReporter reporter;
    std::vector<std::string> names;

    arguments.insert(arguments.end(), {"--benchmark_list_tests=true", "--benchmark_out="});
    initialize_benchmark(arguments);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    std::istringstream lines(reporter.names.str());
    for (std::string line; std::getline(lines, line);)
        names.push_back(line);
    return names;
}

/* Cases with the same key measure on the same chain or array. */
auto fixture_key(const CaseData &data)
{
    return std::make_tuple(data.size_bytes, data.pages, data.payload_bytes, data.other);
}

Cases make_cases(Session &session)
{
    Cases cases;

    add_fiber_cases(session, cases);
    add_limit_cases(session, cases);
    add_lookup_cases(session, cases);
    /* So that, in order, each chain or array is built once. */
    std::stable_sort(cases.begin(), cases.end(), [](const auto &left, const auto &right) {
        return fixture_key(left->data()) < fixture_key(right->data());
    });
    /* The bandwidth cells have arrays of their own, and their order: one thread before more. */
    add_stream_cases(session, cases);
    add_loaded_latency_cases(session, cases);
    for (const auto &each : cases) {
        const auto enter = [cell = each.get()](benchmark::State &state) { cell->enter(state); };

        benchmark::RegisterBenchmark(each->name().c_str(), enter)->UseManualTime();
    }
    return cases;
}

/* Memory of the distinct fixtures that the selected cases measure on. */
std::uint64_t fixtures_bytes(const Cases &cases, const std::vector<std::string> &selected)
{
    const std::set<std::string> names(selected.begin(), selected.end());
    std::map<decltype(fixture_key({})), std::uint64_t> fixtures;
    std::uint64_t sum = 0;

    for (const auto &each : cases)
        if (names.count(each->name() + "/manual_time")) {
            std::uint64_t &bytes = fixtures[fixture_key(each->data())];

            bytes = std::max(bytes, each->data().fixture_bytes);
        }
    for (const auto &[key, bytes] : fixtures)
        sum = sum + bytes < sum ? UINT64_MAX : sum + bytes;
    return sum;
}

/* Whether both name one file, that need not exist yet. */
bool same_file(const std::string &one, const std::string &other)
{
    std::error_code error;

    return !other.empty() && std::filesystem::weakly_canonical(one, error) ==
                                 std::filesystem::weakly_canonical(other, error);
}

/* Google Benchmark does not look whether its results could be written. What is no ordinary file, a
 * pipe for example, cannot be read back. */
bool is_complete_json(const std::string &path)
{
    std::error_code error;

    if (!std::filesystem::is_regular_file(path, error))
        return true;
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const std::size_t last = text.find_last_not_of(" \n");

    return last != std::string::npos && text[last] == '}';
}

int run_selected(Session &session, const std::vector<std::string> &arguments, std::size_t cells)
{
    const std::string out = google_value(arguments, "out");
    std::vector<std::string> again = arguments;
    std::unique_ptr<benchmark::BenchmarkReporter> display;

    /* The flags of the listing are undone by name: Google Benchmark keeps what it was told. */
    again.insert(again.end(), {"--benchmark_list_tests=false", "--benchmark_out=" + out});
    initialize_benchmark(again);
    if (session.flags.progress)
        display = std::make_unique<ProgressReporter>(cells);
    install_interrupt_handlers();
    benchmark::RunSpecifiedBenchmarks(display.get());
    print_notes(session.interference.warnings());

    const bool csv_written = session.csv.close();
    if (!csv_written)
        std::fprintf(stderr, "weft-bench: --weft_csv=%s: could not be written completely\n",
                     session.flags.csv_path.c_str());
    const std::string format = google_value(arguments, "out_format");
    const bool json_written =
        out.empty() || (!format.empty() && format != "json") || is_complete_json(out);
    if (!json_written)
        std::fprintf(stderr, "weft-bench: --benchmark_out=%s: could not be written completely\n",
                     out.c_str());
    if (interrupted())
        return exit_interrupted;
    return session.failed_entries > 0 || !csv_written || !json_written ? exit_failed : exit_ok;
}

} // namespace

int run_bench(std::vector<std::string> arguments, const std::function<void(Session &)> &prepare)
{
    std::vector<std::string> notes;
    Flags flags;

    try {
        flags = parse_flags(arguments, notes);
    } catch (const FlagError &error) {
        std::fprintf(stderr, "weft-bench: %s\n", error.message.c_str());
        return exit_usage;
    }
    if (flags.help) {
        std::fputs(help_text().c_str(), stdout);
        return exit_ok;
    }
    spell_out_everything(arguments);
    if (!initialize_benchmark(arguments))
        return exit_usage;

    Session session(flags);
    const Cases cases = make_cases(session);
    const std::vector<std::string> selected = selected_cases(arguments);
    if (selected.empty()) {
        std::fprintf(stderr,
                     "weft-bench: --benchmark_filter=%s: matches none of %zu cases; allowed: a "
                     "regular expression that matches a name of --benchmark_list_tests\n",
                     google_value(arguments, "filter").c_str(), cases.size());
        return exit_usage;
    }
    if (is_true(google_value(arguments, "list_tests"))) {
        for (const std::string &name : selected)
            std::puts(name.c_str());
        return exit_ok;
    }
    if (is_true(google_value(arguments, "enable_random_interleaving")) &&
        fixtures_bytes(cases, selected) > flags.memory_bytes) {
        std::fprintf(stderr,
                     "weft-bench: --benchmark_enable_random_interleaving: the selected cases need "
                     "%llu MiB at once, --weft_memory allows %llu MiB; allowed: fewer or smaller "
                     "sizes, or a larger --weft_memory\n",
                     static_cast<unsigned long long>(fixtures_bytes(cases, selected) >> 20),
                     static_cast<unsigned long long>(flags.memory_bytes >> 20));
        return exit_usage;
    }
    if (!flags.csv_path.empty() && same_file(flags.csv_path, google_value(arguments, "out"))) {
        std::fprintf(stderr,
                     "weft-bench: --weft_csv=%s: --benchmark_out writes to that file; allowed: "
                     "another file\n",
                     flags.csv_path.c_str());
        return exit_usage;
    }
    if (!flags.csv_path.empty() && !session.csv.open(flags.csv_path)) {
        std::fprintf(stderr, "weft-bench: --weft_csv=%s: %s; allowed: a file that can be written\n",
                     flags.csv_path.c_str(), std::strerror(errno));
        return exit_usage;
    }
    for (const std::string &note : notes)
        print_notes(note);
    if (prepare)
        prepare(session);
    add_context(flags);
    return run_selected(session, arguments, selected.size());
}

} // namespace weft
