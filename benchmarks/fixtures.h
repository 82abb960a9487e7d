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

#include "flags.h"

extern "C" {
#include "base/team.h"
#include "lookup/batch.h"
#include "lookup/chain.h"
#include "lookup/chase.h"
#include "memory/arena.h"
#include "memory/residency.h"
}

namespace weft
{

/* Why a cell cannot be measured; becomes the row's error message. */
struct CellError {
    std::string message;
};

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

class Fixtures
{
  public:
    /* At most `budget_bytes` of chains are kept; what was used least recently goes first. */
    Fixtures(std::uint64_t budget_bytes, std::uint64_t seed);
    ~Fixtures();
    Fixtures(const Fixtures &) = delete;
    Fixtures &operator=(const Fixtures &) = delete;

    /* The calls below throw CellError. Data, of as many nodes of `payload_bytes` as the size
     * holds, stays valid until the next call. `depth` is looked at where data is built for one. */
    const ChainFixture &data(const weft_workload &workload, std::uint64_t size_bytes,
                             weft_pages pages, std::size_t depth,
                             std::size_t payload_bytes = sizeof(weft_chain_node));
    const ChainFixture &chain(std::uint64_t size_bytes, weft_pages pages,
                              std::size_t payload_bytes = sizeof(weft_chain_node));
    weft_batch &batch(std::size_t lookups, std::size_t frames_bytes);
    /* The team of `threads` workers under a setting of --weft_cpu; the main thread is pinned with
     * it and keeps its place until another team is asked for. */
    weft_team *team(unsigned threads, const CpuSetting &cpu);

    /* Memory that a chain takes of the budget. */
    static std::uint64_t chain_cost_bytes(std::uint64_t size_bytes, weft_pages pages);

    /* For tests: called with every chain that is built. */
    std::function<void(weft_chain &)> after_build;

  private:
    void make_room(std::uint64_t cost_bytes);

    std::uint64_t budget_bytes_;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t seed_;
    std::list<ChainFixture> chains_; /* most recently used first */
    weft_batch batch_ = {};
    weft_team *team_ = nullptr;
    unsigned team_threads_ = 0;
    CpuSetting team_cpu_;
};

} // namespace weft

#endif
