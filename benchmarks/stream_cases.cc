/* SPDX-License-Identifier: MIT */
/* The bandwidth family: every kernel by store, working set and number of threads. */
#include "case.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "case_name.h"
#include "levels.h"

extern "C" {
#include "stream/shape.h"
#include "stream/stream.h"
}

namespace weft
{
namespace
{

/* A third of the rounds of an iteration: an interruption waits for no more. */
constexpr std::size_t chunk_rounds = WEFT_STREAM_ROUNDS / 3;
static_assert(WEFT_STREAM_ROUNDS % 3 == 0);

struct StreamAxes {
    const weft_stream_kernel *kernel;
    weft_stream_store store;
    std::uint64_t array_bytes; /* a round moves at least the bytes of one pass over such arrays */
    std::uint64_t slice_bytes; /* per thread and array; 0: the arrays themselves */
    unsigned threads;
    weft_pages pages;
    CpuSetting cpu;
    unsigned pass;
};

std::string stream_name(const StreamAxes &axes)
{
    CaseName name("stream", axes.kernel->name);

    name.key("store", weft_stream_store_name(axes.store));
    name.key("array", size_name(axes.array_bytes));
    if (axes.slice_bytes)
        name.key("slice", size_name(axes.slice_bytes));
    name.key("threads", axes.threads).place(axes.pages, axes.cpu);
    if (axes.pass > 1)
        name.key("pass", axes.pass);
    return name.text();
}

/* Bytes of each of the arrays that really exist. */
std::uint64_t real_array_bytes(const StreamAxes &axes)
{
    return axes.slice_bytes ? axes.slice_bytes * axes.threads : axes.array_bytes;
}

CaseData stream_data(const StreamAxes &axes)
{
    const std::uint64_t bytes = real_array_bytes(axes);
    CaseData data{bytes, axes.pages, Fixtures::stream_cost_bytes(bytes, axes.pages)};

    data.other = "stream";
    return data;
}

/* What the cells of the family share. */
struct StreamShared {
    explicit StreamShared(Session &of) : session(of), levels(of.fixtures, of.flags.memory_bytes)
    {
    }

    Session &session;
    Levels levels;
    std::map<std::string, double> one_thread_gbs; /* by name */
    std::string warm;                             /* the cell that ran last */
    bool clamp_said = false;
};

/* A cell of the driver, from its warm-up to its figures. Throws CellError. */
class StreamRun
{
  public:
    StreamRun(StreamShared &shared, const StreamAxes &axes)
        : shared_(shared), fixture_(shared.session.fixtures.stream(
                               real_array_bytes(axes), axes.pages, axes.threads, axes.cpu))
    {
        const std::string name = stream_name(axes);
        weft_stream_cell cell = {};

        check_residency(fixture_.residency, "the arrays", axes.pages);
        cell.kernel = axes.kernel;
        cell.store = axes.store;
        cell.passes = axes.slice_bytes ? weft_stream_slice_passes(axes.slice_bytes, axes.threads,
                                                                  axes.array_bytes)
                                       : 1;
        cell.warmup_ns = shared_.warm == name ? 0 : WEFT_STREAM_WARMUP_NS;
        shared_.warm = "";
        check(weft_stream_begin(fixture_.stream, &cell));
        shared_.warm = name;
    }

    /* The time of WEFT_STREAM_ROUNDS rounds. */
    double iterate_ns()
    {
        std::uint64_t span_ns = 0;

        for (std::size_t rounds = 0; rounds < WEFT_STREAM_ROUNDS; rounds += chunk_rounds) {
            check_interrupted();
            check(weft_stream_iterate(fixture_.stream, chunk_rounds, &span_ns));
        }
        return static_cast<double>(span_ns);
    }

    weft_stream_result end()
    {
        weft_stream_result result = {};
        const weft_status status = weft_stream_end(fixture_.stream, &result);

        if (status == WEFT_E_MISMATCH)
            throw CellError{"the sum of the result array is not the expected one"};
        check(status);
        return result;
    }

    const weft_residency &residency() const
    {
        return fixture_.residency;
    }

  private:
    StreamShared &shared_;
    const StreamFixture &fixture_;
};

class StreamCase : public Case
{
  public:
    StreamCase(Session &session, const StreamAxes &axes, std::shared_ptr<StreamShared> shared)
        : Case(session, stream_name(axes), stream_data(axes)), axes_(axes),
          shared_(std::move(shared))
    {
    }

  private:
    void measure(benchmark::State &state) override;
    double one_thread_gbs();
    void count(benchmark::State &state, const weft_stream_result &result, const Level &level,
               double one_thread_gbs);
    std::string clamped();

    StreamAxes axes_;
    std::shared_ptr<StreamShared> shared_;
};

/* Of the same working set; measured here where its own cell has not run. */
double StreamCase::one_thread_gbs()
{
    StreamAxes axes = axes_;

    axes.threads = 1;
    axes.pass = 1;
    const std::string name = stream_name(axes);
    const auto known = shared_->one_thread_gbs.find(name);
    if (known != shared_->one_thread_gbs.end())
        return known->second;
    StreamRun run(*shared_, axes);
    run.iterate_ns();
    return shared_->one_thread_gbs[name] = run.end().figures.median_gbs;
}

void StreamCase::measure(benchmark::State &state)
{
    const bool oversubscribed = session_.fixtures.oversubscribed(axes_.threads);
    /* Before this cell's arrays: both need fixtures of their own. */
    const std::uint64_t thread_bytes =
        axes_.slice_bytes ? 3 * axes_.slice_bytes : 3 * (axes_.array_bytes / axes_.threads);
    const Level level = shared_->levels.of(thread_bytes, axes_.threads, axes_.pages, axes_.cpu);
    double one_thread = axes_.threads > 1 ? one_thread_gbs() : 0;

    StreamRun run(*shared_, axes_);
    for ([[maybe_unused]] auto _ : state)
        state.SetIterationTime(run.iterate_ns() * 1e-9);
    const weft_stream_result result = run.end();
    if (axes_.threads == 1) {
        one_thread = result.figures.median_gbs;
        if (axes_.pass == 1)
            shared_->one_thread_gbs[name()] = one_thread;
    }
    count(state, result, level, one_thread);
    const bool no_nt =
        axes_.store == WEFT_STREAM_NT && weft_stream_store_kind(WEFT_STREAM_NT) ==
                                             std::string(weft_stream_store_name(WEFT_STREAM_PLAIN));
    state.SetLabel(joined({level.text(), oversubscribed ? "oversubscribed" : "",
                           no_nt ? "plain stores: this build has no non-temporal ones" : "",
                           clamped(), count_pages(state, run.residency())}));
    weft_interference interference = {};
    interference.minor_faults = result.minor_faults;
    interference.involuntary_switches = result.involuntary_switches;
    session_.interference.note(name(), interference);
}

void StreamCase::count(benchmark::State &state, const weft_stream_result &result,
                       const Level &level, double one_thread_gbs)
{
    const weft_stream_figures &figures = result.figures;
    const double moved_gbs = figures.median_gbs * result.moved_per_counted;
    const double vendor_gbs = session_.flags.vendor_gbs;
    auto &counters = state.counters;

    counters["GB/s"] = figures.median_gbs;
    counters["GB/s_best"] = figures.best_gbs;
    counters["GB/s_write_allocate"] = moved_gbs;
    counters["GB/s_fastest_thread"] = figures.fastest_thread_gbs;
    counters["GB/s_slowest_thread"] = figures.slowest_thread_gbs;
    counters["cv"] = figures.cv;
    counters["scaling"] = figures.median_gbs / one_thread_gbs;
    counters["rounds"] = static_cast<double>(figures.rounds);
    counters["late_rounds"] = static_cast<double>(figures.late_rounds);
    counters["minor_faults"] = static_cast<double>(result.minor_faults);
    counters["involuntary_switches"] = static_cast<double>(result.involuntary_switches);
    counters["latency_ns"] = level.latency_ns;
    if (level.level)
        counters["cache_level"] = *level.level; /* 0: memory */
    if (vendor_gbs > 0 && level.is_memory() && !axes_.slice_bytes)
        counters["vendor_fraction"] = moved_gbs / vendor_gbs;
}

/* What the label says where the array is not as large as it should be; on stderr too, once. */
std::string StreamCase::clamped()
{
    if (axes_.array_bytes != session_.flags.stream_array_clamped)
        return "";
    if (!shared_->clamp_said)
        std::fprintf(stderr,
                     "weft-bench: --weft_stream_array: auto is clamped to %s: three arrays take at "
                     "most half of the available memory, or --weft_memory\n",
                     size_name(axes_.array_bytes).c_str());
    shared_->clamp_said = true;
    return "array clamped to what memory allows";
}

/* The slices of the sweep that leave a further size below the array itself. */
std::vector<std::uint64_t> sweep_slices(double factor, std::uint64_t array_bytes, unsigned threads)
{
    std::vector<std::uint64_t> slices;

    if (factor > 1)
        for (std::uint64_t slice = WEFT_STREAM_SWEEP_FIRST_BYTES; slice * threads < array_bytes;
             slice = weft_stream_sweep_next(slice, factor))
            slices.push_back(slice);
    return slices;
}

class Registration
{
  public:
    Registration(Session &session, Cases &cases)
        : session_(session), flags_(session.flags),
          shared_(std::make_shared<StreamShared>(session)), cases_(cases)
    {
    }

    /* In the order in which every fixture is built once, one thread before more. */
    void add_all()
    {
        for_each_setting([&](StreamAxes axes) { add_kernels(axes); });
        for_each_setting([&](StreamAxes axes) {
            for (const std::uint64_t slice : flags_.stream_slices) {
                axes.slice_bytes = slice;
                add_kernels(axes);
            }
        });
        for_each_setting([&](StreamAxes axes) { add_sweep(axes); });
        /* What has drifted since its first pass. */
        for_each_setting([&](StreamAxes axes) {
            axes.pass = 2;
            for (const std::uint64_t slice : flags_.stream_slices) {
                axes.slice_bytes = slice;
                if (axes.threads == 1)
                    add_kernel(axes, "triad", WEFT_STREAM_PLAIN);
            }
        });
    }

  private:
    template <class Add>
    void for_each_setting(const Add &add)
    {
        for (const std::uint64_t array_bytes : flags_.stream_arrays)
            for (const weft_pages pages : flags_.pages)
                for (const CpuSetting &cpu : flags_.cpus)
                    for (const unsigned threads : flags_.stream_threads)
                        add(StreamAxes{nullptr, WEFT_STREAM_PLAIN, array_bytes, 0, threads, pages,
                                       cpu, 1});
    }

    void add_sweep(StreamAxes axes)
    {
        for (const std::uint64_t slice :
             sweep_slices(flags_.stream_sweep, axes.array_bytes, axes.threads)) {
            axes.slice_bytes = slice;
            if (std::find(flags_.stream_slices.begin(), flags_.stream_slices.end(), slice) !=
                flags_.stream_slices.end())
                continue;
            for (int store = 0; store < WEFT_STREAM_STORE_COUNT; ++store)
                add_kernel(axes, "triad", static_cast<weft_stream_store>(store));
        }
    }

    void add_kernels(const StreamAxes &axes)
    {
        for (const weft_stream_kernel &kernel : weft_stream_kernels)
            for (int store = 0; store < WEFT_STREAM_STORE_COUNT; ++store)
                add_kernel(axes, kernel.name, static_cast<weft_stream_store>(store));
    }

    void add_kernel(StreamAxes axes, const char *kernel, weft_stream_store store)
    {
        axes.kernel = weft_stream_kernel_find(kernel);
        axes.store = store;
        cases_.push_back(std::make_unique<StreamCase>(session_, axes, shared_));
    }

    Session &session_;
    const Flags &flags_;
    std::shared_ptr<StreamShared> shared_;
    Cases &cases_;
};

} // namespace

void add_stream_cases(Session &session, Cases &cases)
{
    Registration(session, cases).add_all();
}

} // namespace weft
