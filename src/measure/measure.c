/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "machine/usage.h"

/* One worker's record of a batch, on lines of its own. */
struct weft_measure_worker {
    _Alignas(64) uint64_t start_ns;
    uint64_t end_ns;
    struct weft_usage before;
    struct weft_usage after;
    enum weft_status status;
    bool entered;
};

static void enter_worker(void *const argument, const unsigned index)
{
    struct weft_measure *const measure = argument;
    struct weft_measure_worker *const worker = &measure->workers[index];

    worker->status = measure->measured->enter(measure->self, index);
    worker->entered = worker->status == WEFT_OK;
}

static void leave_worker(void *const argument, const unsigned index)
{
    struct weft_measure *const measure = argument;

    if (measure->workers[index].entered)
        measure->measured->leave(measure->self, index);
}

enum weft_status weft_measure_init(struct weft_measure *const measure,
                                   const struct weft_measured *const measured, void *const self,
                                   struct weft_team *const team)
{
    const size_t bytes = sizeof(struct weft_measure_worker) * weft_team_size(team);
    struct weft_measure_worker *const workers =
        aligned_alloc(_Alignof(struct weft_measure_worker), bytes);

    if (!workers)
        return WEFT_E_NOMEM;
    memset(workers, 0, bytes);
    *measure =
        (struct weft_measure){.measured = measured, .self = self, .team = team, .workers = workers};
    if (measured->enter)
        weft_team_run(team, enter_worker, measure);
    for (unsigned i = 0; i < weft_team_size(team); ++i) {
        const enum weft_status status = workers[i].status;

        if (status != WEFT_OK) {
            weft_measure_destroy(measure);
            return status;
        }
    }
    return WEFT_OK;
}

void weft_measure_destroy(struct weft_measure *const measure)
{
    if (measure->workers && measure->measured->leave)
        weft_team_run(measure->team, leave_worker, measure);
    free(measure->workers);
    measure->workers = NULL;
}

static void run_worker(void *const argument, const unsigned index)
{
    struct weft_measure *const measure = argument;
    struct weft_measure_worker *const worker = &measure->workers[index];

    worker->before = weft_usage_read();
    weft_barrier_wait(weft_team_barrier(measure->team));
    worker->start_ns = weft_clock_ns();
    worker->status = measure->measured->run(measure->self, index);
    worker->end_ns = weft_clock_ns();
    worker->after = weft_usage_read();
}

/* The workers' records as one span. */
static void gather(const struct weft_measure *const measure, struct weft_span *const span)
{
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;

    *span = (struct weft_span){.batch = measure->batches, .fastest_ns = UINT64_MAX};
    for (unsigned i = 0; i < weft_team_size(measure->team); ++i) {
        const struct weft_measure_worker *const worker = &measure->workers[i];
        const uint64_t own_ns = worker->end_ns - worker->start_ns;

        if (worker->start_ns < first_ns)
            first_ns = worker->start_ns;
        if (worker->end_ns > last_ns)
            last_ns = worker->end_ns;
        if (own_ns < span->fastest_ns)
            span->fastest_ns = own_ns;
        if (own_ns > span->slowest_ns)
            span->slowest_ns = own_ns;
        weft_interference_add(
            &span->interference,
            &(struct weft_interference){
                .wall_ns = worker->after.wall_ns - worker->before.wall_ns,
                .cpu_ns = worker->after.cpu_ns - worker->before.cpu_ns,
                .involuntary_switches =
                    worker->after.involuntary_switches - worker->before.involuntary_switches,
                .minor_faults = worker->after.minor_faults - worker->before.minor_faults,
            });
    }
    span->span_ns = last_ns - first_ns;
}

enum weft_status weft_measure_batch(struct weft_measure *const measure,
                                    struct weft_span *const span)
{
    const struct weft_measured *const measured = measure->measured;
    enum weft_status status = measured->prepare(measure->self, measure->batches);

    if (status == WEFT_OK) {
        weft_team_run(measure->team, run_worker, measure);
        for (unsigned i = 0; i < weft_team_size(measure->team) && status == WEFT_OK; ++i)
            status = measure->workers[i].status;
    }
    if (status == WEFT_OK)
        status = measured->verify(measure->self, measure->batches);
    if (status == WEFT_OK && span)
        gather(measure, span);
    measure->batches++;
    return status;
}

double weft_interference_cpu_share(const struct weft_interference *const interference)
{
    if (interference->wall_ns == 0)
        return 1;
    const double share = (double)interference->cpu_ns / (double)interference->wall_ns;
    return share > 1 ? 1 : share; /* the two clocks are not read at the same instant */
}

void weft_interference_add(struct weft_interference *const sum,
                           const struct weft_interference *const more)
{
    sum->wall_ns += more->wall_ns;
    sum->cpu_ns += more->cpu_ns;
    sum->involuntary_switches += more->involuntary_switches;
    sum->minor_faults += more->minor_faults;
}
