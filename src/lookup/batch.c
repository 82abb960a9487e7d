/* SPDX-License-Identifier: MIT */
#include "lookup/batch.h"

#include <string.h>

enum weft_status weft_batch_create(struct weft_batch *const batch, const size_t lookups,
                                   const size_t frames_bytes)
{
    const size_t array_bytes = (lookups * sizeof(uint64_t) + 63) / 64 * 64;
    struct weft_batch made = {.lookups = lookups, .frames_bytes = frames_bytes};
    enum weft_status status;

    if (lookups == 0 || lookups > SIZE_MAX / 64 || frames_bytes > SIZE_MAX / 4)
        return WEFT_E_INVALID;
    const size_t bytes = 3 * array_bytes + frames_bytes;
    status = weft_arena_create(&made.arena, bytes, WEFT_PAGES_THP);
    if (status == WEFT_E_PAGES || status == WEFT_E_UNSUPPORTED)
        status = weft_arena_create(&made.arena, bytes, WEFT_PAGES_4K);
    if (status != WEFT_OK)
        return status;
    memset(made.arena.base, 0, bytes);
    made.starts = made.arena.base;
    made.expected = made.starts + array_bytes / sizeof(uint64_t);
    made.results = made.expected + array_bytes / sizeof(uint64_t);
    made.frames = (char *)made.results + array_bytes;
    *batch = made;
    return WEFT_OK;
}

void weft_batch_destroy(struct weft_batch *const batch)
{
    weft_arena_destroy(&batch->arena);
    *batch = (struct weft_batch){0};
}
