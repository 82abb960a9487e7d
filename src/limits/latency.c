/* SPDX-License-Identifier: MIT */
#include "limits/latency.h"

#include "base/clock.h"
#include "base/stats.h"
#include "lookup/chase.h"

/* More do not make the median better. */
enum { BATCHES_MAX = 64 };

static const struct weft_variant serial = {
    .workload = &weft_chase,
    .name = "serial",
    .help = "each load waits for the one before",
    .serial = true,
    .run = weft_chase_serial,
};

size_t weft_latency_frames_bytes(const unsigned threads)
{
    return weft_cell_frames_bytes(&serial, 1, threads);
}

struct weft_cell weft_latency_cell(const struct weft_chain *const chain,
                                   struct weft_batch *const batch, const unsigned threads,
                                   const size_t depth)
{
    return (struct weft_cell){
        .variant = &serial,
        .data = chain,
        .batch = batch,
        .threads = threads,
        .depth = depth,
        .group = 1,
    };
}

double weft_latency_ns(const struct weft_cell *const cell, const uint64_t span_ns)
{
    const double hops = (double)cell->batch->lookups * (double)cell->depth;

    return (double)span_ns * cell->threads / hops;
}

enum weft_status weft_latency_measure(struct weft_cell *const cell, struct weft_team *const team,
                                      const uint64_t budget_ns, uint64_t *const batches,
                                      double *const ns_per_hop)
{
    const uint64_t end_ns = weft_clock_ns() + budget_ns;
    double measured[BATCHES_MAX];
    size_t count = 0;
    struct weft_measure measure;
    enum weft_status status = weft_measure_init(&measure, &weft_cell_measured, cell, team);

    if (status != WEFT_OK)
        return status;
    measure.batches = *batches;
    weft_chain_touch(cell->data);
    do {
        struct weft_span span;

        status = weft_measure_batch(&measure, &span);
        if (status == WEFT_OK)
            measured[count++] = weft_latency_ns(cell, span.span_ns);
    } while (status == WEFT_OK && count < BATCHES_MAX && weft_clock_ns() < end_ns);
    *batches = measure.batches;
    weft_measure_destroy(&measure);
    if (status == WEFT_OK)
        *ns_per_hop = weft_median(measured, count);
    return status;
}
