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

CellError arena_error(weft_status status, std::uint64_t size_bytes, weft_pages pages)
{
    const std::string asked = size_name(size_bytes) + " in " + weft_pages_name(pages) + " pages: ";

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

/* The processors of a team: NULL-like (empty) when the threads are not pinned. */
std::vector<int> team_cpus(unsigned threads, const CpuSetting &cpu)
{
    std::vector<int> allowed(weft_affinity_order(nullptr, 0));

    if (cpu.kind == CpuSetting::Kind::none || allowed.empty())
        return {};
    weft_affinity_order(allowed.data(), allowed.size());
    if (cpu.kind == CpuSetting::Kind::number) {
        std::sort(allowed.begin(), allowed.end());
        allowed.erase(allowed.begin(), std::find(allowed.begin(), allowed.end(), cpu.cpu));
    }
    if (allowed.size() < threads)
        throw CellError{std::to_string(threads) + " threads, but only " +
                        std::to_string(allowed.size()) +
                        " processors are allowed from cpu:" + cpu_name(cpu) + " on"};
    allowed.resize(threads);
    return allowed;
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

Fixtures::Fixtures(std::uint64_t budget_bytes, std::uint64_t seed)
    : budget_bytes_(budget_bytes), seed_(seed)
{
}

Fixtures::~Fixtures()
{
    weft_team_destroy(team_);
    weft_batch_destroy(&batch_);
}

std::uint64_t Fixtures::chain_cost_bytes(std::uint64_t size_bytes, weft_pages pages)
{
    return weft_arena_cost_bytes(size_bytes, pages);
}

void Fixtures::make_room(std::uint64_t cost_bytes)
{
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
    if (cost_bytes > budget_bytes_)
        throw CellError{size_name(size_bytes) + " needs " + mebibytes(cost_bytes) +
                        " of memory, --weft_memory allows " + mebibytes(budget_bytes_)};
    make_room(cost_bytes);

    std::list<ChainFixture> made(1);
    ChainFixture &fixture = made.front();
    fixture.workload = &workload;
    fixture.depth = data_depth;
    fixture.size_bytes = size_bytes;
    fixture.pages = pages;
    fixture.payload_bytes = payload_bytes;
    weft_status status = weft_arena_create(&fixture.arena, size_bytes, pages);
    if (status == WEFT_E_NOMEM && !chains_.empty()) { /* the budget was more than there is */
        make_room(budget_bytes_);
        status = weft_arena_create(&fixture.arena, size_bytes, pages);
    }
    if (status != WEFT_OK)
        throw arena_error(status, size_bytes, pages);

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

weft_team *Fixtures::team(unsigned threads, const CpuSetting &cpu)
{
    if (team_ && team_threads_ == threads && team_cpu_.kind == cpu.kind && team_cpu_.cpu == cpu.cpu)
        return team_;
    weft_team_destroy(team_); /* first: it gives the main thread its own mask back */
    team_ = nullptr;

    const std::vector<int> cpus = team_cpus(threads, cpu);
    weft_team *made = nullptr;
    const weft_status status =
        weft_team_create(&made, threads, cpus.empty() ? nullptr : cpus.data());
    if (status != WEFT_OK)
        throw CellError{std::to_string(threads) + " threads under cpu:" + cpu_name(cpu) + ": " +
                        weft_status_str(status) +
                        (errno ? std::string(": ") + std::strerror(errno) : std::string())};
    team_ = made;
    team_threads_ = threads;
    team_cpu_ = cpu;
    return team_;
}

} // namespace weft
