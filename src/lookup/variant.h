/* SPDX-License-Identifier: MIT */
/* What can be measured: workloads (what is looked up) and their variants (by which technique). */
#ifndef WEFT_LOOKUP_VARIANT_H
#define WEFT_LOOKUP_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lookup/progress.h"
#include "weft/prefetch.h"
#include "weft/status.h"

/* One run: `count` lookups, each result stored by its index. */
struct weft_run {
    const void *data;       /* the workload's: as its build() filled it in */
    const uint64_t *starts; /* where each lookup starts, as the workload's plan() wrote it */
    uint64_t *results;      /* one for each lookup */
    size_t count;
    size_t depth;        /* hops of a lookup, >= 1; a workload may say what it takes for them */
    size_t group;        /* lookups in flight, >= 1; looked at where the variant takes a group */
    enum weft_hint hint; /* likewise */
    bool branch;         /* a hop takes a data-dependent branch; likewise */
    void *frames;        /* weft_variant_frames_bytes(), aligned to 64 */
};

/* What a workload's data is built to. */
struct weft_data_shape {
    uint64_t size_bytes;
    size_t depth;         /* as in the run, where the workload's data depends on it */
    size_t payload_bytes; /* of a node: whole lines; looked at where a variant takes it */
    uint64_t seed;
};

struct weft_workload {
    const char *name;
    const char *depth_key; /* what a run's depth is called in names of cases */
    bool depth_in_data;    /* data is built for one depth */
    size_t data_bytes;     /* of what build() fills in */
    /* Builds the data in `memory` (shape->size_bytes, aligned to 64, first touched here) and what
     * describes it in `data`. `progress` may be NULL.
     * Errors: WEFT_E_INVALID (nothing fits), WEFT_E_INTERRUPTED (progress said so). */
    enum weft_status (*build)(void *data, void *memory, const struct weft_data_shape *shape,
                              weft_build_progress_fn *progress, void *argument);
    /* Writes where each of `count` lookups from number `first` on starts, and what it must give,
     * without looking at the data's memory. `serial`: each starts where the one before ended;
     * `branch`: as in the run. */
    void (*plan)(const void *data, size_t depth, bool serial, bool branch, uint64_t first,
                 size_t count, uint64_t *starts, uint64_t *expected);
};

struct weft_variant {
    const struct weft_workload *workload;
    const char *name;
    const char *help;
    bool serial; /* lookups depend on each other: of a run, only starts[0] is looked at */
    bool takes_group;
    bool takes_hint;
    bool takes_branch;
    bool takes_payload; /* the data's nodes may have more than one line */
    size_t frame_bytes; /* for each lookup in flight, the technique's own needs included */
    size_t stack_bytes; /* of memory that a lookup in flight touches beside its frame, on a stack */
    /* Both NULL, or: what a run needs beside its memory is made, and given back, off the clock, on
     * the thread that runs, for one group. The run's frames hold it in between. */
    enum weft_status (*open)(const struct weft_run *run);
    void (*close)(const struct weft_run *run);
    /* Never allocates, touches only the run's memory. */
    enum weft_status (*run)(const struct weft_run *run);
};

/* THE table, in the order in which cases are registered; weft_variant_count rows. */
extern const struct weft_variant weft_variants[];
extern const size_t weft_variant_count;

/* Bytes of frames for `group` lookups in flight. */
static inline size_t weft_variant_frames_bytes(const struct weft_variant *const variant,
                                               const size_t group)
{
    return variant->takes_group ? variant->frame_bytes * group + 64 : 64;
}

/* Before a call: clang would make the four of a switch one, with the hint a variable in it. */
#if defined(__clang__) && __has_attribute(nomerge)
#define WEFT_NO_MERGE_ __attribute__((nomerge))
#else
#define WEFT_NO_MERGE_
#endif

/* Switches over the run's hint once, outside the loop: `body` is inlined for each. */
WEFT_ALWAYS_INLINE enum weft_status
weft_run_hinted(const struct weft_run *const run,
                enum weft_status (*const body)(const struct weft_run *run, enum weft_hint hint))
{
    switch (run->hint) {
    case WEFT_HINT_T0:
        WEFT_NO_MERGE_ return body(run, WEFT_HINT_T0);
    case WEFT_HINT_T1:
        WEFT_NO_MERGE_ return body(run, WEFT_HINT_T1);
    case WEFT_HINT_T2:
        WEFT_NO_MERGE_ return body(run, WEFT_HINT_T2);
    case WEFT_HINT_NTA:
        WEFT_NO_MERGE_ return body(run, WEFT_HINT_NTA);
    case WEFT_HINT_NONE:
    case WEFT_HINT_COUNT:
        break;
    }
    return WEFT_E_INVALID;
}

#endif
