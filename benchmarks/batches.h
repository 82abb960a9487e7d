/* SPDX-License-Identifier: MIT */
/* The measuring protocol for as long as a cell is measured. */
#ifndef WEFT_BENCHMARKS_BATCHES_H
#define WEFT_BENCHMARKS_BATCHES_H

#include <cstdint>

#include "cell_error.h"

extern "C" {
#include "measure/measure.h"
}

namespace weft
{

class Batches
{
  public:
    /* `self` is ready, and it and `team` outlive this. The next batch has the number `done`. Throws
     * CellError. */
    Batches(const weft_measured &measured, void *self, weft_team *team, std::uint64_t done = 0);
    ~Batches();
    Batches(const Batches &) = delete;
    Batches &operator=(const Batches &) = delete;

    /* As weft_measure_batch(). Throws CellError where the run is interrupted before it. */
    weft_status run(weft_span *span);

  private:
    weft_measure measure_ = {};
};

} // namespace weft

#endif
