/* SPDX-License-Identifier: MIT */
#include "case.h"

namespace weft
{

CaseData CaseData::chain(std::uint64_t size_bytes, weft_pages pages)
{
    CaseData data{size_bytes, pages, Fixtures::chain_cost_bytes(size_bytes, pages)};

    data.other = weft_chase.name;
    return data;
}

void Sums::add(const weft_span &span)
{
    span_ns += static_cast<double>(span.span_ns);
    fastest_ns += static_cast<double>(span.fastest_ns);
    slowest_ns += static_cast<double>(span.slowest_ns);
    weft_interference_add(&interference, &span.interference);
}

Case::Case(Session &session, const std::string &name, const CaseData &data)
    : session_(session), name_(name), data_(data)
{
}

const std::string &Case::name() const
{
    return name_;
}

const CaseData &Case::data() const
{
    return data_;
}

void Case::enter(benchmark::State &state)
{
    try {
        check_interrupted();
        measure(state);
    } catch (const CellError &error) {
        ++session_.failed_entries;
        /* Google Benchmark 1.7.1 aborts where repetitions of a cell differ in their iterations, and
         * counts none for one that fails before its first. Behind the last there is no other. */
        if (state.iterations() < state.max_iterations)
            state.KeepRunning();
        state.SkipWithError(error.message.c_str());
    }
}

std::string Case::count_pages(benchmark::State &state, const weft_residency &residency)
{
    if (!residency.known)
        return "pages obtained: unknown";
    state.counters["page_bytes"] = static_cast<double>(residency.page_bytes);
    state.counters["pages_obtained_share"] = residency.share;
    return "";
}

std::string Case::joined(std::initializer_list<std::string> parts)
{
    std::string label;

    for (const std::string &part : parts)
        label += (label.empty() || part.empty() ? "" : "; ") + part;
    return label;
}

void Case::count_interference(benchmark::State &state, const weft_interference &interference)
{
    auto &counters = state.counters;

    counters["involuntary_switches"] = static_cast<double>(interference.involuntary_switches);
    counters["cpu_share"] = weft_interference_cpu_share(&interference);
    counters["minor_faults"] = static_cast<double>(interference.minor_faults);
}

} // namespace weft
