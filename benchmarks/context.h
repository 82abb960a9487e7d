/* SPDX-License-Identifier: MIT */
/* What a run's results are recorded with: machine, build and flags, as weft_… keys of the JSON. */
#ifndef WEFT_BENCHMARKS_CONTEXT_H
#define WEFT_BENCHMARKS_CONTEXT_H

#include "flags.h"

namespace weft
{

void add_context(const Flags &flags);

} // namespace weft

#endif
