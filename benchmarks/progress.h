/* SPDX-License-Identifier: MIT */
/* --weft_progress: one line for each cell on stdout, with the time left. */
#ifndef WEFT_BENCHMARKS_PROGRESS_H
#define WEFT_BENCHMARKS_PROGRESS_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace weft
{

class ProgressReporter : public benchmark::BenchmarkReporter
{
  public:
    /* `total`: how many cells the filter selects. */
    explicit ProgressReporter(std::size_t total);

    bool ReportContext(const Context &context) override;
    void ReportRuns(const std::vector<Run> &runs) override;

  private:
    std::size_t total_;
    std::set<std::string> done_;
    std::uint64_t start_ns_;
};

} // namespace weft

#endif
