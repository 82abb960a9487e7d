/* SPDX-License-Identifier: MIT */
#include "interference.h"

#include <cstdio>

namespace weft
{
namespace
{

/* A cell with less of its processor than this shared it with somebody. */
constexpr double cpu_share_min = 0.9;

} // namespace

void InterferenceLog::note(const std::string &cell, const weft_interference &interference)
{
    weft_interference_add(&cells_[cell], &interference);
}

std::string InterferenceLog::warnings() const
{
    std::size_t shared = 0;
    std::size_t faulted = 0;
    double least_share = 1;
    std::uint64_t most_faults = 0;
    std::string least_shared;
    std::string most_faulted;
    std::string text;
    char line[512];

    for (const auto &[cell, interference] : cells_) {
        const double share = weft_interference_cpu_share(&interference);

        if (share < cpu_share_min) {
            ++shared;
            if (share < least_share) {
                least_share = share;
                least_shared = cell;
            }
        }
        if (interference.minor_faults > 0) {
            ++faulted;
            if (interference.minor_faults > most_faults) {
                most_faults = interference.minor_faults;
                most_faulted = cell;
            }
        }
    }
    if (shared > 0) {
        std::snprintf(line, sizeof(line),
                      "warning: %zu of %zu cells had less than %.1f of their processor in timed "
                      "parts (cpu_share), the least %.2f: %s\n",
                      shared, cells_.size(), cpu_share_min, least_share, least_shared.c_str());
        text += line;
    }
    if (faulted > 0) {
        std::snprintf(line, sizeof(line),
                      "warning: %zu of %zu cells had page faults in timed parts (minor_faults), "
                      "the most %llu: %s\n",
                      faulted, cells_.size(), static_cast<unsigned long long>(most_faults),
                      most_faulted.c_str());
        text += line;
    }
    return text;
}

} // namespace weft
