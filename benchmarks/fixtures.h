/* SPDX-License-Identifier: MIT */
/* What cells measure on: chains, batches and thread teams, built once and kept between calls. */
#ifndef WEFT_BENCHMARKS_FIXTURES_H
#define WEFT_BENCHMARKS_FIXTURES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "cell_error.h"
#include "flags.h"

extern "C" {
#include "base/team.h"
#include "lookup/batch.h"
#include "lookup/chain.h"
#include "lookup/chase.h"
#include "memory/arena.h"
#include "memory/residency.h"
#include "stream/stream.h"
}

namespace weft
{

/* A workload's data in memory, with the pages it really obtained. */
struct ChainFixture {
    const weft_workload *workload = &weft_chase;
    std::size_t depth = 0; /* that the data is built for; 0: any */
    std::uint64_t size_bytes = 0;
    weft_pages pages = WEFT_PAGES_4K;
    std::size_t payload_bytes = sizeof(weft_chain_node);
    weft_arena arena = {};
    weft_chain chain = {};                /* of the chase */
    std::vector<std::max_align_t> others; /* what describes the data of another workload */
    weft_residency residency = {};

    ChainFixture() = default;
    ~ChainFixture();
    ChainFixture(const ChainFixture &) = delete;
    ChainFixture &operator=(const ChainFixture &) = delete;

    /* What runs take as their data. */
    const void *data() const;
};

/* The three arrays of the bandwidth kernels, touched by the team that streams them. */
struct StreamFixture {
    std::uint64_t array_bytes = 0;
    weft_pages pages = WEFT_PAGES_4K;
    weft_stream *stream = nullptr; /* none is kept */
    weft_residency residency = {};
};

class Fixtures
{
  public:
    /* At most `budget_bytes` of chains and arrays are kept; of the chains, what was used least
     * recently goes first. With `oversubscribe` a team may be larger than the allowed mask. */
    Fixtures(std::uint64_t budget_bytes, std::uint64_t seed, bool oversubscribe);
    ~Fixtures();
    Fixtures(const Fixtures &) = delete;
    Fixtures &operator=(const Fixtures &) = delete;

    /* The calls below throw CellError. Data, of as many nodes of `payload_bytes` as the size
     * holds, stays valid until the next call of data(), chain() or stream(). `depth` is looked at
     * where data is built for one. */
    const ChainFixture &data(const weft_workload &workload, std::uint64_t size_bytes,
                             weft_pages pages, std::size_t depth,
                             std::size_t payload_bytes = sizeof(weft_chain_node));
    const ChainFixture &chain(std::uint64_t size_bytes, weft_pages pages,
                              std::size_t payload_bytes = sizeof(weft_chain_node));
    weft_batch &batch(std::size_t lookups, std::size_t frames_bytes);
    /* The team of `threads` workers under a setting of --weft_cpu; the main thread is pinned with
     * it and keeps its place until another team is asked for. */
    weft_team *team(unsigned threads, const CpuSetting &cpu);
    /* Three arrays of `array_bytes` each over that team. They stay valid until another working set,
     * team or chain is asked for. */
    const StreamFixture &stream(std::uint64_t array_bytes, weft_pages pages, unsigned threads,
                                const CpuSetting &cpu);

    /* Where `threads` threads are pinned under a setting; empty when they are not. */
    std::vector<int> cpus(unsigned threads, const CpuSetting &cpu) const;
    /* Processors of the mask that the process began with; 0 when the system does not tell. */
    std::size_t allowed_cpus() const;
    /* Whether `threads` are more than those; throws CellError where that is not allowed. */
    bool oversubscribed(unsigned threads) const;

    /* Memory that a chain or three arrays take of the budget. */
    static std::uint64_t chain_cost_bytes(std::uint64_t size_bytes, weft_pages pages);
    static std::uint64_t stream_cost_bytes(std::uint64_t array_bytes, weft_pages pages);

    /* For tests: called with every chain that is built. */
    std::function<void(weft_chain &)> after_build;

  private:
    void make_room(const std::string &what, std::uint64_t cost_bytes);
    void drop_stream();

    std::uint64_t budget_bytes_;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t seed_;
    bool oversubscribe_;
    std::vector<int> allowed_;       /* the calling thread's mask shrinks once it is pinned */
    std::list<ChainFixture> chains_; /* most recently used first */
    weft_batch batch_ = {};
    weft_team *team_ = nullptr;
    unsigned team_threads_ = 0;
    CpuSetting team_cpu_;
    StreamFixture stream_;
};

} // namespace weft

#endif
