/* SPDX-License-Identifier: MIT */
/* The limits of a working set, for every lookup cell that is measured on it. */
#ifndef WEFT_BENCHMARKS_CELL_LIMITS_H
#define WEFT_BENCHMARKS_CELL_LIMITS_H

#include <optional>

#include "fixtures.h"

extern "C" {
#include "limits/on_demand.h"
}

namespace weft
{

class Limits
{
  public:
    Limits();
    ~Limits();
    Limits(const Limits &) = delete;
    Limits &operator=(const Limits &) = delete;

    /* Those of the chain's memory under a team: as they are kept, or measured now, off the clock.
     * None where the chain is too large to be measured. Throws CellError. */
    std::optional<weft_limits> get(const ChainFixture &fixture, weft_team *team,
                                   const CpuSetting &cpu);

    /* Seconds since they were measured. */
    double age_s(const weft_limits &limits) const;

  private:
    weft_limits_cache cache_ = {};
    weft_chain_limits source_ = {};
};

} // namespace weft

#endif
