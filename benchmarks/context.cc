/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <string>

#include <benchmark/benchmark.h>

#include "build_info.h"

extern "C" {
#include "machine/description.h"
#include "stream/kernels.h"
}

namespace weft
{
namespace
{

void add(const char *key, const std::string &value)
{
    benchmark::AddCustomContext(std::string("weft_") + key, value.empty() ? "unknown" : value);
}

void add_machine_fact(const char *key, const char *value, void *)
{
    add(key, value);
}

} // namespace

void add_context(const Flags &flags)
{
    add("version", WEFT_VERSION);
    add("git_commit", WEFT_GIT_COMMIT);
    add("c_compiler", WEFT_C_COMPILER);
    add("cxx_compiler", WEFT_CXX_COMPILER);
    add("compiler_flags", WEFT_COMPILER_FLAGS);
    add("preset", flags.preset);
    add("seed", std::to_string(flags.seed));
    add("lookups", std::to_string(flags.lookups));
    add("warmup_batches", std::to_string(flags.warmup_batches));
    add("memory_budget_bytes", std::to_string(flags.memory_bytes));
    add("stream_nt_stores", weft_stream_store_kind(WEFT_STREAM_NT));
    if (flags.vendor_gbs > 0)
        add("vendor_gbs", std::to_string(flags.vendor_gbs));
    weft_machine_describe(add_machine_fact, nullptr);
}

} // namespace weft
