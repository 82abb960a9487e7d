/* SPDX-License-Identifier: MIT */
/* One variant under the measuring protocol: batches of lookups, each result verified. */
#ifndef WEFT_LOOKUP_CELL_H
#define WEFT_LOOKUP_CELL_H

#include "lookup/batch.h"
#include "lookup/variant.h"
#include "measure/measure.h"

struct weft_cell {
    const struct weft_variant *variant;
    const void *data;
    struct weft_batch *batch;
    unsigned threads; /* the team's size: a batch is cut into as many parts */
    size_t depth;
    size_t group;
    enum weft_hint hint;
    bool branch;
    uint64_t checksum;  /* of the last batch: the sum of its results, modulo 2^53 */
    size_t wrong_index; /* after WEFT_E_MISMATCH: the first wrong lookup of the batch */
    uint64_t wrong_result;
    uint64_t wrong_expected;
};

/* For weft_measure_init(), with a struct weft_cell as `self`. Batch number b is lookups
 * b * lookups to (b + 1) * lookups - 1 of the workload. Fails with WEFT_E_MISMATCH when any single
 * result differs, WEFT_E_INVALID when the batch's memory is too small. */
extern const struct weft_measured weft_cell_measured;

/* Bytes of frames that a cell needs in its batch. */
size_t weft_cell_frames_bytes(const struct weft_variant *variant, size_t group, unsigned threads);

#endif
