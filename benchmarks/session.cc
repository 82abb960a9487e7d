/* SPDX-License-Identifier: MIT */
#include "session.h"

namespace weft
{

Session::Session(const Flags &parsed)
    : flags(parsed), fixtures(parsed.memory_bytes, parsed.seed, parsed.oversubscribe)
{
}

std::string count_pages(benchmark::State &state, const weft_residency &residency)
{
    if (!residency.known)
        return "pages obtained: unknown";
    state.counters["page_bytes"] = static_cast<double>(residency.page_bytes);
    state.counters["pages_obtained_share"] = residency.share;
    return "";
}

void count_interference(benchmark::State &state, const weft_interference &interference)
{
    auto &counters = state.counters;

    counters["involuntary_switches"] = static_cast<double>(interference.involuntary_switches);
    counters["cpu_share"] = weft_interference_cpu_share(&interference);
    counters["minor_faults"] = static_cast<double>(interference.minor_faults);
}

void fail(Session &session, benchmark::State &state, const std::string &reason)
{
    ++session.failed_entries;
    /* Google Benchmark 1.7.1 aborts where repetitions of a cell differ in their iterations, and
     * counts none for one that fails before its first. */
    state.KeepRunning();
    state.SkipWithError(reason.c_str());
}

} // namespace weft
