/* SPDX-License-Identifier: MIT */
/* The serial chase as a probe of latency, for cells of other families. */
#ifndef WEFT_BENCHMARKS_SERIAL_CHASE_H
#define WEFT_BENCHMARKS_SERIAL_CHASE_H

#include "batches.h"
#include "load.h"

namespace weft
{

/* Chases a chain of the fixtures on one thread. It must not outlive the chain or the team. Throws
 * CellError. */
class SerialChase
{
  public:
    SerialChase(Fixtures &fixtures, std::uint64_t size_bytes, weft_pages pages,
                const CpuSetting &cpu, std::size_t hops);

    /* Chases `hops` hops and verifies them. */
    weft_span batch();
    /* What is counted as moved by it begins at zero here. */
    void load(const Load &load);
    double load_gbs() const;
    const weft_residency &residency() const;

  private:
    const ChainFixture &fixture_;
    LoadedCell loaded_;
    Batches batches_;
};

} // namespace weft

#endif
