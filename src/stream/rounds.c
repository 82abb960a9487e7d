/* SPDX-License-Identifier: MIT */
#include "stream/rounds.h"

#include <stdlib.h>

#include "base/stats.h"

static uint64_t own_ns(const struct weft_stream_stamp *const stamp)
{
    return stamp->end_ns - stamp->start_ns;
}

uint64_t weft_stream_span_ns(const struct weft_stream_stamp *const round, const unsigned threads)
{
    uint64_t first = round[0].start_ns;
    uint64_t last = round[0].end_ns;

    for (unsigned t = 1; t < threads; ++t) {
        if (round[t].start_ns < first)
            first = round[t].start_ns;
        if (round[t].end_ns > last)
            last = round[t].end_ns;
    }
    return last - first;
}

bool weft_stream_is_late(const struct weft_stream_stamp *const round, const unsigned threads)
{
    uint64_t slowest = 0;

    for (unsigned t = 0; t < threads; ++t)
        if (own_ns(&round[t]) > slowest)
            slowest = own_ns(&round[t]);
    return weft_stream_span_ns(round, threads) * 5 > slowest * 6;
}

double weft_stream_gbs(const double bytes, const double span_ns)
{
    return bytes / (span_ns < 1 ? 1 : span_ns);
}

static void summarise_spans(const struct weft_stream_stamp *const stamps, const size_t rounds,
                            const unsigned threads, const double bytes, double *const scratch,
                            struct weft_stream_figures *const figures)
{
    for (size_t r = 0; r < rounds; ++r) {
        const struct weft_stream_stamp *const round = stamps + r * threads;

        scratch[r] = (double)weft_stream_span_ns(round, threads);
        figures->late_rounds += weft_stream_is_late(round, threads);
    }
    figures->cv = weft_cv(scratch, rounds);
    figures->median_gbs = weft_stream_gbs(bytes, weft_median(scratch, rounds));
    figures->best_gbs = weft_stream_gbs(bytes, scratch[0]); /* the median has sorted them */
}

static double thread_median_ns(const struct weft_stream_stamp *const stamps, const size_t rounds,
                               const unsigned threads, const unsigned thread, double *const scratch)
{
    for (size_t r = 0; r < rounds; ++r)
        scratch[r] = (double)own_ns(&stamps[r * threads + thread]);
    return weft_median(scratch, rounds);
}

enum weft_status weft_stream_summarise(const struct weft_stream_stamp *const stamps,
                                       const size_t rounds, const unsigned threads,
                                       const uint64_t *const thread_bytes,
                                       struct weft_stream_figures *const figures)
{
    double bytes = 0;
    bool any = false;

    if (rounds == 0 || threads == 0)
        return WEFT_E_INVALID;
    double *const scratch = calloc(rounds, sizeof(*scratch));
    if (!scratch)
        return WEFT_E_NOMEM;
    *figures = (struct weft_stream_figures){.rounds = rounds};
    for (unsigned t = 0; t < threads; ++t) {
        if (thread_bytes[t] == 0)
            continue;
        const double gbs = weft_stream_gbs((double)thread_bytes[t],
                                           thread_median_ns(stamps, rounds, threads, t, scratch));

        if (!any || gbs > figures->fastest_thread_gbs)
            figures->fastest_thread_gbs = gbs;
        if (!any || gbs < figures->slowest_thread_gbs)
            figures->slowest_thread_gbs = gbs;
        any = true;
        bytes += (double)thread_bytes[t];
    }
    summarise_spans(stamps, rounds, threads, bytes, scratch, figures);
    free(scratch);
    return WEFT_OK;
}
