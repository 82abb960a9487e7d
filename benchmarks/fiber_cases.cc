/* SPDX-License-Identifier: MIT */
/* The family `fiber`: every rung of the ladder of switches. */
#include "session.h"

#include <memory>

#include "case_name.h"
#include "interrupt.h"

extern "C" {
#include "fiber/ladder.h"
#include "machine/memory_limits.h"
}

namespace weft
{
namespace
{

/* One cell over all the times that Google Benchmark enters it. */
class FiberCase
{
  public:
    FiberCase(Session &session, const weft_rung &rung, std::size_t fibers)
        : session_(session), rung_(rung), fibers_(fibers), name_(make_name())
    {
    }

    const std::string &name() const
    {
        return name_;
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
    std::string make_name() const
    {
        CaseName name("fiber", rung_.name);

        if (rung_.kind)
            name.key("kind", rung_.kind);
        if (rung_.fpu)
            name.key("fpu", rung_.fpu);
        if (rung_.takes_fibers)
            name.key("fibers", fibers_);
        return name.text();
    }

    void measure(benchmark::State &state);
    void run_batch(weft_measure &measure, weft_span *span);

    Session &session_;
    const weft_rung &rung_;
    std::size_t fibers_;
    std::string name_;
    bool checked_ = false;
};

void FiberCase::run_batch(weft_measure &measure, weft_span *const span)
{
    if (interrupted())
        throw CellError{weft_status_str(WEFT_E_INTERRUPTED)};
    const weft_status status = weft_measure_batch(&measure, span);
    if (status != WEFT_OK)
        throw CellError{std::to_string(fibers_) + " fibers: " + weft_status_str(status)};
}

void FiberCase::measure(benchmark::State &state)
{
    const std::uint64_t cost_bytes = weft_rung_cost_bytes(&rung_, fibers_);
    weft_team *const team = session_.fixtures.team(1, CpuSetting{});

    if (cost_bytes > weft_memory_available_bytes())
        throw CellError{std::to_string(fibers_) + " fibers touch " +
                        std::to_string(cost_bytes >> 20) + " MiB of stacks, " +
                        std::to_string(weft_memory_available_bytes() >> 20) + " MiB are available"};
    weft_rung_cell cell = {};
    const std::unique_ptr<weft_rung_cell, void (*)(weft_rung_cell *)> cell_owner(
        &cell, weft_rung_cell_destroy);
    weft_measure measure = {};
    const std::unique_ptr<weft_measure, void (*)(weft_measure *)> measure_owner(
        &measure, weft_measure_destroy);
    if (weft_rung_cell_init(&cell, &rung_, fibers_) != WEFT_OK ||
        weft_measure_init(&measure, &weft_rung_measured, &cell, team) != WEFT_OK)
        throw CellError{weft_status_str(WEFT_E_NOMEM)};

    /* The fibers are made anew for each entry: one batch brings them into being. */
    run_batch(measure, nullptr);
    for (std::size_t i = 0; !checked_ && i < session_.flags.warmup_batches; ++i)
        run_batch(measure, nullptr);
    checked_ = true;

    double total_ns = 0;
    weft_interference interference = {};
    for ([[maybe_unused]] auto _ : state) {
        weft_span span;

        run_batch(measure, &span);
        state.SetIterationTime(static_cast<double>(span.span_ns) * 1e-9);
        total_ns += static_cast<double>(span.span_ns);
        weft_interference_add(&interference, &span.interference);
    }

    const double operations =
        static_cast<double>(state.iterations()) * static_cast<double>(cell.operations);
    auto &counters = state.counters;
    counters[std::string("ns/") + rung_.unit] = total_ns / operations / rung_.units;
    if (rung_.fpu)
        counters["control_bytes"] = static_cast<double>(weft_fiber_control_bytes());
    counters["involuntary_switches"] = static_cast<double>(interference.involuntary_switches);
    counters["cpu_share"] = weft_interference_cpu_share(&interference);
    counters["minor_faults"] = static_cast<double>(interference.minor_faults);
    state.SetItemsProcessed(static_cast<std::int64_t>(operations) *
                            static_cast<std::int64_t>(rung_.units));
    if (!rung_.disturbs)
        session_.interference.note(name_, interference);
}

} // namespace

void add_fiber_cases(Session &session, std::vector<Case> &cases)
{
    static const std::vector<std::size_t> one_fiber = {1};

    for (std::size_t i = 0; i < weft_rung_count; ++i) {
        const weft_rung &rung = weft_rungs[i];

        for (const std::size_t fibers : rung.takes_fibers ? session.flags.fibers : one_fiber) {
            const auto cell = std::make_shared<FiberCase>(session, rung, fibers);

            cases.push_back({cell->name(), 0, WEFT_PAGES_4K, 0,
                             [cell](benchmark::State &state) { cell->enter(state); }});
        }
    }
}

} // namespace weft
