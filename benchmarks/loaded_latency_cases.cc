/* SPDX-License-Identifier: MIT */
/* Loaded latency: one thread chases while all others stream at a set rate. */
#include "case.h"

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
    name.key("threads", axes.threads).place(axes.pages, axes.cpu);
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

class LatencyCase : public Case
{
  public:
    LatencyCase(Session &session, const LatencyAxes &axes, std::shared_ptr<FullRates> full)
        : Case(session, latency_name(axes), CaseData::chain(axes.size_bytes, axes.pages)),
          axes_(axes), full_(std::move(full))
    {
    }

  private:
    void measure(benchmark::State &state) override;

    LatencyAxes axes_;
    std::shared_ptr<FullRates> full_;
};

void LatencyCase::measure(benchmark::State &state)
{
    Fixtures &fixtures = session_.fixtures;
    const bool oversubscribed = fixtures.oversubscribed(axes_.threads);
    SerialChase chase(fixtures, axes_.size_bytes, axes_.pages, axes_.cpu, hops);
    const double rate_gbs =
        axes_.rate == full_rate ? INFINITY : full_->of(fixtures, axes_) * axes_.rate / full_rate;
    const Load load(fixtures, {axes_.threads - 1, rate_gbs, axes_.pages}, 1, axes_.cpu);

    chase.batch(); /* untimed: the check */
    chase.load(load);
    const Sums sums = time(state, [&] { return chase.batch(); });

    auto &counters = state.counters;
    counters["ns/hop"] = sums.span_ns / (static_cast<double>(state.iterations()) * hops);
    counters["load_gbs"] = chase.load_gbs();
    if (std::isfinite(rate_gbs))
        counters["load_asked_gbs"] = rate_gbs;
    state.SetLabel(
        joined({oversubscribed ? "oversubscribed" : "", count_pages(state, chase.residency())}));
    session_.interference.note(name(), sums.interference);
}

} // namespace

void add_loaded_latency_cases(Session &session, Cases &cases)
{
    const Flags &flags = session.flags;
    const auto full = std::make_shared<FullRates>();
    const auto threads = std::max_element(flags.stream_threads.begin(), flags.stream_threads.end());

    if (*threads < 2) /* there is no other thread */
        return;
    for (const std::uint64_t size_bytes : flags.stream_arrays)
        for (const weft_pages pages : flags.pages)
            for (const CpuSetting &cpu : flags.cpus)
                for (const unsigned rate : flags.stream_rates)
                    cases.push_back(std::make_unique<LatencyCase>(
                        session, LatencyAxes{rate, size_bytes, *threads, pages, cpu}, full));
}

} // namespace weft
