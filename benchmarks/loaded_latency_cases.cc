/* SPDX-License-Identifier: MIT */
/* Loaded latency: one thread chases while all others stream at a set rate. */
#include "session.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "case_name.h"
#include "interrupt.h"
#include "load.h"
#include "serial_chase.h"

extern "C" {
#include "base/clock.h"
}

namespace weft
{
namespace
{

constexpr std::size_t hops = 65536;
constexpr unsigned full_rate = 100;
constexpr std::uint64_t rate_probe_ns = 100000000;

struct LatencyAxes {
    unsigned rate; /* per cent of what the streams reach while no other thread uses the memory */
    std::uint64_t size_bytes;
    unsigned threads; /* the chasing one and the streams */
    weft_pages pages;
    CpuSetting cpu;
};

std::string latency_name(const LatencyAxes &axes)
{
    CaseName name("stream", "loaded-latency");

    name.key("rate", axes.rate).key("size", size_name(axes.size_bytes));
    name.key("threads", axes.threads).key("pages", weft_pages_name(axes.pages));
    if (axes.cpu.kind != CpuSetting::Kind::automatic)
        name.key("cpu", cpu_name(axes.cpu));
    return name.text();
}

/* The full rates that the others are parts of, GB/s; measured once. */
class FullRates
{
  public:
    double of(const Fixtures &fixtures, const LatencyAxes &axes)
    {
        const auto key = std::make_tuple(axes.threads, axes.pages, cpu_name(axes.cpu));
        const auto known = rates_.find(key);

        if (known != rates_.end())
            return known->second;
        const Load load(fixtures, {axes.threads - 1, INFINITY, axes.pages}, 1, axes.cpu);
        const weft_load_sample from = weft_load_read(load.get());
        while (weft_clock_ns() - from.at_ns < rate_probe_ns && !interrupted())
            continue;
        return rates_[key] = weft_load_gbs(from, weft_load_read(load.get()));
    }

  private:
    std::map<std::tuple<unsigned, weft_pages, std::string>, double> rates_;
};

class LatencyCase
{
  public:
    LatencyCase(Session &session, std::shared_ptr<FullRates> full, const LatencyAxes &axes)
        : session_(session), full_(std::move(full)), axes_(axes)
    {
    }

    void enter(benchmark::State &state)
    {
        try {
            measure(state);
        } catch (const CellError &error) {
            fail(session_, state, error.message);
        }
    }

  private:
    void measure(benchmark::State &state);

    Session &session_;
    std::shared_ptr<FullRates> full_;
    LatencyAxes axes_;
};

void LatencyCase::measure(benchmark::State &state)
{
    Fixtures &fixtures = session_.fixtures;

    if (interrupted())
        throw CellError{weft_status_str(WEFT_E_INTERRUPTED)};
    const bool oversubscribed = fixtures.oversubscribed(axes_.threads);
    SerialChase chase(fixtures, axes_.size_bytes, axes_.pages, axes_.cpu, hops);
    const double rate_gbs =
        axes_.rate == full_rate ? INFINITY : full_->of(fixtures, axes_) * axes_.rate / full_rate;
    const Load load(fixtures, {axes_.threads - 1, rate_gbs, axes_.pages}, 1, axes_.cpu);
    weft_interference interference = {};
    double total_ns = 0;

    chase.batch(); /* untimed: the check */
    chase.load(load);
    for ([[maybe_unused]] auto _ : state) {
        const weft_span span = chase.batch();

        state.SetIterationTime(static_cast<double>(span.span_ns) * 1e-9);
        total_ns += static_cast<double>(span.span_ns);
        weft_interference_add(&interference, &span.interference);
    }

    auto &counters = state.counters;
    counters["ns/hop"] = total_ns / (static_cast<double>(state.iterations()) * hops);
    counters["load_gbs"] = chase.load_gbs();
    if (std::isfinite(rate_gbs))
        counters["load_asked_gbs"] = rate_gbs;
    counters["involuntary_switches"] = static_cast<double>(interference.involuntary_switches);
    counters["cpu_share"] = weft_interference_cpu_share(&interference);
    counters["minor_faults"] = static_cast<double>(interference.minor_faults);
    if (chase.residency().known) {
        counters["page_bytes"] = static_cast<double>(chase.residency().page_bytes);
        counters["pages_obtained_share"] = chase.residency().share;
    }
    std::string label = oversubscribed ? "oversubscribed" : "";
    if (!chase.residency().known)
        label += label.empty() ? "pages obtained: unknown" : "; pages obtained: unknown";
    state.SetLabel(label);
    session_.interference.note(latency_name(axes_), interference);
}

} // namespace

void add_loaded_latency_cases(Session &session, std::vector<Case> &cases)
{
    const Flags &flags = session.flags;
    const auto full = std::make_shared<FullRates>();
    const auto threads = std::max_element(flags.stream_threads.begin(), flags.stream_threads.end());

    if (*threads < 2) /* there is no other thread */
        return;
    for (const std::uint64_t size_bytes : flags.stream_arrays)
        for (const weft_pages pages : flags.pages)
            for (const CpuSetting &cpu : flags.cpus)
                for (const unsigned rate : flags.stream_rates) {
                    const LatencyAxes axes = {rate, size_bytes, *threads, pages, cpu};
                    const auto cell = std::make_shared<LatencyCase>(session, full, axes);
                    cases.push_back({latency_name(axes), size_bytes, pages,
                                     Fixtures::chain_cost_bytes(size_bytes, pages),
                                     [cell](benchmark::State &state) { cell->enter(state); }});
                }
}

} // namespace weft
