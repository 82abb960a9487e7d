/* SPDX-License-Identifier: MIT */
/* The family `fiber`: every rung of the ladder of switches. */
#include "case.h"

#include <memory>

#include "batches.h"
#include "case_name.h"

extern "C" {
#include "fiber/ladder.h"
}

namespace weft
{
namespace
{

std::string fiber_name(const weft_rung &rung, std::size_t fibers)
{
    CaseName name("fiber", rung.name);

    if (rung.kind)
        name.key("kind", rung.kind);
    if (rung.fpu)
        name.key("fpu", rung.fpu);
    if (rung.takes_fibers)
        name.key("fibers", fibers);
    return name.text();
}

class FiberCase : public Case
{
  public:
    FiberCase(Session &session, const weft_rung &rung, std::size_t fibers)
        : Case(session, fiber_name(rung, fibers), {}), rung_(rung), fibers_(fibers)
    {
    }

  private:
    void measure(benchmark::State &state) override;

    const weft_rung &rung_;
    std::size_t fibers_;
    bool checked_ = false;
};

void FiberCase::measure(benchmark::State &state)
{
    const std::string fibers = std::to_string(fibers_) + " fibers";
    weft_team *const team = session_.fixtures.team(1, CpuSetting{});

    check_stacks(fibers_, weft_rung_cost_bytes(&rung_, fibers_));
    weft_rung_cell cell = {};
    const std::unique_ptr<weft_rung_cell, void (*)(weft_rung_cell *)> owner(&cell,
                                                                            weft_rung_cell_destroy);
    check(weft_rung_cell_init(&cell, &rung_, fibers_));
    Batches batches(weft_rung_measured, &cell, team);

    /* The fibers are made anew for each entry: one batch brings them into being. */
    check(batches.run(nullptr), fibers);
    for (std::size_t i = 0; !checked_ && i < session_.flags.warmup_batches; ++i)
        check(batches.run(nullptr), fibers);
    checked_ = true;

    const Sums sums = time(state, [&] {
        weft_span span = {};

        check(batches.run(&span), fibers);
        return span;
    });
    const double operations =
        static_cast<double>(state.iterations()) * static_cast<double>(cell.operations);
    state.counters[std::string("ns/") + rung_.unit] = sums.span_ns / operations / rung_.units;
    if (rung_.fpu)
        state.counters["control_bytes"] = static_cast<double>(weft_fiber_control_bytes());
    state.SetItemsProcessed(static_cast<std::int64_t>(operations) *
                            static_cast<std::int64_t>(rung_.units));
    if (!rung_.disturbs)
        session_.interference.note(name(), sums.interference);
}

} // namespace

void add_fiber_cases(Session &session, Cases &cases)
{
    static const std::vector<std::size_t> one_fiber = {1};

    for (std::size_t i = 0; i < weft_rung_count; ++i) {
        const weft_rung &rung = weft_rungs[i];

        for (const std::size_t fibers : rung.takes_fibers ? session.flags.fibers : one_fiber)
            cases.push_back(std::make_unique<FiberCase>(session, rung, fibers));
    }
}

} // namespace weft
