/* SPDX-License-Identifier: MIT */
#include "gb_flags.h"

#include <cctype>
#include <limits>

#include "gb_compat.h"
#include "values.h"

namespace weft
{

namespace
{

std::string check_format(const std::string &value)
{
    if (value == "csv")
        throw ValueFault{"Google Benchmark's CSV aborts when cells have different counters; "
                         "--weft_csv=<file> writes one"};
    if (value != "console" && value != "json")
        throw ValueFault{value.empty() ? "the value is empty" : value + " is not a format"};
    return value;
}

/* The values that Google Benchmark takes for true and false; it takes any other for true, too. */
std::string check_boolean(const std::string &value)
{
    std::string lower = value;

    for (char &c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char *const yes : {"true", "1", "t", "y", "yes", "on"})
        if (lower == yes)
            return "true";
    for (const char *const no : {"false", "0", "f", "n", "no", "off"})
        if (lower == no)
            return "false";
    throw ValueFault{value.empty() ? "the value is empty" : value + " is neither true nor false"};
}

std::string check_color(const std::string &value)
{
    return value == "auto" ? value : check_boolean(value);
}

std::string check_repetitions(const std::string &value)
{
    parse_number(value, 1, static_cast<std::uint64_t>(std::numeric_limits<int>::max()));
    return value;
}

std::string check_time_unit(const std::string &value)
{
    if (value != "ns" && value != "us" && value != "ms" && value != "s")
        throw ValueFault{value.empty() ? "the value is empty" : value + " is not a unit of time"};
    return value;
}

} // namespace

const std::vector<GbFlag> gb_flags = {
    {"--benchmark_list_tests", "true or false", "name the cells, run none", check_boolean, "true"},
    {"--benchmark_filter", "a POSIX extended regular expression, or all; a leading '-' negates it",
     "run the cells whose names match", parse_filter},
    {"--benchmark_min_time",
     gb_min_time_has_unit ? "seconds (0.1 or 0.1s), or iterations (10x)" : "seconds (0.1 or 0.1s)",
     "how long to repeat the batch of a cell",
     [](const std::string &value) { return parse_min_time(value, gb_min_time_has_unit); }},
    {"--benchmark_min_warmup_time", "seconds (0.1)",
     "run a cell this long before its time counts; --weft_warmup counts batches instead",
     parse_seconds},
    {"--benchmark_repetitions", "a whole number from 1 on",
     "measure every cell this often; more than one adds mean, median, stddev and cv",
     check_repetitions},
    {"--benchmark_enable_random_interleaving", "true or false",
     "run the repetitions of all cells in random order", check_boolean, "true"},
    {"--benchmark_report_aggregates_only", "true or false",
     "leave single repetitions out of the output and the file", check_boolean, "true"},
    {"--benchmark_display_aggregates_only", "true or false",
     "leave single repetitions out of the output, not out of the file", check_boolean, "true"},
    {"--benchmark_format", "console or json", "how to write to the standard output", check_format},
    {"--benchmark_out", "a file that can be written", "also write the results to this file",
     [](const std::string &value) { return value.empty() ? value : parse_output_path(value); }},
    {"--benchmark_out_format", "console or json", "how to write to that file", check_format},
    {"--benchmark_color", "auto, true or false", "colours on a terminal", check_color, "true"},
    {"--benchmark_counters_tabular", "true or false", "counters as columns of a table",
     check_boolean, "true"},
    {"--benchmark_perf_counters", "names of hardware events, separated by commas",
     "count them, where Google Benchmark was built with libpfm", nullptr},
    {"--benchmark_context", "key=value,...", "add to the context of the results", nullptr},
    {"--benchmark_time_unit", "ns, us, ms or s", "unit of the times in the output",
     check_time_unit},
};

std::string environment_variable(const std::string &flag)
{
    std::string variable = flag.substr(2); /* "--" */

    for (char &c : variable)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return variable;
}

} // namespace weft
