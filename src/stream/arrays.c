/* SPDX-License-Identifier: MIT */
#include "stream/arrays.h"

/* Coprime to each other and to a cache line's elements: a part that is shifted, left out or done
 * twice changes the sum. */
enum { LEFT_PERIOD = 13, RIGHT_PERIOD = 11 };

static size_t line_rounded_bytes(const size_t elements)
{
    return (elements * sizeof(double) + WEFT_STREAM_LINE_BYTES - 1) / WEFT_STREAM_LINE_BYTES *
           WEFT_STREAM_LINE_BYTES;
}

enum weft_status weft_stream_arrays_create(struct weft_stream_arrays *const arrays,
                                           const size_t elements, const enum weft_pages pages)
{
    if (elements == 0 || elements > SIZE_MAX / sizeof(double) / 4)
        return WEFT_E_INVALID;
    const size_t stride = line_rounded_bytes(elements);
    *arrays = (struct weft_stream_arrays){.elements = elements};
    const enum weft_status status = weft_arena_create(&arrays->arena, 3 * stride, pages);
    if (status != WEFT_OK)
        return status;
    char *const base = arrays->arena.base;
    arrays->result = (double *)(void *)base;
    arrays->left = (double *)(void *)(base + stride);
    arrays->right = (double *)(void *)(base + 2 * stride);
    return WEFT_OK;
}

void weft_stream_arrays_destroy(struct weft_stream_arrays *const arrays)
{
    weft_arena_destroy(&arrays->arena);
    *arrays = (struct weft_stream_arrays){0};
}

void weft_stream_arrays_fill(const struct weft_stream_arrays *const arrays,
                             const struct weft_stream_part part)
{
    for (size_t i = part.first; i < part.first + part.count; ++i) {
        arrays->left[i] = (double)(i % LEFT_PERIOD + 1);
        arrays->right[i] = (double)(i % RIGHT_PERIOD + 1);
    }
    weft_stream_arrays_reset(arrays, part);
}

void weft_stream_arrays_reset(const struct weft_stream_arrays *const arrays,
                              const struct weft_stream_part part)
{
    for (size_t i = part.first; i < part.first + part.count; ++i)
        arrays->result[i] = -1;
}

int64_t weft_stream_arrays_sum(const struct weft_stream_arrays *const arrays,
                               const struct weft_stream_part part)
{
    int64_t sum = 0;

    for (size_t i = part.first; i < part.first + part.count; ++i)
        sum += (int64_t)arrays->result[i];
    return sum;
}

/* Sum of i % period + 1 over i < count. */
static int64_t periodic_sum(const size_t count, const size_t period)
{
    const size_t whole = count / period;
    const size_t rest = count % period;

    return (int64_t)(whole * (period * (period + 1) / 2) + rest * (rest + 1) / 2);
}

int64_t weft_stream_expected_sum(const struct weft_stream_kernel *const kernel,
                                 const struct weft_stream_part part)
{
    const size_t end = part.first + part.count;
    const int64_t left = periodic_sum(end, LEFT_PERIOD) - periodic_sum(part.first, LEFT_PERIOD);
    const int64_t right = periodic_sum(end, RIGHT_PERIOD) - periodic_sum(part.first, RIGHT_PERIOD);

    return kernel->left_weight * left + kernel->right_weight * right;
}
