/* SPDX-License-Identifier: MIT */
/* The lookup families: every row of the variants table by every value of the axes it takes. */
#include "case.h"

#include <cmath>
#include <memory>
#include <optional>

#include "batches.h"
#include "case_name.h"
#include "load.h"

extern "C" {
#include "lookup/cell.h"
#include "lookup/variant.h"
}

namespace weft
{
namespace
{

struct LookupAxes {
    const weft_variant *variant;
    std::uint64_t size_bytes;
    std::size_t depth;
    bool branch;
    std::size_t payload_bytes;
    weft_pages pages;
    CpuSetting cpu;
    unsigned load;
    weft_hint hint;
    std::size_t group;
    unsigned threads;
};

std::string lookup_name(const LookupAxes &axes)
{
    CaseName name(axes.variant->workload->name, axes.variant->name);

    name.key("size", size_name(axes.size_bytes));
    name.key(axes.variant->workload->depth_key, axes.depth);
    if (axes.branch)
        name.key("branch", "1");
    if (axes.payload_bytes != sizeof(weft_chain_node))
        name.key("payload", axes.payload_bytes);
    name.place(axes.pages, axes.cpu);
    if (axes.load > 0)
        name.key("load", axes.load);
    if (axes.variant->takes_hint)
        name.key("hint", hint_name(axes.hint));
    if (axes.variant->takes_group)
        name.key("group", axes.group);
    if (axes.threads > 1)
        name.key("threads", axes.threads);
    return name.text();
}

CaseData lookup_data(const LookupAxes &axes)
{
    const weft_workload &workload = *axes.variant->workload;
    CaseData data = CaseData::chain(axes.size_bytes, axes.pages);

    data.payload_bytes = axes.payload_bytes;
    data.other = workload.name;
    if (workload.depth_in_data)
        data.other += '/' + std::to_string(axes.depth);
    return data;
}

class LookupCase : public Case
{
  public:
    LookupCase(Session &session, const LookupAxes &axes)
        : Case(session, lookup_name(axes), lookup_data(axes)), axes_(axes)
    {
    }

  private:
    void measure(benchmark::State &state) override;
    void run_batch(Batches &batches, weft_cell &cell, weft_span *span);
    void run_untimed(Batches &batches, weft_cell &cell, std::uint64_t until);
    std::string compare(benchmark::State &state, const ChainFixture &fixture,
                        const weft_limits &limits);
    void count(benchmark::State &state, const Sums &sums);
    bool oversubscribed() const;

    LookupAxes axes_;
    std::uint64_t batches_ = 0; /* over all entries: starts stay fresh */
    std::uint64_t run_id_ = 0;
    std::uint64_t checksum_ = 0; /* of batch 0 */
    bool fault_told_ = false;
};

bool LookupCase::oversubscribed() const
{
    return axes_.cpu.kind != CpuSetting::Kind::none &&
           session_.fixtures.oversubscribed(axes_.threads + axes_.load);
}

void LookupCase::run_batch(Batches &batches, weft_cell &cell, weft_span *const span)
{
    const weft_status status = batches.run(span);

    if (status == WEFT_E_MISMATCH)
        throw CellError{"lookup " + std::to_string(cell.wrong_index) + " of batch " +
                        std::to_string(batches_) + " gave " + std::to_string(cell.wrong_result) +
                        ", expected " + std::to_string(cell.wrong_expected)};
    check(status);
    if (batches_++ == 0)
        checksum_ = cell.checksum;
}

void LookupCase::run_untimed(Batches &batches, weft_cell &cell, const std::uint64_t until)
{
    while (batches_ < until)
        run_batch(batches, cell, nullptr);
}

void LookupCase::measure(benchmark::State &state)
{
    const Flags &flags = session_.flags;
    weft_team *const team = session_.fixtures.team(axes_.threads, axes_.cpu);
    const ChainFixture &fixture = session_.fixtures.data(
        *axes_.variant->workload, axes_.size_bytes, axes_.pages, axes_.depth, axes_.payload_bytes);
    check_residency(fixture.residency, "the data", axes_.pages);
    const std::uint64_t in_flight = std::uint64_t{axes_.group} * axes_.threads;
    check_stacks(in_flight, in_flight * axes_.variant->stack_bytes);

    LoadedCell loaded;
    weft_cell &cell = loaded.cell;
    cell.variant = axes_.variant;
    cell.data = fixture.data();
    cell.batch = &session_.fixtures.batch(
        flags.lookups, weft_cell_frames_bytes(axes_.variant, axes_.group, axes_.threads));
    cell.threads = axes_.threads;
    cell.depth = axes_.depth;
    cell.group = axes_.group;
    cell.hint = axes_.hint;
    cell.branch = axes_.branch;

    Batches batches(loaded_cell_measured, &loaded, team, batches_);
    run_untimed(batches, cell, 1); /* the check */
    std::optional<weft_limits> limits;
    if (flags.limits && axes_.variant->workload == &weft_chase) /* they are a chain's */
        limits = session_.limits.get(fixture, team, axes_.cpu);
    /* Not before: the limits are those of a machine without load. */
    const Load load(session_.fixtures, {axes_.load, INFINITY, axes_.pages}, axes_.threads,
                    axes_.cpu);
    run_untimed(batches, cell, 1 + flags.warmup_batches);

    loaded.load = load.get();
    const Sums sums = time(state, [&] {
        weft_span span = {};

        run_batch(batches, cell, &span);
        if (axes_.variant->workload == &weft_chase)
            session_.csv.write({axes_.variant->name, axes_.size_bytes, axes_.depth,
                                axes_.variant->takes_group ? axes_.group : 1,
                                hint_name(axes_.variant->takes_hint ? axes_.hint : WEFT_HINT_NONE),
                                run_id_++, span.span_ns, flags.lookups, cell.checksum});
        return span;
    });
    count(state, sums);
    if (axes_.load > 0)
        state.counters["load_gbs"] = loaded.gbs();
    const std::string pages = count_pages(state, fixture.residency);
    state.SetLabel(joined({oversubscribed() ? "oversubscribed" : "", pages,
                           limits ? compare(state, fixture, *limits) : ""}));
    session_.interference.note(name(), sums.interference);
}

void LookupCase::count(benchmark::State &state, const Sums &sums)
{
    const double lookups =
        static_cast<double>(state.iterations()) * static_cast<double>(session_.flags.lookups);
    auto &counters = state.counters;

    counters["ns/lookup"] = sums.span_ns / lookups;
    if (!axes_.variant->workload->depth_in_data) /* else lookups are of many lengths */
        counters["ns/hop"] = sums.span_ns / lookups / static_cast<double>(axes_.depth);
    if (axes_.threads > 1) { /* of a thread's own lookups; the counters above are of all */
        counters["fastest_thread_ns/lookup"] = sums.fastest_ns / lookups * axes_.threads;
        counters["slowest_thread_ns/lookup"] = sums.slowest_ns / lookups * axes_.threads;
    }
    counters["checksum"] = static_cast<double>(checksum_);
    state.SetItemsProcessed(static_cast<std::int64_t>(lookups));
}

/* How much of the machine the cell used. What is beaten is no limit: the label then says so. */
std::string LookupCase::compare(benchmark::State &state, const ChainFixture &fixture,
                                const weft_limits &limits)
{
    constexpr double share_max = 1.05;
    const double ns_per_hop = state.counters["ns/hop"];
    const double share = weft_limits_roofline_share(&limits, ns_per_hop);

    state.counters["mlp"] = weft_limits_mlp(&limits, fixture.chain.lines, ns_per_hop);
    state.counters["roofline"] = share;
    state.counters["limits_age_s"] = session_.limits.age_s(limits);
    if (share <= share_max)
        return "";
    if (fault_told_)
        return "roofline_fault";
    fault_told_ = true;
    std::fprintf(stderr,
                 "weft-bench: roofline_fault: %s: %.3g ns/hop is %.2f of the roofline, %.3g ns by "
                 "hint %s at distance %u\n",
                 name().c_str(), ns_per_hop, share, limits.roofline.ns_per_node,
                 hint_name(limits.roofline.way.hint).c_str(), limits.roofline.way.distance);
    return "roofline_fault";
}

/* Calls `add` for every combination of the flags' axes that the variant takes. */
template <class Add>
void for_each_cell(const Flags &flags, const weft_variant &variant, const Add &add)
{
    static const std::vector<weft_hint> no_hint = {WEFT_HINT_NONE};
    static const std::vector<std::size_t> no_group = {1};
    static const std::vector<bool> no_branch = {false};
    static const std::vector<std::size_t> no_payload = {sizeof(weft_chain_node)};
    const auto &hints = variant.takes_hint ? flags.hints : no_hint;
    const auto &groups = variant.takes_group ? flags.groups : no_group;
    const auto &branches = variant.takes_branch ? flags.branches : no_branch;
    const auto &payloads = variant.takes_payload ? flags.payloads : no_payload;

    for (const std::uint64_t size_bytes : flags.sizes)
        for (const std::size_t depth :
             variant.workload->depth_in_data ? flags.chains : flags.depths)
            for (const bool branch : branches)
                for (const std::size_t payload_bytes : payloads)
                    for (const weft_pages pages : flags.pages)
                        for (const CpuSetting &cpu : flags.cpus)
                            for (const unsigned load : flags.loads)
                                for (const weft_hint hint : hints)
                                    for (const std::size_t group : groups)
                                        for (const unsigned threads : flags.threads)
                                            add(LookupAxes{&variant, size_bytes, depth, branch,
                                                           payload_bytes, pages, cpu, load, hint,
                                                           group, threads});
}

} // namespace

void add_lookup_cases(Session &session, Cases &cases)
{
    for (std::size_t i = 0; i < weft_variant_count; ++i) {
        for_each_cell(session.flags, weft_variants[i], [&](const LookupAxes &axes) {
            cases.push_back(std::make_unique<LookupCase>(session, axes));
        });
    }
}

} // namespace weft
