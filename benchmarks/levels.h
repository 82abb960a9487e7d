/* SPDX-License-Identifier: MIT */
/* Where a working set lies, measured on demand. */
#ifndef WEFT_BENCHMARKS_LEVELS_H
#define WEFT_BENCHMARKS_LEVELS_H

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "fixtures.h"

extern "C" {
#include "stream/level.h"
}

namespace weft
{

struct Level {
    double latency_ns = 0;
    std::optional<unsigned> level = {}; /* none: it cannot be told on this machine */

    bool is_memory() const;
    /* "resident in L2", "memory" or "level: unknown". */
    std::string text() const;
};

class Levels
{
  public:
    Levels(Fixtures &fixtures, std::uint64_t budget_bytes);

    /* The level of `thread_bytes` of each of `threads` threads: what a cache of a thread's own
     * holds, or one that they share. It is that whose latency, over a set that lies in it, is the
     * closest to that over as many bytes; among caches less than half as large as the set it is not
     * looked for. Latencies are measured once, by the serial chase. Throws CellError. */
    Level of(std::uint64_t thread_bytes, unsigned threads, weft_pages pages, const CpuSetting &cpu);

  private:
    double latency_ns(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu);
    Level level(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu);

    Fixtures &fixtures_;
    std::uint64_t budget_bytes_; /* of --weft_memory */
    std::uint64_t large_bytes_;  /* what lies in memory, whatever the caches are */
    std::map<std::tuple<std::uint64_t, weft_pages, std::string>, double> latencies_;
};

} // namespace weft

#endif
