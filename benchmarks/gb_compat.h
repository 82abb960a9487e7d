/* SPDX-License-Identifier: MIT */
/* Where Google Benchmark's versions differ; nothing else looks at its version. */
#ifndef WEFT_BENCHMARKS_GB_COMPAT_H
#define WEFT_BENCHMARKS_GB_COMPAT_H

#include <string>

#include <benchmark/benchmark.h>

namespace weft
{

/* Whether a row is an error: error_occurred until 1.7, skipped == SkippedWithError since 1.8. */
template <class Run>
bool run_failed(const Run &run)
{
    if constexpr (requires { run.error_occurred; })
        return run.error_occurred;
    else
        return run.skipped == benchmark::internal::SkippedWithError;
}

template <class Run>
std::string run_message(const Run &run)
{
    if constexpr (requires { run.error_message; })
        return run.error_message;
    else
        return run.skip_message;
}

} // namespace weft

#endif
