/* SPDX-License-Identifier: MIT */
/* The core's frequency, from instructions whose latency is known.
 *
 * Each of a chain of 64-bit multiplies waits for the one before; their latency in cycles is that
 * of the manufacturers' optimisation guides: 3 on the x86-64 cores of the last fifteen years, 3 or
 * 4 on AArch64. A chain of adds beside it takes a cycle each, except on the newest cores, which
 * fold immediate adds into one: their ratio then is impossible. */
#ifndef WEFT_LIMITS_CORE_CLOCK_H
#define WEFT_LIMITS_CORE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/measure.h"

/* Cycles from a 64-bit multiply to the next that needs its result. */
enum { WEFT_MULTIPLY_LATENCY = 3 };

enum { WEFT_CORE_CLOCK_STEPS = 1 << 20 }; /* of a chain and batch */

struct weft_core_clock {
    /* Of the last batch. */
    uint64_t multiplies_ns;
    uint64_t adds_ns;
    uint64_t product;
    uint64_t sum;
};

/* For weft_measure_init(), with a struct weft_core_clock as `self` and a team of one. Fails with
 * WEFT_E_MISMATCH when a result is wrong. */
extern const struct weft_measured weft_core_clock_measured;

struct weft_core_clock_estimate {
    double ghz;         /* by the multiplies */
    double ghz_by_adds; /* if an add took one cycle */
    double ratio;       /* of a multiply's time to an add's */
    bool possible;      /* the ratio is that of the latencies: both tell the same frequency */
};

/* From the times of `steps` multiplies and of as many adds, both above 0. */
struct weft_core_clock_estimate weft_core_clock_from(double multiplies_ns, double adds_ns,
                                                     double steps);

#endif
