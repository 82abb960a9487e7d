/* SPDX-License-Identifier: MIT */
/* The family `limit`: what the hardware gives, to compare every other figure with. */
#include "case.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>

#include "batches.h"
#include "case_name.h"

extern "C" {
#include "limits/burst.h"
#include "limits/core_clock.h"
#include "limits/latency.h"
#include "limits/random_read.h"
}

namespace weft
{
namespace
{

/* Where a limit is measured. */
struct Place {
    std::uint64_t size_bytes;
    weft_pages pages;
    CpuSetting cpu;
    unsigned threads;
};

CaseName place_name(const std::string &variant, const Place &place)
{
    return CaseName("limit", variant)
        .key("size", size_name(place.size_bytes))
        .place(place.pages, place.cpu);
}

std::string threads_name(CaseName name, const Place &place)
{
    if (place.threads > 1)
        name.key("threads", place.threads);
    return name.text();
}

class LimitCase : public Case
{
  public:
    LimitCase(Session &session, const std::string &name, const Place &place)
        : Case(session, name, CaseData::chain(place.size_bytes, place.pages)), place_(place)
    {
    }

  protected:
    weft_team *team()
    {
        return session_.fixtures.team(place_.threads, place_.cpu);
    }

    const ChainFixture &chain()
    {
        const ChainFixture &fixture = session_.fixtures.chain(place_.size_bytes, place_.pages);

        check_residency(fixture.residency, "the data", fixture.pages);
        return fixture;
    }

    /* The check and the warm-up on the first entry, then the timed batches; after each of these,
     * `each` is called. Returns the sum of their spans. */
    double run(benchmark::State &state, const weft_measured &measured, void *self,
               const std::function<void()> &each = nullptr);

    Place place_;

  private:
    std::uint64_t batches_ = 0; /* over all entries: what is read stays fresh */
};

double LimitCase::run(benchmark::State &state, const weft_measured &measured, void *const self,
                      const std::function<void()> &each)
{
    Batches batches(measured, self, team(), batches_);

    for (; batches_ < 1 + session_.flags.warmup_batches; ++batches_)
        check(batches.run(nullptr));
    const Sums sums = time(state, [&] {
        weft_span span = {};

        check(batches.run(&span));
        ++batches_;
        if (each)
            each();
        return span;
    });
    session_.interference.note(name(), sums.interference);
    return sums.span_ns;
}

class Latency : public LimitCase
{
  public:
    Latency(Session &session, const Place &place)
        : LimitCase(session, threads_name(place_name("latency", place), place), place)
    {
    }

  private:
    /* Long lookups: what is done between two of them is a load's work in a thousand. */
    static constexpr std::size_t depth_max = 1024;
    /* Some ten milliseconds of memory latency: a batch need not be longer. */
    static constexpr std::size_t hops_max = 65536;

    void measure(benchmark::State &state) override
    {
        weft_team *const pinned = team();
        const ChainFixture &fixture = chain();
        const std::size_t hops = std::min(hops_max, session_.flags.lookups);
        const std::size_t depth = std::min(depth_max, hops);
        weft_batch &batch =
            session_.fixtures.batch(std::max<std::size_t>(hops / depth, weft_team_size(pinned)),
                                    weft_latency_frames_bytes(place_.threads));
        weft_cell cell = weft_latency_cell(&fixture.chain, &batch, place_.threads, depth);
        const double sum_ns = run(state, weft_cell_measured, &cell);

        state.counters["ns/load"] = weft_latency_ns(&cell, static_cast<std::uint64_t>(sum_ns)) /
                                    static_cast<double>(state.iterations());
        state.counters["checksum"] = static_cast<double>(cell.checksum);
        state.SetLabel(count_pages(state, fixture.residency));
    }
};

class RandomRead : public LimitCase
{
  public:
    RandomRead(Session &session, const Place &place, const weft_read_way &way)
        : LimitCase(session,
                    threads_name(place_name("random-read", place)
                                     .key("hint", hint_name(way.hint))
                                     .key("distance", way.distance),
                                 place),
                    place),
          way_(way)
    {
    }

  private:
    void measure(benchmark::State &state) override
    {
        weft_team *const pinned = team();
        const ChainFixture &fixture = chain();
        weft_random_read made = {};

        check(weft_random_read_create(&made, weft_team_size(pinned)));
        const std::unique_ptr<weft_random_read, void (*)(weft_random_read *)> read(
            &made, weft_random_read_destroy);
        read->chain = &fixture.chain;
        read->way = way_;
        const double sum_ns = run(state, weft_random_read_measured, read.get());
        const double ns_per_line =
            sum_ns / static_cast<double>(state.iterations()) / static_cast<double>(read->reads);

        state.counters["ns/line"] = ns_per_line;
        state.counters["GB/s"] = sizeof(weft_chain_node) / ns_per_line;
        state.SetLabel(count_pages(state, fixture.residency));
    }

    weft_read_way way_;
};

class CoreClock : public LimitCase
{
  public:
    CoreClock(Session &session, const Place &place) : LimitCase(session, "limit/clock", place)
    {
    }

  private:
    void measure(benchmark::State &state) override
    {
        weft_core_clock clock = {};
        double multiplies_ns = HUGE_VAL; /* the fastest batch: interference only slows */
        double adds_ns = HUGE_VAL;

        run(state, weft_core_clock_measured, &clock, [&] {
            multiplies_ns = std::min(multiplies_ns, static_cast<double>(clock.multiplies_ns));
            adds_ns = std::min(adds_ns, static_cast<double>(clock.adds_ns));
        });
        const weft_core_clock_estimate estimate =
            weft_core_clock_from(multiplies_ns, adds_ns, WEFT_CORE_CLOCK_STEPS);

        state.counters["GHz"] = estimate.ghz;
        state.counters["GHz_by_adds"] = estimate.ghz_by_adds;
        state.counters["multiply_to_add"] = estimate.ratio;
        state.counters["multiply_latency_cycles"] = WEFT_MULTIPLY_LATENCY;
        if (estimate.possible)
            return;
        char label[160];
        std::snprintf(label, sizeof(label),
                      "impossible: a multiply takes %.2f adds, not %d; the core folds adds, or its "
                      "multiply has another latency",
                      estimate.ratio, WEFT_MULTIPLY_LATENCY);
        state.SetLabel(label);
    }
};

class PrefetchBurst : public LimitCase
{
  public:
    PrefetchBurst(Session &session, const Place &place, std::size_t lines)
        : LimitCase(session, CaseName("limit", "prefetch-burst").key("n", lines).text(), place),
          lines_(lines)
    {
    }

  private:
    void measure(benchmark::State &state) override
    {
        const ChainFixture &fixture = chain();
        const std::size_t rounds = std::clamp<std::size_t>(session_.flags.lookups / 256, 16, 1000);
        std::vector<double> scratch(rounds);
        weft_burst made = {};

        check(weft_burst_create(&made, &fixture.chain, lines_, rounds));
        const std::unique_ptr<weft_burst, void (*)(weft_burst *)> burst(&made, weft_burst_destroy);
        double issue_ns = 0;
        double loads_ns = 0;
        double latency_ns = 0;
        run(state, weft_burst_measured, burst.get(), [&] {
            const weft_burst_result each =
                weft_burst_analyse(burst->stamps, rounds, lines_, scratch.data());

            issue_ns += each.issue_ns;
            loads_ns += each.loads_ns;
            latency_ns += each.latency_ns;
        });
        const double batches = static_cast<double>(state.iterations());
        const weft_burst_result result =
            weft_burst_judge(issue_ns / batches, loads_ns / batches, latency_ns / batches, lines_);
        auto &counters = state.counters;

        counters["ns/line"] = (result.issue_ns + result.loads_ns) / static_cast<double>(lines_);
        counters["issue_ns"] = result.issue_ns;
        counters["loads_ns"] = result.loads_ns;
        counters["latency_ns"] = result.latency_ns;
        counters["lines_in_flight"] = result.lines_in_flight;
        counters["size_bytes"] = static_cast<double>(place_.size_bytes);
        state.SetLabel(
            joined({weft_burst_full_name(result.full), count_pages(state, fixture.residency)}));
    }

    std::size_t lines_;
};

template <class Cell, class... Arguments>
void add(Cases &cases, Session &session, const Place &place, const Arguments &...arguments)
{
    cases.push_back(std::make_unique<Cell>(session, place, arguments...));
}

/* 16 KiB by doubling up to the largest size asked for, and that. */
std::vector<std::uint64_t> latency_sizes(std::uint64_t largest)
{
    std::vector<std::uint64_t> sizes;

    for (std::uint64_t size = 16 * 1024; size < largest && size != 0; size *= 2)
        sizes.push_back(size);
    sizes.push_back(largest);
    return sizes;
}

void add_random_reads(Session &session, Cases &cases, const Place &place)
{
    add<RandomRead>(cases, session, place, weft_read_way{WEFT_HINT_NONE, 0});
    for (const weft_hint hint : {WEFT_HINT_T0, WEFT_HINT_T1, WEFT_HINT_T2, WEFT_HINT_NTA})
        for (const unsigned distance : session.flags.distances)
            add<RandomRead>(cases, session, place, weft_read_way{hint, distance});
}

} // namespace

void add_limit_cases(Session &session, Cases &cases)
{
    const Flags &flags = session.flags;
    const std::uint64_t largest = *std::max_element(flags.sizes.begin(), flags.sizes.end());
    const Place single = {largest, flags.pages[0], flags.cpus[0], 1};

    for (const weft_pages pages : flags.pages)
        for (const CpuSetting &cpu : flags.cpus)
            for (const unsigned threads : flags.threads) {
                for (const std::uint64_t size_bytes : latency_sizes(largest))
                    add<Latency>(cases, session, {size_bytes, pages, cpu, threads});
                for (const std::uint64_t size_bytes : flags.sizes)
                    add_random_reads(session, cases, {size_bytes, pages, cpu, threads});
            }
    add<CoreClock>(cases, session, {0, single.pages, single.cpu, 1});
    for (const unsigned lines :
         {1u, 2u, 4u, 8u, 12u, 16u, 24u, 32u, 48u, 64u, 96u, 128u, 192u, 256u})
        add<PrefetchBurst>(cases, session, single, lines);
}

} // namespace weft
