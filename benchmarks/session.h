/* SPDX-License-Identifier: MIT */
/* What the cases of one run of weft-bench share. */
#ifndef WEFT_BENCHMARKS_SESSION_H
#define WEFT_BENCHMARKS_SESSION_H

#include <cstddef>

#include "cell_limits.h"
#include "csv.h"
#include "fixtures.h"
#include "flags.h"
#include "interference.h"

namespace weft
{

struct Session {
    explicit Session(const Flags &parsed)
        : flags(parsed), fixtures(parsed.memory_bytes, parsed.seed, parsed.oversubscribe)
    {
    }

    Flags flags;
    Fixtures fixtures;
    Limits limits;
    Csv csv;
    InterferenceLog interference;
    std::size_t failed_entries = 0; /* calls of a case that ended in an error */
};

} // namespace weft

#endif
