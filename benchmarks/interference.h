/* SPDX-License-Identifier: MIT */
/* Which cells were disturbed while they were timed; said once, at the end of the run. */
#ifndef WEFT_BENCHMARKS_INTERFERENCE_H
#define WEFT_BENCHMARKS_INTERFERENCE_H

#include <map>
#include <string>

extern "C" {
#include "measure/measure.h"
}

namespace weft
{

class InterferenceLog
{
  public:
    /* Takes note of a cell's timed parts; a cell may be noted many times. */
    void note(const std::string &cell, const weft_interference &interference);

    /* The warnings, one line each; empty when nothing was disturbed. */
    std::string warnings() const;

  private:
    std::map<std::string, weft_interference> cells_;
};

} // namespace weft

#endif
