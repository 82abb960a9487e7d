/* SPDX-License-Identifier: MIT */
#include "fixtures.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "case_name.h"
#include "interrupt.h"

extern "C" {
#include "base/clock.h"
#include "machine/affinity.h"
#include "machine/memory_limits.h"
}

namespace weft
{
namespace
{

/* Says on stderr what a long build is doing: nothing in the first second, then every two. */
class BuildProgress
{
  public:
    explicit BuildProgress(const std::string &what) : what_(what), next_ns_(weft_clock_ns() + first)
    {
    }

    static bool report(double share, void *self)
    {
        return static_cast<BuildProgress *>(self)->step(share);
    }

  private:
    static constexpr std::uint64_t first = 1000000000;
    static constexpr std::uint64_t interval = 2000000000;

    bool step(double share)
    {
        const std::uint64_t now_ns = weft_clock_ns();

        if (now_ns >= next_ns_) {
            std::fprintf(stderr, "weft-bench: building %s: %.0f%%\n", what_.c_str(), share * 100);
            next_ns_ = now_ns + interval;
        }
        return !interrupted();
    }

    std::string what_;
    std::uint64_t next_ns_;
};

std::string mebibytes(std::uint64_t bytes)
{
    return std::to_string(bytes >> 20) + " MiB";
}

CellError arena_error(weft_status status, const std::string &what, std::uint64_t size_bytes,
                      weft_pages pages)
{
    const std::string asked = what + " in " + weft_pages_name(pages) + " pages: ";

    switch (status) {
    case WEFT_E_NOMEM:
        return {asked + "needs " + mebibytes(weft_arena_cost_bytes(size_bytes, pages)) +
                " of memory, " + mebibytes(weft_memory_available_bytes()) + " are available"};
    case WEFT_E_PAGES:
        return {asked + (pages == WEFT_PAGES_THP
                             ? "transparent huge pages are switched off on this machine"
                             : "too few huge pages are reserved (see /sys/kernel/mm/hugepages)")};
    default:
        return {asked + weft_status_str(status)};
    }
}

} // namespace

ChainFixture::~ChainFixture()
{
    weft_arena_destroy(&arena);
}

const void *ChainFixture::data() const
{
    return workload == &weft_chase ? static_cast<const void *>(&chain) : others.data();
}

Fixtures::Fixtures(std::uint64_t budget_bytes, std::uint64_t seed, bool oversubscribe)
    : budget_bytes_(budget_bytes), seed_(seed), oversubscribe_(oversubscribe),
      allowed_(weft_affinity_order(nullptr, 0))
{
    weft_affinity_order(allowed_.data(), allowed_.size());
}

Fixtures::~Fixtures()
{
    drop_stream(); /* before its team */
    weft_team_destroy(team_);
    weft_batch_destroy(&batch_);
}

std::uint64_t Fixtures::chain_cost_bytes(std::uint64_t size_bytes, weft_pages pages)
{
    return weft_arena_cost_bytes(size_bytes, pages);
}

std::uint64_t Fixtures::stream_cost_bytes(std::uint64_t array_bytes, weft_pages pages)
{
    return array_bytes > UINT64_MAX / 3 ? UINT64_MAX
                                        : weft_arena_cost_bytes(3 * array_bytes, pages);
}

void Fixtures::make_room(const std::string &what, std::uint64_t cost_bytes)
{
    if (cost_bytes > budget_bytes_)
        throw CellError{what + " needs " + mebibytes(cost_bytes) +
                        " of memory, --weft_memory allows " + mebibytes(budget_bytes_)};
    if (used_bytes_ + cost_bytes > budget_bytes_)
        drop_stream();
    while (!chains_.empty() && used_bytes_ + cost_bytes > budget_bytes_) {
        const ChainFixture &oldest = chains_.back();

        used_bytes_ -= chain_cost_bytes(oldest.size_bytes, oldest.pages);
        chains_.pop_back();
    }
}

const ChainFixture &Fixtures::chain(std::uint64_t size_bytes, weft_pages pages,
                                    std::size_t payload_bytes)
{
    return data(weft_chase, size_bytes, pages, 0, payload_bytes);
}

const ChainFixture &Fixtures::data(const weft_workload &workload, std::uint64_t size_bytes,
                                   weft_pages pages, std::size_t depth, std::size_t payload_bytes)
{
    const std::size_t data_depth = workload.depth_in_data ? depth : 0;
    const auto found = std::find_if(chains_.begin(), chains_.end(), [&](const ChainFixture &each) {
        return each.workload == &workload && each.depth == data_depth &&
               each.size_bytes == size_bytes && each.pages == pages &&
               each.payload_bytes == payload_bytes;
    });

    if (found != chains_.end()) {
        chains_.splice(chains_.begin(), chains_, found);
        return chains_.front();
    }

    if (size_bytes < payload_bytes)
        throw CellError{size_name(size_bytes) + " is less than one node of " +
                        std::to_string(payload_bytes) + " B"};
    const std::uint64_t cost_bytes = chain_cost_bytes(size_bytes, pages);
    make_room(size_name(size_bytes), cost_bytes);

    std::list<ChainFixture> made(1);
    ChainFixture &fixture = made.front();
    fixture.workload = &workload;
    fixture.depth = data_depth;
    fixture.size_bytes = size_bytes;
    fixture.pages = pages;
    fixture.payload_bytes = payload_bytes;
    weft_status status = weft_arena_create(&fixture.arena, size_bytes, pages);
    if (status == WEFT_E_NOMEM && used_bytes_ > 0) { /* the budget was more than there is */
        make_room("", budget_bytes_);
        status = weft_arena_create(&fixture.arena, size_bytes, pages);
    }
    if (status != WEFT_OK)
        throw arena_error(status, size_name(size_bytes), size_bytes, pages);

    fixture.others.resize(workload.data_bytes / sizeof(std::max_align_t) + 1);
    const weft_data_shape shape = {size_bytes, depth, payload_bytes, seed_};
    BuildProgress progress(std::string("data of the ") + workload.name + ", " +
                           size_name(size_bytes) + ", pages " + weft_pages_name(pages));
    status = workload.build(const_cast<void *>(fixture.data()), fixture.arena.base, &shape,
                            BuildProgress::report, &progress);
    if (status == WEFT_E_INVALID)
        throw CellError{size_name(size_bytes) + " is too little for data of the " + workload.name};
    if (status != WEFT_OK)
        throw CellError{weft_status_str(status)};
    fixture.residency = weft_residency_read(&fixture.arena);
    if (after_build && &workload == &weft_chase)
        after_build(fixture.chain);
    used_bytes_ += cost_bytes;
    chains_.splice(chains_.begin(), made);
    return chains_.front();
}

weft_batch &Fixtures::batch(std::size_t lookups, std::size_t frames_bytes)
{
    if (batch_.lookups != lookups || batch_.frames_bytes < frames_bytes) {
        const std::size_t larger_bytes = std::max(frames_bytes, batch_.frames_bytes);

        weft_batch_destroy(&batch_);
        const weft_status status = weft_batch_create(&batch_, lookups, larger_bytes);
        if (status != WEFT_OK)
            throw CellError{"a batch of " + std::to_string(lookups) +
                            " lookups: " + weft_status_str(status)};
    }
    return batch_;
}

std::size_t Fixtures::allowed_cpus() const
{
    return allowed_.size();
}

bool Fixtures::oversubscribed(unsigned threads) const
{
    if (allowed_.empty() || threads <= allowed_.size())
        return false;
    if (!oversubscribe_)
        throw CellError{std::to_string(threads) + " threads, but only " +
                        std::to_string(allowed_.size()) +
                        " processors are allowed; --weft_oversubscribe runs them all the same"};
    return true;
}

std::vector<int> Fixtures::cpus(unsigned threads, const CpuSetting &cpu) const
{
    std::vector<int> from = allowed_;

    if (cpu.kind == CpuSetting::Kind::none || from.empty())
        return {};
    if (cpu.kind == CpuSetting::Kind::number) {
        std::sort(from.begin(), from.end());
        from.erase(from.begin(), std::find(from.begin(), from.end(), cpu.cpu));
    }
    if (from.empty() || (from.size() < threads && !oversubscribe_))
        throw CellError{std::to_string(threads) + " threads, but only " +
                        std::to_string(from.size()) +
                        " processors are allowed from cpu:" + cpu_name(cpu) + " on"};
    for (std::size_t i = 0; from.size() < threads; ++i)
        from.push_back(from[i]);
    from.resize(threads);
    return from;
}

weft_team *Fixtures::team(unsigned threads, const CpuSetting &cpu)
{
    if (team_ && team_threads_ == threads && team_cpu_ == cpu)
        return team_;
    const std::vector<int> chosen = cpus(threads, cpu);
    drop_stream();
    weft_team_destroy(team_); /* first: it gives the main thread its own mask back */
    team_ = nullptr;

    weft_team *made = nullptr;
    const weft_status status =
        weft_team_create(&made, threads, chosen.empty() ? nullptr : chosen.data());
    if (status != WEFT_OK)
        throw CellError{std::to_string(threads) + " threads under cpu:" + cpu_name(cpu) + ": " +
                        weft_status_str(status) +
                        (errno ? std::string(": ") + std::strerror(errno) : std::string())};
    team_ = made;
    team_threads_ = threads;
    team_cpu_ = cpu;
    return team_;
}

void Fixtures::drop_stream()
{
    if (!stream_.stream)
        return;
    weft_stream_destroy(stream_.stream);
    used_bytes_ -= stream_cost_bytes(stream_.array_bytes, stream_.pages);
    stream_ = {};
}

const StreamFixture &Fixtures::stream(std::uint64_t array_bytes, weft_pages pages, unsigned threads,
                                      const CpuSetting &cpu)
{
    weft_team *const over = team(threads, cpu);

    if (stream_.stream && stream_.array_bytes == array_bytes && stream_.pages == pages)
        return stream_;
    drop_stream();

    const std::string what = "three arrays of " + size_name(array_bytes);
    const std::uint64_t cost_bytes = stream_cost_bytes(array_bytes, pages);
    make_room(what, cost_bytes);
    weft_stream *made = nullptr;
    weft_status status = weft_stream_create(&made, over, array_bytes / sizeof(double), pages);
    if (status == WEFT_E_NOMEM && used_bytes_ > 0) { /* as for a chain */
        make_room("", budget_bytes_);
        status = weft_stream_create(&made, over, array_bytes / sizeof(double), pages);
    }
    if (status != WEFT_OK)
        throw arena_error(status, what, 3 * array_bytes, pages);
    stream_ = {array_bytes, pages, made, weft_residency_read(weft_stream_arena(made))};
    used_bytes_ += cost_bytes;
    return stream_;
}

} // namespace weft
