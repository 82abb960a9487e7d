/* SPDX-License-Identifier: MIT */
/* From the threads' stamps to bandwidth figures. Pure functions. */
#ifndef WEFT_STREAM_ROUNDS_H
#define WEFT_STREAM_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

/* One thread in one round: after the barrier before the kernel, and before the one after it. */
struct weft_stream_stamp {
    uint64_t start_ns;
    uint64_t end_ns;
};

struct weft_stream_figures {
    size_t rounds;
    double median_gbs;         /* decimal, bytes counted as STREAM does, over the median span */
    double best_gbs;           /* over the shortest span */
    double cv;                 /* of the spans; NaN below two rounds */
    double fastest_thread_gbs; /* of the threads' own medians over the rounds, the largest */
    double slowest_thread_gbs; /* and the smallest; threads without elements are left out */
    size_t late_rounds;
};

/* A round's time: from the earliest start to the latest end. `round` has `threads` >= 1 stamps. */
uint64_t weft_stream_span_ns(const struct weft_stream_stamp *round, unsigned threads);

/* Whether the span is more than 20% above the slowest thread's own time: the threads did not run
 * at the same time, and the round's figure is that of the machine's disturbance. */
bool weft_stream_is_late(const struct weft_stream_stamp *round, unsigned threads);

/* Decimal gigabytes per second; a time below the clock's step counts as 1 ns. */
double weft_stream_gbs(double bytes, double span_ns);

/* Figures of `rounds` >= 1 rounds, whose stamps lie round by round; thread t moves thread_bytes[t]
 * counted bytes in each. Errors: WEFT_E_INVALID, WEFT_E_NOMEM. */
enum weft_status weft_stream_summarise(const struct weft_stream_stamp *stamps, size_t rounds,
                                       unsigned threads, const uint64_t *thread_bytes,
                                       struct weft_stream_figures *figures);

#endif
