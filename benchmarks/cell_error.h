/* SPDX-License-Identifier: MIT */
/* Why a cell cannot be measured, and what finds it out. */
#ifndef WEFT_BENCHMARKS_CELL_ERROR_H
#define WEFT_BENCHMARKS_CELL_ERROR_H

#include <cstdint>
#include <string>

extern "C" {
#include "memory/residency.h"
#include "weft/status.h"
}

namespace weft
{

/* Becomes the row's error message. */
struct CellError {
    std::string message;
};

/* Throws what the status says, behind the name of what has it where one is given; WEFT_OK is no
 * error. */
void check(weft_status status, const std::string &what = "");

/* Throws when the stacks of that many fibers, which touch `bytes` of memory, are more than there is
 * available. */
void check_stacks(std::uint64_t fibers, std::uint64_t bytes);

/* Throws once the run is interrupted. */
void check_interrupted();

/* Throws when what was obtained is not what was asked for; `what` is named. */
void check_residency(const weft_residency &residency, const std::string &what, weft_pages pages);

} // namespace weft

#endif
