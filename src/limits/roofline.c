/* SPDX-License-Identifier: MIT */
#include "limits/roofline.h"

#include <math.h>

#include "base/clock.h"

/* Ways that are measured again, once all were tried. */
enum { FINALISTS = 4 };

/* Of one measurement of a way: a millisecond or more of memory time, which no short calm of the
 * machine passes for. */
enum { BATCHES = 16 };

struct weft_read_way weft_read_way_at(const size_t index)
{
    static const unsigned distances[] = {32, 16, 64, 8, 128, 4, WEFT_READ_DISTANCE_MAX, 0};
    static const enum weft_hint hints[] = {WEFT_HINT_T0, WEFT_HINT_T1, WEFT_HINT_T2, WEFT_HINT_NTA};

    if (index == 0)
        return (struct weft_read_way){WEFT_HINT_NONE, 0};
    return (struct weft_read_way){hints[(index - 1) % 4], distances[(index - 1) / 4]};
}

/* Measures a way; keeps the faster time in `best_ns`. */
static enum weft_status try_way(struct weft_measure *const measure, const struct weft_read_way way,
                                double *const best_ns)
{
    struct weft_random_read *const read = measure->self;
    double sum_ns = 0;

    read->way = way;
    for (int batch = 0; batch < BATCHES; ++batch) {
        struct weft_span span;
        const enum weft_status status = weft_measure_batch(measure, &span);

        if (status != WEFT_OK)
            return status;
        sum_ns += (double)span.span_ns;
    }
    *best_ns = fmin(*best_ns, sum_ns / BATCHES / (double)read->reads);
    return WEFT_OK;
}

/* The number of the fastest way that is not `done`. */
static size_t fastest(const double *const ns, const bool *const done)
{
    size_t best = WEFT_READ_WAYS;

    for (size_t i = 0; i < WEFT_READ_WAYS; ++i)
        if (!done[i] && (best == WEFT_READ_WAYS || ns[i] < ns[best]))
            best = i;
    return best;
}

static enum weft_status search(struct weft_measure *const measure, const uint64_t end_ns,
                               struct weft_roofline *const roofline)
{
    double ns[WEFT_READ_WAYS];
    bool done[WEFT_READ_WAYS] = {false};
    size_t finalists[FINALISTS];
    size_t tried = 0;
    enum weft_status status = WEFT_OK;

    for (size_t i = 0; i < WEFT_READ_WAYS; ++i)
        ns[i] = INFINITY;
    do {
        status = try_way(measure, weft_read_way_at(tried), &ns[tried]);
        ++tried;
    } while (status == WEFT_OK && tried < WEFT_READ_WAYS && weft_clock_ns() < end_ns);
    for (size_t i = 0; i < FINALISTS; ++i) {
        finalists[i] = fastest(ns, done);
        done[finalists[i]] = true;
    }
    for (size_t i = 0; status == WEFT_OK && weft_clock_ns() < end_ns; i = (i + 1) % FINALISTS)
        status = try_way(measure, weft_read_way_at(finalists[i]), &ns[finalists[i]]);
    if (status == WEFT_OK) {
        const size_t winner = fastest(ns, (const bool[WEFT_READ_WAYS]){false});

        *roofline = (struct weft_roofline){ns[winner], weft_read_way_at(winner)};
    }
    return status;
}

static enum weft_status again(struct weft_measure *const measure, const uint64_t end_ns,
                              struct weft_roofline *const roofline)
{
    double ns = INFINITY;
    enum weft_status status;

    do
        status = try_way(measure, roofline->way, &ns);
    while (status == WEFT_OK && weft_clock_ns() < end_ns);
    if (status == WEFT_OK)
        roofline->ns_per_node = ns;
    return status;
}

static enum weft_status
under_measure(struct weft_random_read *const read, struct weft_team *const team,
              const uint64_t budget_ns, uint64_t *const batches,
              struct weft_roofline *const roofline,
              enum weft_status (*const body)(struct weft_measure *measure, uint64_t end_ns,
                                             struct weft_roofline *roofline))
{
    const uint64_t end_ns = weft_clock_ns() + budget_ns;
    struct weft_measure measure;
    enum weft_status status = weft_measure_init(&measure, &weft_random_read_measured, read, team);

    if (status != WEFT_OK)
        return status;
    measure.batches = *batches;
    status = body(&measure, end_ns, roofline);
    *batches = measure.batches;
    weft_measure_destroy(&measure);
    return status;
}

enum weft_status weft_roofline_search(struct weft_random_read *const read,
                                      struct weft_team *const team, const uint64_t budget_ns,
                                      uint64_t *const batches, struct weft_roofline *const roofline)
{
    return under_measure(read, team, budget_ns, batches, roofline, search);
}

enum weft_status weft_roofline_again(struct weft_random_read *const read,
                                     struct weft_team *const team, const uint64_t budget_ns,
                                     uint64_t *const batches, struct weft_roofline *const roofline)
{
    return under_measure(read, team, budget_ns, batches, roofline, again);
}
