/* SPDX-License-Identifier: MIT */
#include "lookup/cell.h"

/* Sums up to here are exact in a double, which counters are. */
#define CHECKSUM_MASK ((UINT64_C(1) << 53) - 1)

/* Each worker's frames begin on a line pair of their own. */
static size_t worker_frames_bytes(const struct weft_variant *const variant, const size_t group)
{
    return (weft_variant_frames_bytes(variant, group) + 127) / 128 * 128;
}

size_t weft_cell_frames_bytes(const struct weft_variant *const variant, const size_t group,
                              const unsigned threads)
{
    return worker_frames_bytes(variant, group) * threads;
}

static enum weft_status prepare(void *const self, const uint64_t number)
{
    struct weft_cell *const cell = self;
    struct weft_batch *const batch = cell->batch;

    cell->variant->workload->plan(cell->data, cell->depth, cell->variant->serial, cell->branch,
                                  number * batch->lookups, batch->lookups, batch->starts,
                                  batch->expected);
    for (size_t i = 0; i < batch->lookups; ++i)
        batch->results[i] = ~batch->expected[i]; /* a lookup that is left out shows */
    return WEFT_OK;
}

/* A worker's share of the batch. */
static struct weft_run part_of(const struct weft_cell *const cell, const unsigned worker)
{
    const struct weft_batch *const batch = cell->batch;
    const size_t first = batch->lookups / cell->threads * worker +
                         batch->lookups % cell->threads * worker / cell->threads;
    const size_t next = batch->lookups / cell->threads * (worker + 1) +
                        batch->lookups % cell->threads * (worker + 1) / cell->threads;
    return (struct weft_run){
        .data = cell->data,
        .starts = batch->starts + first,
        .results = batch->results + first,
        .count = next - first,
        .depth = cell->depth,
        .group = cell->group,
        .hint = cell->hint,
        .branch = cell->branch,
        .frames = batch->frames + worker_frames_bytes(cell->variant, cell->group) * worker,
    };
}

static enum weft_status enter(void *const self, const unsigned worker)
{
    const struct weft_cell *const cell = self;
    const struct weft_run part = part_of(cell, worker);

    if (weft_cell_frames_bytes(cell->variant, cell->group, cell->threads) >
        cell->batch->frames_bytes)
        return WEFT_E_INVALID;
    return cell->variant->open ? cell->variant->open(&part) : WEFT_OK;
}

static void leave(void *const self, const unsigned worker)
{
    const struct weft_cell *const cell = self;
    const struct weft_run part = part_of(cell, worker);

    if (cell->variant->close)
        cell->variant->close(&part);
}

static enum weft_status run(void *const self, const unsigned worker)
{
    const struct weft_cell *const cell = self;
    const struct weft_run part = part_of(cell, worker);

    return cell->variant->run(&part);
}

static enum weft_status verify(void *const self, const uint64_t number)
{
    struct weft_cell *const cell = self;
    const struct weft_batch *const batch = cell->batch;
    uint64_t sum = 0;

    (void)number;
    for (size_t i = 0; i < batch->lookups; ++i) {
        if (batch->results[i] != batch->expected[i]) {
            cell->wrong_index = i;
            cell->wrong_result = batch->results[i];
            cell->wrong_expected = batch->expected[i];
            return WEFT_E_MISMATCH;
        }
        sum += batch->results[i];
    }
    cell->checksum = sum & CHECKSUM_MASK;
    return WEFT_OK;
}

const struct weft_measured weft_cell_measured = {
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .enter = enter,
    .leave = leave,
};
