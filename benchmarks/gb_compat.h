/* SPDX-License-Identifier: MIT */
/* Where Google Benchmark's versions differ; nothing else looks at its version. */
#ifndef WEFT_BENCHMARKS_GB_COMPAT_H
#define WEFT_BENCHMARKS_GB_COMPAT_H

#include <string>

namespace weft
{

/* --benchmark_min_time takes "0.1s" and "10x" (1.8.0 and later); otherwise a bare number. The
 * build finds it out by compiling. */
#ifdef WEFT_GB_MIN_TIME_HAS_UNIT
inline constexpr bool gb_min_time_has_unit = true;
#else
inline constexpr bool gb_min_time_has_unit = false;
#endif

/* Whether a row of a reporter is an error: error_occurred until 1.7, skipped since 1.8.0, where
 * the last of three values is the error. */
template <class Run>
bool run_failed(const Run &run)
{
    if constexpr (requires { run.error_occurred; })
        return run.error_occurred;
    else
        return static_cast<int>(run.skipped) == 2;
}

/* Why it is one. */
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
