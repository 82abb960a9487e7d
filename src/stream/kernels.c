/* SPDX-License-Identifier: MIT */
#include "stream/kernels.h"

#include <string.h>

const struct weft_stream_kernel weft_stream_kernels[WEFT_STREAM_KERNEL_COUNT] = {
    {
        .name = "copy",
        .formula = "c = a",
        .words_read = 1,
        .words_written = 1,
        .flops = 0,
        .left_weight = 1,
        .right_weight = 0,
        .run = {weft_stream_copy_plain, weft_stream_copy_nt},
    },
    {
        .name = "scale",
        .formula = "b = s * c",
        .words_read = 1,
        .words_written = 1,
        .flops = 1,
        .left_weight = WEFT_STREAM_SCALE,
        .right_weight = 0,
        .run = {weft_stream_scale_plain, weft_stream_scale_nt},
    },
    {
        .name = "add",
        .formula = "c = a + b",
        .words_read = 2,
        .words_written = 1,
        .flops = 1,
        .left_weight = 1,
        .right_weight = 1,
        .run = {weft_stream_add_plain, weft_stream_add_nt},
    },
    {
        .name = "triad",
        .formula = "a = b + s * c",
        .words_read = 2,
        .words_written = 1,
        .flops = 2,
        .left_weight = 1,
        .right_weight = WEFT_STREAM_SCALE,
        .run = {weft_stream_triad_plain, weft_stream_triad_nt},
    },
};

const struct weft_stream_kernel *weft_stream_kernel_find(const char *const name)
{
    for (size_t i = 0; i < WEFT_STREAM_KERNEL_COUNT; ++i)
        if (strcmp(weft_stream_kernels[i].name, name) == 0)
            return &weft_stream_kernels[i];
    return NULL;
}

const char *weft_stream_store_name(const enum weft_stream_store store)
{
    static const char *const names[WEFT_STREAM_STORE_COUNT] = {"plain", "nt"};

    return names[store];
}

const char *weft_stream_store_kind(const enum weft_stream_store store)
{
    return store == WEFT_STREAM_NT ? weft_stream_nt_kind : "plain";
}

unsigned weft_stream_counted_bytes(const struct weft_stream_kernel *const kernel)
{
    return (kernel->words_read + kernel->words_written) * (unsigned)sizeof(double);
}

unsigned weft_stream_moved_bytes(const struct weft_stream_kernel *const kernel,
                                 const enum weft_stream_store store)
{
    const int allocates = strcmp(weft_stream_store_kind(store), "plain") == 0;

    return weft_stream_counted_bytes(kernel) +
           (allocates ? kernel->words_written * (unsigned)sizeof(double) : 0);
}
