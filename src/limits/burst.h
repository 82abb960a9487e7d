/* SPDX-License-Identifier: MIT */
/* Bursts of prefetches: how many lines a core holds in flight, and what it does with one more.
 *
 * A burst issues prefetches of `lines` cold lines, then loads them. While the core has room, both
 * together take one latency, however many lines there are. Once it is full, either the prefetches
 * wait for room (it stalls: issuing takes longer) or they are dropped (the loads take longer,
 * since they begin anew). Bursts of one line and empty ones between them give the latency and the
 * cost of the stamps in the same moment (compare Mahling, Weisgut, Rabl: Fetch me if you can,
 * DaMoN 2025). */
#ifndef WEFT_LIMITS_BURST_H
#define WEFT_LIMITS_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lookup/chain.h"
#include "measure/measure.h"

enum { WEFT_BURST_LINES_MAX = 256 };

/* When a burst began, when its prefetches were issued, when its lines were loaded. */
struct weft_burst_stamps {
    uint64_t begin_ns;
    uint64_t issued_ns;
    uint64_t loaded_ns;
};

/* Three bursts in a row: of no line, of one, of `lines`. */
struct weft_burst_round {
    struct weft_burst_stamps none;
    struct weft_burst_stamps one;
    struct weft_burst_stamps many;
};

struct weft_burst {
    const struct weft_chain *chain; /* of one line for each node */
    size_t lines;                   /* of a burst, 1 to the maximum */
    size_t rounds;                  /* of a batch */
    struct weft_burst_round *stamps;
    const struct weft_chain_node **nodes; /* lines + 1 for each round */
    uint64_t sum;
    uint64_t expected;
};

/* Errors: WEFT_E_INVALID, WEFT_E_NOMEM. */
enum weft_status weft_burst_create(struct weft_burst *burst, const struct weft_chain *chain,
                                   size_t lines, size_t rounds);

/* A zeroed or destroyed one is allowed. */
void weft_burst_destroy(struct weft_burst *burst);

/* For weft_measure_init(), with a struct weft_burst as `self` and a team of one. Every batch takes
 * other lines, until all were taken. Fails with WEFT_E_MISMATCH when the sum is wrong. */
extern const struct weft_measured weft_burst_measured;

/* What a core does with a prefetch when it is full. */
enum weft_burst_full {
    WEFT_BURST_ROOM,   /* it is not full: the burst took little more than one latency */
    WEFT_BURST_STALLS, /* more of the further time went into issuing */
    WEFT_BURST_DROPS,  /* more of it went into the loads */
};

struct weft_burst_result {
    double issue_ns;        /* median, the stamps' own cost taken off */
    double loads_ns;        /* of the loads that follow */
    double latency_ns;      /* of a burst of one line, both together */
    double lines_in_flight; /* by Little's law: lines * latency / time of the burst */
    enum weft_burst_full full;
};

/* From the medians, above 0. */
struct weft_burst_result weft_burst_judge(double issue_ns, double loads_ns, double latency_ns,
                                          size_t lines);

/* From the stamps of `rounds` >= 1 rounds with bursts of `lines` lines; `scratch` has room for
 * `rounds` values. */
struct weft_burst_result weft_burst_analyse(const struct weft_burst_round *stamps, size_t rounds,
                                            size_t lines, double *scratch);

/* "room", "stalls", "drops". */
const char *weft_burst_full_name(enum weft_burst_full full);

#endif
