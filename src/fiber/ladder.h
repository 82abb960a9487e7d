/* SPDX-License-Identifier: MIT */
/* What a switch costs, as a ladder of rungs under the measuring protocol: from a function call over
 * a stackless step and a fiber to a kernel thread. And what it costs to make and end fibers. */
#ifndef WEFT_FIBER_LADDER_H
#define WEFT_FIBER_LADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/hand_over.h"
#include "measure/measure.h"
#include "weft/coro.h"
#include "weft/fiber.h"

struct weft_rung_cell;

struct weft_rung {
    const char *name;
    const char *kind; /* "inline", "outline"; "first", "warm"; NULL where there is but one */
    const char *fpu;  /* "shared", "private"; NULL where there is no fiber */
    const char *unit; /* what is counted: "switch", "call", ... */
    const char *help;
    unsigned units;    /* of them in one operation: two switches in one resume */
    bool takes_fibers; /* works on any number of fibers; else on one, if any */
    bool disturbs;     /* page faults and giving the processor away are what it measures */
    size_t operations; /* of one batch; with takes_fibers at least one for each fiber */
    enum weft_status (*prepare)(struct weft_rung_cell *cell); /* off the clock; may be NULL */
    void (*run)(struct weft_rung_cell *cell);
};

/* THE table; weft_rung_count rows. */
extern const struct weft_rung weft_rungs[];
extern const size_t weft_rung_count;

struct weft_rung_cell {
    const struct weft_rung *rung;
    size_t fibers;     /* >= 1 */
    size_t operations; /* of a batch: weft_rung_operations() */
    uint64_t done;     /* operations whose effect was seen in the batch */
    struct weft_fiber_pool *pool;
    struct weft_fiber **fiber; /* `fibers` of them; NULL where none is alive */
    struct weft_coro coro;
    struct weft_hand_over *pair;
};

/* For weft_measure_init(), with a struct weft_rung_cell as `self`, in a team of one. A batch in
 * which an operation had no effect fails with WEFT_E_MISMATCH. */
extern const struct weft_measured weft_rung_measured;

/* Operations of one batch over `fibers` fibers. */
size_t weft_rung_operations(const struct weft_rung *rung, size_t fibers);

/* Bytes of memory that a rung touches for `fibers` fibers. */
uint64_t weft_rung_cost_bytes(const struct weft_rung *rung, size_t fibers);

/* Errors: WEFT_E_NOMEM. The pool and the threads come with the first batch. */
enum weft_status weft_rung_cell_init(struct weft_rung_cell *cell, const struct weft_rung *rung,
                                     size_t fibers);

/* On the thread that measured; a zeroed or destroyed cell is allowed. */
void weft_rung_cell_destroy(struct weft_rung_cell *cell);

#endif
