/* SPDX-License-Identifier: MIT */
/* The driver: one working set, shared by a team, over which kernels run in timed rounds. */
#ifndef WEFT_STREAM_STREAM_H
#define WEFT_STREAM_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/team.h"
#include "memory/arena.h"
#include "stream/kernels.h"
#include "stream/rounds.h"
#include "weft/status.h"

/* The protocol's figures; tests take less. */
#define WEFT_STREAM_WARMUP_NS ((uint64_t)100000000)
enum { WEFT_STREAM_WARMUP_ROUNDS = 3, WEFT_STREAM_ROUNDS = 21 };

struct weft_stream;

/* What is measured over the working set. */
struct weft_stream_cell {
    const struct weft_stream_kernel *kernel;
    enum weft_stream_store store;
    size_t passes;      /* of each thread over its part per round, at least 1 */
    uint64_t warmup_ns; /* WEFT_STREAM_WARMUP_NS */
};

struct weft_stream_result {
    struct weft_stream_figures figures; /* bytes counted as STREAM does */
    double moved_per_counted;           /* turns figures into bytes with write-allocate */
    uint64_t minor_faults;              /* all threads, in timed rounds */
    uint64_t involuntary_switches;
};

/* Three arrays of `elements` each, cut into one part per worker of `team`, which touches its own
 * first. A cache-resident working set is one whose parts are the slices. The team must outlive
 * it. Errors: those of weft_stream_arrays_create(), WEFT_E_NOMEM. */
enum weft_status weft_stream_create(struct weft_stream **stream, struct weft_team *team,
                                    size_t elements, enum weft_pages pages);

/* NULL is allowed. */
void weft_stream_destroy(struct weft_stream *stream);

/* Where the arrays lie, to ask which pages they obtained. */
const struct weft_arena *weft_stream_arena(const struct weft_stream *stream);

/* Begins a cell: forgets the rounds of the one before, resets the result array and warms up, for at
 * least `warmup_ns` and WEFT_STREAM_WARMUP_ROUNDS rounds. Errors: WEFT_E_INVALID. */
enum weft_status weft_stream_begin(struct weft_stream *stream, const struct weft_stream_cell *cell);

/* Runs `rounds` timed rounds (WEFT_STREAM_ROUNDS or more in a measurement) and adds their spans to
 * *span_ns. A round is barrier, kernel, barrier; each thread reads the clock inside both. Call it
 * as often as wanted between begin and end. Errors: WEFT_E_INVALID, WEFT_E_STATE (no cell has
 * begun), WEFT_E_NOMEM. */
enum weft_status weft_stream_iterate(struct weft_stream *stream, size_t rounds, uint64_t *span_ns);

/* Ends the cell: checks the sum of every part and fills `result` from all rounds since begin.
 * Errors: WEFT_E_MISMATCH (a sum is wrong; `result` is filled all the same), WEFT_E_STATE (no cell
 * has begun, or it has no rounds), WEFT_E_NOMEM. */
enum weft_status weft_stream_end(struct weft_stream *stream, struct weft_stream_result *result);

#endif
