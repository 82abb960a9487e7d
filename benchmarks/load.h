/* SPDX-License-Identifier: MIT */
/* Threads that stream while a cell is measured. */
#ifndef WEFT_BENCHMARKS_LOAD_H
#define WEFT_BENCHMARKS_LOAD_H

#include "fixtures.h"

extern "C" {
#include "lookup/cell.h"
#include "stream/load.h"
}

namespace weft
{

/* What a load is asked for. */
struct LoadAxes {
    unsigned streams = 0; /* 0: no load */
    double rate_gbs = 0;  /* of all streams together; infinity: as fast as they can */
    weft_pages pages = WEFT_PAGES_4K;
};

/* A load for as long as it lives: triad with plain stores, on the processors after those of a team
 * of `threads`, over arrays that no cache holds. They are not kept and so no part of
 * --weft_memory. Build it after that team, on the same thread. Throws CellError. */
class Load
{
  public:
    Load(const Fixtures &fixtures, const LoadAxes &axes, unsigned threads, const CpuSetting &cpu);
    ~Load();
    Load(const Load &) = delete;
    Load &operator=(const Load &) = delete;

    const weft_load *get() const; /* NULL: no load */

  private:
    weft_load *load_ = nullptr;
};

/* A cell and, where there is a load, what the load moved while the cell's batches ran. */
struct LoadedCell {
    weft_cell cell = {};
    const weft_load *load = nullptr;
    weft_load_sample from = {};
    weft_load_sample moved = {}; /* sums; set it to zero where counting begins */

    double gbs() const;
};

/* weft_cell_measured for a LoadedCell as `self`. */
extern const weft_measured loaded_cell_measured;

} // namespace weft

#endif
