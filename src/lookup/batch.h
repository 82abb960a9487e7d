/* SPDX-License-Identifier: MIT */
/* The memory of a batch of lookups, apart from the data: shared by all cells, since every batch
 * is planned anew. */
#ifndef WEFT_LOOKUP_BATCH_H
#define WEFT_LOOKUP_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "memory/arena.h"
#include "weft/status.h"

struct weft_batch {
    size_t lookups;
    uint64_t *starts;
    uint64_t *expected;
    uint64_t *results;
    char *frames;
    size_t frames_bytes;
    struct weft_arena arena;
};

/* Maps and touches memory for `lookups` >= 1 lookups and `frames_bytes` of frames; huge pages
 * where there are any, since it is not what is measured.
 * Errors: those of weft_arena_create(). */
enum weft_status weft_batch_create(struct weft_batch *batch, size_t lookups, size_t frames_bytes);

/* A zeroed or destroyed batch is allowed. */
void weft_batch_destroy(struct weft_batch *batch);

#endif
