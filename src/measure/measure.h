/* SPDX-License-Identifier: MIT */
/* The measuring protocol, the same for every family.
 *
 * A batch is prepared off the clock, run between two stamps, and verified off the clock. Between
 * the stamps of a worker there is the family's run() and nothing else. The span of a batch is the
 * latest end minus the earliest start over the team's workers. */
#ifndef WEFT_MEASURE_MEASURE_H
#define WEFT_MEASURE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/team.h"
#include "weft/status.h"

/* A family's side of the protocol; `self` is its own. */
struct weft_measured {
    enum weft_status (*prepare)(void *self, uint64_t batch);
    /* Called on every worker at once. */
    enum weft_status (*run)(void *self, unsigned worker);
    enum weft_status (*verify)(void *self, uint64_t batch);
    /* Both NULL, or called on every worker by weft_measure_init() and weft_measure_destroy(): for
     * what belongs to a thread. */
    enum weft_status (*enter)(void *self, unsigned worker);
    void (*leave)(void *self, unsigned worker);
};

/* What came between the timed parts and their processors, summed over workers and batches. */
struct weft_interference {
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t involuntary_switches;
    uint64_t minor_faults;
};

/* One batch as it was measured. */
struct weft_span {
    uint64_t batch; /* its number: batch 0 is the check, then come the warm-up batches */
    uint64_t span_ns;
    uint64_t fastest_ns; /* the shortest and the longest time of a worker */
    uint64_t slowest_ns;
    struct weft_interference interference;
};

struct weft_measure_worker;

struct weft_measure {
    const struct weft_measured *measured;
    void *self;
    struct weft_team *team;
    struct weft_measure_worker *workers;
    uint64_t batches; /* done so far, the untimed ones included */
};

/* `self` is ready, and `team` outlives the measure. Errors: WEFT_E_NOMEM, those of enter(). */
enum weft_status weft_measure_init(struct weft_measure *measure,
                                   const struct weft_measured *measured, void *self,
                                   struct weft_team *team);

/* Frees; a zeroed or destroyed measure is allowed. */
void weft_measure_destroy(struct weft_measure *measure);

/* Runs and verifies the next batch. `span` may be NULL: then it is a check or a warm-up.
 * Errors: those of the family's functions; a batch that failed counts too. */
enum weft_status weft_measure_batch(struct weft_measure *measure, struct weft_span *span);

/* The share of a processor that the workers had in timed parts, 0 to 1; 1 when nothing ran. */
double weft_interference_cpu_share(const struct weft_interference *interference);

/* Adds `more` to `sum`. */
void weft_interference_add(struct weft_interference *sum, const struct weft_interference *more);

#endif
