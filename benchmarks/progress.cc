/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gb_compat.h"

extern "C" {
#include "base/clock.h"
#include "base/stats.h"
}

namespace weft
{
namespace
{

/* The counters that are a family's main figure. */
constexpr const char *figures[] = {
    "ns/lookup", "ns/load", "ns/line",   "GHz",       "GB/s",       "ns/switch",
    "ns/call",   "ns/step", "ns/resume", "ns/create", "ns/destroy", "ns/hop",
};

std::string figure_of(const std::vector<benchmark::BenchmarkReporter::Run> &runs)
{
    for (const char *const figure : figures) {
        std::vector<double> values;

        for (const auto &run : runs) {
            const auto found = run.counters.find(figure);
            if (found != run.counters.end())
                values.push_back(found->second.value);
        }
        if (values.empty())
            continue;
        char text[64];
        std::snprintf(text, sizeof(text), "%.4g %s", weft_median(values.data(), values.size()),
                      figure);
        return text;
    }
    return "";
}

std::string minutes(double seconds)
{
    const long whole = std::lround(seconds);
    char text[32];

    std::snprintf(text, sizeof(text), "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

} // namespace

ProgressReporter::ProgressReporter(std::size_t total) : total_(total), start_ns_(weft_clock_ns())
{
}

bool ProgressReporter::ReportContext(const Context &)
{
    start_ns_ = weft_clock_ns();
    return true;
}

void ProgressReporter::ReportRuns(const std::vector<Run> &runs)
{
    /* Aggregates of a cell come after its repetitions, or alone when only they are asked for. */
    if (runs.empty() || !done_.insert(runs.front().run_name.str()).second)
        return;

    const double elapsed_s = static_cast<double>(weft_clock_ns() - start_ns_) * 1e-9;
    const double cells = static_cast<double>(done_.size());
    const double left_s = elapsed_s / cells * static_cast<double>(total_ - done_.size());
    const auto failed = std::find_if(runs.begin(), runs.end(), run_failed<Run>);
    const std::string outcome =
        failed == runs.end() ? figure_of(runs) : "ERROR: " + run_message(*failed);
    const int width = static_cast<int>(std::to_string(total_).size());

    std::fprintf(stdout, "[%*zu/%zu] %s  %s  %s left\n", width, done_.size(), total_,
                 runs.front().run_name.str().c_str(), outcome.c_str(), minutes(left_s).c_str());
    std::fflush(stdout);
}

} // namespace weft
