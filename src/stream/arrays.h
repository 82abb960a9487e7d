/* SPDX-License-Identifier: MIT */
/* The three arrays that the kernels run over. */
#ifndef WEFT_STREAM_ARRAYS_H
#define WEFT_STREAM_ARRAYS_H

#include <stddef.h>

#include "memory/arena.h"
#include "stream/kernels.h"
#include "stream/shape.h"
#include "weft/status.h"

struct weft_stream_arrays {
    struct weft_arena arena;
    size_t elements; /* of one array */
    double *result;
    double *left;
    double *right;
};

/* Maps three arrays of `elements` > 0, each beginning on a cache line. No page exists until a
 * thread fills its part. Errors: WEFT_E_INVALID, and those of weft_arena_create(). */
enum weft_status weft_stream_arrays_create(struct weft_stream_arrays *arrays, size_t elements,
                                           enum weft_pages pages);

/* Zeroed arrays are allowed. */
void weft_stream_arrays_destroy(struct weft_stream_arrays *arrays);

/* Gives every element of the part its small integer, the result array included: the first touch,
 * to be made by the thread that streams the part. */
void weft_stream_arrays_fill(const struct weft_stream_arrays *arrays, struct weft_stream_part part);

/* Sets the part's results to -1, which no kernel stores. */
void weft_stream_arrays_reset(const struct weft_stream_arrays *arrays,
                              struct weft_stream_part part);

/* Runs the kernel once over the part. */
static inline void weft_stream_arrays_run(const struct weft_stream_arrays *const arrays,
                                          const struct weft_stream_part part,
                                          const struct weft_stream_kernel *const kernel,
                                          const enum weft_stream_store store)
{
    kernel->run[store](arrays->result + part.first, arrays->left + part.first,
                       arrays->right + part.first, part.count);
}

/* The sum of the part's results, in integers. */
int64_t weft_stream_arrays_sum(const struct weft_stream_arrays *arrays,
                               struct weft_stream_part part);

/* What weft_stream_arrays_sum() is after `kernel`, in closed form. */
int64_t weft_stream_expected_sum(const struct weft_stream_kernel *kernel,
                                 struct weft_stream_part part);

#endif
