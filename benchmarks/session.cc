/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <cstdio>

namespace weft
{

Session::Session(const Flags &parsed) : flags(parsed), fixtures(parsed.memory_bytes, parsed.seed)
{
}

void check_pages(const ChainFixture &fixture)
{
    if (!fixture.residency.known || fixture.residency.share >= WEFT_RESIDENCY_SHARE_MIN)
        return;
    char share[64];
    std::snprintf(share, sizeof(share), "only %.3f of the chain lies in ", fixture.residency.share);
    throw CellError{share + std::string(weft_pages_name(fixture.pages)) +
                    " pages; a cell needs 0.95"};
}

std::string count_pages(benchmark::State &state, const ChainFixture &fixture)
{
    if (!fixture.residency.known)
        return "pages obtained: unknown";
    state.counters["page_bytes"] = static_cast<double>(fixture.residency.page_bytes);
    state.counters["pages_obtained_share"] = fixture.residency.share;
    return "";
}

void count_interference(benchmark::State &state, const weft_interference &interference)
{
    auto &counters = state.counters;

    counters["involuntary_switches"] = static_cast<double>(interference.involuntary_switches);
    counters["cpu_share"] = weft_interference_cpu_share(&interference);
    counters["minor_faults"] = static_cast<double>(interference.minor_faults);
}

bool warn_of(const std::string &name, const weft_interference &interference)
{
    const double cpu_share = weft_interference_cpu_share(&interference);

    if (interference.minor_faults == 0 && cpu_share >= 0.9)
        return false;
    std::fprintf(stderr,
                 "weft-bench: warning: %s: in timed parts %llu minor faults, %llu involuntary "
                 "switches, %.2f of the processor\n",
                 name.c_str(), static_cast<unsigned long long>(interference.minor_faults),
                 static_cast<unsigned long long>(interference.involuntary_switches), cpu_share);
    return true;
}

void fail(Session &session, benchmark::State &state, const std::string &reason)
{
    ++session.failed_entries;
    state.SkipWithError(reason.c_str());
}

} // namespace weft
