/* SPDX-License-Identifier: MIT */
/* The program weft-bench. */
#ifndef WEFT_BENCHMARKS_BENCH_H
#define WEFT_BENCHMARKS_BENCH_H

#include <functional>
#include <string>
#include <vector>

#include "session.h"

namespace weft
{

enum ExitStatus {
    exit_ok = 0,
    exit_failed = 1,       /* a cell ended in an error, or results could not be written */
    exit_usage = 2,        /* a bad flag, or nothing to run; nothing was run */
    exit_interrupted = 130 /* as a shell reports SIGINT */
};

/* Runs it with these arguments, program name first, and returns its exit status. `prepare`, when
 * given, is called with the session before anything is measured: for tests. */
int run_bench(std::vector<std::string> arguments,
              const std::function<void(Session &)> &prepare = nullptr);

} // namespace weft

#endif
