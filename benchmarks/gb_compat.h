/* SPDX-License-Identifier: MIT */
/* What differs between versions of Google Benchmark, as the build has found it by compiling. */
#ifndef WEFT_BENCHMARKS_GB_COMPAT_H
#define WEFT_BENCHMARKS_GB_COMPAT_H

namespace weft
{

/* --benchmark_min_time takes "0.1s" and "10x" (1.8.0 and later); otherwise a bare number. */
#ifdef WEFT_GB_MIN_TIME_HAS_UNIT
inline constexpr bool gb_min_time_has_unit = true;
#else
inline constexpr bool gb_min_time_has_unit = false;
#endif

} // namespace weft

#endif
