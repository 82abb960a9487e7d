/* SPDX-License-Identifier: MIT */
/* The only place where the names of cases are made. They are the schema of the results:
 *
 *     family/variant/key:value/.../manual_time
 *
 * with the keys in a fixed order and characters [A-Za-z0-9_:/-] only; Google Benchmark appends
 * "/manual_time". Since something follows every key:value, "group:8/" never matches "group:80/".
 *
 * Lookups: size, depth, pages, cpu, load, hint, group, threads; cpu, load and threads are left out
 * at their defaults.
 * Bandwidth (stream): store, array, slice, threads, pages, cpu, pass. The threads stand beside the
 * array that they share and are never left out: without both a bandwidth is no measurement. slice
 * (bytes per thread and array) is that of a cache-resident working set, whose rounds move the bytes
 * of one pass over the array; cpu and pass are left out at their defaults.
 * stream/loaded-latency: rate, size, threads, pages, cpu. */
#ifndef WEFT_BENCHMARKS_CASE_NAME_H
#define WEFT_BENCHMARKS_CASE_NAME_H

#include <cstdint>
#include <string>

#include "flags.h"

namespace weft
{

/* "512MiB": the largest binary unit that divides `bytes` ("100B", "1536KiB"). */
std::string size_name(std::uint64_t bytes);

/* "t0", "t1", "t2", "nta", "none". */
std::string hint_name(weft_hint hint);

/* "auto", "none" or the processor's number. */
std::string cpu_name(const CpuSetting &cpu);

/* A name being put together; each call appends "/key:value". */
class CaseName
{
  public:
    CaseName(const std::string &family, const std::string &variant);
    CaseName &key(const std::string &name, const std::string &value);
    CaseName &key(const std::string &name, std::uint64_t value);
    CaseName &place(weft_pages pages, const CpuSetting &cpu); /* both keys */
    const std::string &text() const;

  private:
    std::string text_;
};

} // namespace weft

#endif
