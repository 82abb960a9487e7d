/* SPDX-License-Identifier: MIT */
/* What all families of cases are made of. */
#ifndef WEFT_BENCHMARKS_CASE_H
#define WEFT_BENCHMARKS_CASE_H

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "session.h"

namespace weft
{

/* What a case measures on: cases for which it is the same share a chain or an array. */
struct CaseData {
    std::uint64_t size_bytes = 0; /* cases are registered by size, then by pages and payload */
    weft_pages pages = WEFT_PAGES_4K;
    std::uint64_t fixture_bytes = 0; /* what its chain or array takes of --weft_memory */
    std::size_t payload_bytes = sizeof(weft_chain_node); /* of its chain's nodes */
    std::string other = {}; /* what else tells its data from that of other cases */

    static CaseData chain(std::uint64_t size_bytes, weft_pages pages);
};

/* Of the timed batches of one entry. */
struct Sums {
    double span_ns = 0;
    double fastest_ns = 0; /* of the batch's fastest thread */
    double slowest_ns = 0;
    weft_interference interference = {};

    void add(const weft_span &span);
};

/* One cell over all the times that Google Benchmark enters it. */
class Case
{
  public:
    /* `name` is without Google Benchmark's "/manual_time". */
    Case(Session &session, const std::string &name, const CaseData &data);
    virtual ~Case() = default;
    Case(const Case &) = delete;
    Case &operator=(const Case &) = delete;

    const std::string &name() const;
    const CaseData &data() const;

    /* Measures the cell. When that throws CellError, the row is an error. */
    void enter(benchmark::State &state);

  protected:
    virtual void measure(benchmark::State &state) = 0;

    /* Times as many batches as Google Benchmark wants; `batch` runs one and returns its span. What
     * came between them is counted. */
    template <class Batch>
    static Sums time(benchmark::State &state, const Batch &batch)
    {
        Sums sums;

        for ([[maybe_unused]] auto _ : state) {
            const weft_span span = batch();

            state.SetIterationTime(static_cast<double>(span.span_ns) * 1e-9);
            sums.add(span);
        }
        count_interference(state, sums.interference);
        return sums;
    }

    /* The counters of the pages that were obtained; what the row's label should say of them. */
    static std::string count_pages(benchmark::State &state, const weft_residency &residency);

    /* A label of those parts that are not empty. */
    static std::string joined(std::initializer_list<std::string> parts);

    Session &session_;

  private:
    static void count_interference(benchmark::State &state, const weft_interference &interference);

    std::string name_;
    CaseData data_;
};

using Cases = std::vector<std::unique_ptr<Case>>;

/* The families: each appends its cases. */
void add_fiber_cases(Session &session, Cases &cases);
void add_lookup_cases(Session &session, Cases &cases);
void add_limit_cases(Session &session, Cases &cases);
void add_stream_cases(Session &session, Cases &cases);
void add_loaded_latency_cases(Session &session, Cases &cases);

} // namespace weft

#endif
