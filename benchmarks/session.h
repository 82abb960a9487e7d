/* SPDX-License-Identifier: MIT */
/* What the cases of one run of weft-bench share. */
#ifndef WEFT_BENCHMARKS_SESSION_H
#define WEFT_BENCHMARKS_SESSION_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "csv.h"
#include "fixtures.h"
#include "flags.h"
#include "interference.h"
#include "cell_limits.h"

extern "C" {
#include "measure/measure.h"
}

namespace weft
{

struct Session {
    explicit Session(const Flags &parsed);

    Flags flags;
    Fixtures fixtures;
    Limits limits;
    Csv csv;
    InterferenceLog interference;
    std::size_t failed_entries = 0; /* calls of a case that ended in an error */
};

/* One Google Benchmark case before it is registered. */
struct Case {
    std::string name;         /* without Google Benchmark's "/manual_time" */
    std::uint64_t size_bytes; /* lookup cases are registered by size, then by pages and payload */
    weft_pages pages;
    std::uint64_t fixture_bytes; /* what its chain or array takes of --weft_memory */
    std::function<void(benchmark::State &)> run;
    std::size_t payload_bytes = sizeof(weft_chain_node); /* of its chain's nodes */
    std::string data = {}; /* what else tells its data from that of other cases */
};

/* The families: each appends its cases. */
void add_fiber_cases(Session &session, std::vector<Case> &cases);
void add_lookup_cases(Session &session, std::vector<Case> &cases);
void add_limit_cases(Session &session, std::vector<Case> &cases);
void add_stream_cases(Session &session, std::vector<Case> &cases);
void add_loaded_latency_cases(Session &session, std::vector<Case> &cases);

/* The counters of the pages that were obtained; what the row's label should say of them. */
std::string count_pages(benchmark::State &state, const weft_residency &residency);

void count_interference(benchmark::State &state, const weft_interference &interference);

/* Makes the current row an error with this reason, printed on stderr too. */
void fail(Session &session, benchmark::State &state, const std::string &reason);

} // namespace weft

#endif
