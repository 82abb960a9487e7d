/* SPDX-License-Identifier: MIT */
#include "limits/roofline.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stats.h"

enum {
    FINALISTS = 4,  /* ways that are measured again, once all were tried */
    TRIES_MAX = 64, /* of a way: more do not make its median better */
    BATCHES = 16,   /* of a try: about a millisecond of memory time */
};

/* A way and what its tries gave, in nanoseconds per node. */
struct contender {
    struct weft_read_way way;
    double ns[TRIES_MAX];
    size_t tries;
};

struct weft_read_way weft_read_way_at(const size_t index)
{
    static const unsigned distances[] = {32, 16, 64, 8, 128, 4, WEFT_READ_DISTANCE_MAX, 0};
    static const enum weft_hint hints[] = {WEFT_HINT_T0, WEFT_HINT_T1, WEFT_HINT_T2, WEFT_HINT_NTA};

    if (index == 0)
        return (struct weft_read_way){WEFT_HINT_NONE, 0};
    return (struct weft_read_way){hints[(index - 1) % 4], distances[(index - 1) / 4]};
}

static enum weft_status try_way(struct weft_measure *const measure,
                                struct contender *const contender)
{
    struct weft_random_read *const read = measure->self;
    double sum_ns = 0;

    read->way = contender->way;
    for (int batch = 0; batch < BATCHES; ++batch) {
        struct weft_span span;
        const enum weft_status status = weft_measure_batch(measure, &span);

        if (status != WEFT_OK)
            return status;
        sum_ns += (double)span.span_ns;
    }
    contender->ns[contender->tries++] = sum_ns / BATCHES / (double)read->reads;
    return WEFT_OK;
}

/* By the first try. */
static int compare_contenders(const void *const left, const void *const right)
{
    const double a = ((const struct contender *)left)->ns[0];
    const double b = ((const struct contender *)right)->ns[0];

    return (a > b) - (a < b);
}

/* A limit is what a way gives as a rule: the fastest try of many would be the calmest moment of
 * the machine, which the cells that are compared with it did not have. */
static void choose(struct contender *const contenders, const size_t count,
                   struct weft_roofline *const roofline)
{
    roofline->ns_per_node = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        const double ns = weft_median(contenders[i].ns, contenders[i].tries);

        if (ns < roofline->ns_per_node)
            *roofline = (struct weft_roofline){ns, contenders[i].way};
    }
}

static enum weft_status search(struct weft_measure *const measure, const uint64_t end_ns,
                               struct weft_roofline *const roofline)
{
    struct contender contenders[WEFT_READ_WAYS];
    size_t count = 0;
    enum weft_status status = WEFT_OK;

    do {
        contenders[count] = (struct contender){.way = weft_read_way_at(count)};
        status = try_way(measure, &contenders[count]);
        ++count;
    } while (status == WEFT_OK && count < WEFT_READ_WAYS && weft_clock_ns() < end_ns);
    if (status != WEFT_OK)
        return status;
    qsort(contenders, count, sizeof(contenders[0]), compare_contenders);
    if (count > FINALISTS)
        count = FINALISTS;
    for (size_t i = 0;
         status == WEFT_OK && contenders[i].tries < TRIES_MAX && weft_clock_ns() < end_ns;
         i = (i + 1) % count)
        status = try_way(measure, &contenders[i]);
    choose(contenders, count, roofline);
    return status;
}

static enum weft_status again(struct weft_measure *const measure, const uint64_t end_ns,
                              struct weft_roofline *const roofline)
{
    struct contender winner = {.way = roofline->way};
    enum weft_status status;

    do
        status = try_way(measure, &winner);
    while (status == WEFT_OK && winner.tries < TRIES_MAX && weft_clock_ns() < end_ns);
    if (status == WEFT_OK)
        choose(&winner, 1, roofline);
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
