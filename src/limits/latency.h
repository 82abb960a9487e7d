/* SPDX-License-Identifier: MIT */
/* The serial latency: what a load costs that has to wait for the one before. */
#ifndef WEFT_LIMITS_LATENCY_H
#define WEFT_LIMITS_LATENCY_H

#include "lookup/cell.h"
#include "lookup/chain.h"

/* The cell that measures it over `chain`: the code of chase/serial, in lookups of `depth` hops. On
 * several threads each of them chases. `batch` has weft_latency_frames_bytes(). */
struct weft_cell weft_latency_cell(const struct weft_chain *chain, struct weft_batch *batch,
                                   unsigned threads, size_t depth);

size_t weft_latency_frames_bytes(unsigned threads);

/* Nanoseconds per hop of one thread, of a batch of that cell. */
double weft_latency_ns(const struct weft_cell *cell, uint64_t span_ns);

/* Measures for about `budget_ns`, one batch at least, and gives the median. `batches` counts on
 * what was walked, so that the next call goes on there.
 * Errors: those of weft_measure_init() and weft_measure_batch(). */
enum weft_status weft_latency_measure(struct weft_cell *cell, struct weft_team *team,
                                      uint64_t budget_ns, uint64_t *batches, double *ns_per_hop);

#endif
