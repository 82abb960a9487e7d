/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <algorithm>
#include <vector>

#include "case_name.h"
#include "serial_chase.h"

extern "C" {
#include "base/stats.h"
#include "machine/topology.h"
#include "stream/shape.h"
}

namespace weft
{
namespace
{

constexpr double span_ns = 20e6;
constexpr std::size_t hops = 16384;

/* Whether each core, or pair of threads that share one, has a cache of that level for itself. */
bool is_private(unsigned level)
{
    const unsigned shared_by = weft_cache_read(level).shared_by;

    return shared_by ? shared_by <= 2 : level < 3;
}

} // namespace

bool Level::is_memory() const
{
    return level && *level == WEFT_LEVEL_MEMORY;
}

std::string Level::text() const
{
    if (!level)
        return "level: unknown";
    return is_memory() ? "memory" : "resident in L" + std::to_string(*level);
}

Levels::Levels(Fixtures &fixtures, std::uint64_t memory_bytes)
    : fixtures_(fixtures), memory_bytes_(memory_bytes)
{
}

double Levels::latency_ns(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu)
{
    const auto key = std::make_tuple(bytes, pages, cpu_name(cpu));
    const auto known = latencies_.find(key);

    if (known != latencies_.end())
        return known->second;
    SerialChase chase(fixtures_, bytes, pages, cpu, hops);
    std::vector<double> batches;

    chase.batch(); /* untimed: the check, and what brings the chain into the caches */
    for (double sum_ns = 0; sum_ns < span_ns || batches.size() < 3;) {
        const double batch_ns = static_cast<double>(chase.batch().span_ns);
        sum_ns += batch_ns;
        batches.push_back(batch_ns / static_cast<double>(hops));
    }
    return latencies_[key] = weft_median(batches.data(), batches.size());
}

Level Levels::level(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu)
{
    std::vector<weft_level_reference> references;
    std::uint64_t inner_bytes = 0;

    for (unsigned level = 1; level <= WEFT_CACHE_LEVEL_MAX; ++level) {
        const std::uint64_t cache_bytes = weft_cache_bytes(level);
        const std::uint64_t reference = weft_level_reference_bytes(inner_bytes, cache_bytes);

        if (cache_bytes <= inner_bytes || reference > memory_bytes_)
            continue;
        references.push_back({level, latency_ns(reference, pages, cpu)});
        inner_bytes = cache_bytes;
    }
    const std::uint64_t large =
        weft_stream_large_default(weft_last_level_cache_bytes(), UINT64_MAX).array_bytes;
    const bool has_memory = Fixtures::chain_cost_bytes(large, pages) <= memory_bytes_;
    if (has_memory)
        references.push_back({WEFT_LEVEL_MEMORY, latency_ns(large, pages, cpu)});

    const double measured_ns = latency_ns(bytes, pages, cpu);
    const weft_level_reference *const nearest =
        weft_level_nearest(references.data(), references.size(), measured_ns);
    /* Without memory's own latency a cache's is no evidence for what lies far above it. */
    if (!nearest || (!has_memory && measured_ns > 1.5 * nearest->latency_ns))
        return {measured_ns, {}};
    return {measured_ns, nearest->level};
}

Level Levels::of(std::uint64_t thread_bytes, unsigned threads, std::uint64_t most_bytes,
                 weft_pages pages, const CpuSetting &cpu)
{
    const Level own = level(std::min(thread_bytes, most_bytes), pages, cpu);
    const std::uint64_t all_bytes = std::min(thread_bytes * threads, most_bytes);

    if (threads == 1 || own.is_memory() || (own.level && is_private(*own.level)))
        return own;
    return level(all_bytes, pages, cpu);
}

} // namespace weft
