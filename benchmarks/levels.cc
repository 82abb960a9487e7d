/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "case_name.h"
#include "serial_chase.h"

extern "C" {
#include "machine/topology.h"
#include "stream/shape.h"
}

namespace weft
{
namespace
{

constexpr double span_ns = 20e6;
constexpr double warm_span_ns = 50e6;
constexpr double distinct = 1.5; /* latencies within this factor are no two levels */
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

Levels::Levels(Fixtures &fixtures, std::uint64_t budget_bytes)
    : fixtures_(fixtures), budget_bytes_(budget_bytes),
      large_bytes_(weft_stream_large_default(weft_last_level_cache_bytes(), UINT64_MAX).array_bytes)
{
}

double Levels::latency_ns(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu)
{
    const auto key = std::make_tuple(bytes, pages, cpu_name(cpu));
    const auto known = latencies_.find(key);

    if (known != latencies_.end())
        return known->second;
    SerialChase chase(fixtures_, bytes, pages, cpu, hops);
    double least_ns = INFINITY; /* a disturbed batch says nothing about the level */
    double warm_ns = 0;

    /* Twice around: a cache that takes only what another one evicts fills no sooner. */
    for (std::uint64_t done = 0; done <= 2 * bytes / 64 && warm_ns < warm_span_ns; done += hops)
        warm_ns += static_cast<double>(chase.batch().span_ns);
    for (double sum_ns = 0; sum_ns < span_ns;) {
        const double batch_ns = static_cast<double>(chase.batch().span_ns);
        sum_ns += batch_ns;
        least_ns = std::min(least_ns, batch_ns);
    }
    return latencies_[key] = least_ns / static_cast<double>(hops);
}

Level Levels::level(std::uint64_t bytes, weft_pages pages, const CpuSetting &cpu)
{
    std::vector<weft_level_reference> references;
    std::uint64_t inner_bytes = 0;

    for (unsigned level = 1; level <= WEFT_CACHE_LEVEL_MAX; ++level) {
        const std::uint64_t cache_bytes = weft_cache_bytes(level);
        const std::uint64_t reference = weft_level_reference_bytes(inner_bytes, cache_bytes);

        if (cache_bytes <= inner_bytes || reference > budget_bytes_)
            continue;
        references.push_back({level, latency_ns(reference, pages, cpu)});
        inner_bytes = cache_bytes;
    }
    const bool has_memory = Fixtures::chain_cost_bytes(large_bytes_, pages) <= budget_bytes_;
    if (has_memory)
        references.push_back({WEFT_LEVEL_MEMORY, latency_ns(large_bytes_, pages, cpu)});

    const double measured_ns = latency_ns(bytes, pages, cpu);
    const weft_level_reference *const nearest =
        weft_level_nearest(references.data(), references.size(), measured_ns);
    if (!nearest)
        return {measured_ns, {}};
    if (!has_memory) {
        /* Without memory's own latency a cache's is no evidence for what lies far above it. */
        if (measured_ns > distinct * nearest->latency_ns)
            return {measured_ns, {}};
        return {measured_ns, nearest->level};
    }
    /* A busy neighbour can make a shared cache as slow as memory: then the size has to be such
     * that no cache holds it. */
    const bool clouded =
        references.size() > 1 &&
        references[references.size() - 2].latency_ns * distinct > references.back().latency_ns;
    const bool high = nearest >= &references.back() - clouded;
    if (clouded && high) {
        if (bytes < std::min(large_bytes_, 2 * weft_last_level_cache_bytes()))
            return {measured_ns, {}};
        return {measured_ns, WEFT_LEVEL_MEMORY};
    }
    return {measured_ns, nearest->level};
}

Level Levels::of(std::uint64_t thread_bytes, unsigned threads, weft_pages pages,
                 const CpuSetting &cpu)
{
    const std::uint64_t most_bytes = std::min(large_bytes_, budget_bytes_ / 2);
    const Level own = level(std::min(thread_bytes, most_bytes), pages, cpu);

    if (threads == 1 || own.is_memory() || (own.level && is_private(*own.level)))
        return own;
    return level(std::min(thread_bytes * threads, most_bytes), pages, cpu);
}

} // namespace weft
