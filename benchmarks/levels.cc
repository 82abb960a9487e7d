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
    const double measured_ns =
        latency_ns(std::min({bytes, large_bytes_, budget_bytes_ / 2}), pages, cpu);
    std::vector<weft_level_reference> references;
    std::uint64_t inner_bytes = 0;

    for (unsigned level = 1; level <= WEFT_CACHE_LEVEL_MAX; ++level) {
        const std::uint64_t cache_bytes = weft_cache_bytes(level);
        const std::uint64_t reference = weft_level_reference_bytes(inner_bytes, cache_bytes);

        if (cache_bytes <= inner_bytes)
            continue;
        inner_bytes = cache_bytes;
        /* What is announced may be more than there is to have, never less. */
        if (bytes <= 2 * cache_bytes && reference <= budget_bytes_)
            references.push_back({level, latency_ns(reference, pages, cpu)});
    }
    if (references.empty())
        return {measured_ns,
                inner_bytes ? std::optional<unsigned>(WEFT_LEVEL_MEMORY) : std::nullopt};

    const weft_level_reference *const nearest =
        weft_level_nearest(references.data(), references.size(), measured_ns);
    const weft_level_reference last = references.back();
    if (nearest->level != last.level)
        return {measured_ns, nearest->level};
    if (Fixtures::chain_cost_bytes(large_bytes_, pages) > budget_bytes_) {
        /* Without memory's own latency a cache's is no evidence for what lies far above it. */
        if (measured_ns > distinct * last.latency_ns)
            return {measured_ns, {}};
        return {measured_ns, last.level};
    }
    const weft_level_reference memory = {WEFT_LEVEL_MEMORY, latency_ns(large_bytes_, pages, cpu)};
    /* A busy neighbour can make a shared cache as slow as memory. */
    if (last.latency_ns * distinct > memory.latency_ns)
        return {measured_ns, {}};
    const weft_level_reference both[] = {last, memory};
    return {measured_ns, weft_level_nearest(both, 2, measured_ns)->level};
}

Level Levels::of(std::uint64_t thread_bytes, unsigned threads, weft_pages pages,
                 const CpuSetting &cpu)
{
    const Level own = level(thread_bytes, pages, cpu);

    if (threads == 1 || own.is_memory() || (own.level && is_private(*own.level)))
        return own;
    return level(thread_bytes * threads, pages, cpu);
}

} // namespace weft
