/* SPDX-License-Identifier: MIT */
/* Left to the compiler to vectorise. The build compiles this file with -O3 whatever its own level,
 * and without the recognition of library idioms: a copy loop turned into memcpy() would use
 * non-temporal stores above a size that the C library chooses. */
#include "stream/kernels.h"

void weft_stream_copy_plain(double *restrict const result, const double *restrict const left,
                            const double *restrict const right, const size_t count)
{
    (void)right;
    for (size_t i = 0; i < count; ++i)
        result[i] = left[i];
}

void weft_stream_scale_plain(double *restrict const result, const double *restrict const left,
                             const double *restrict const right, const size_t count)
{
    (void)right;
    for (size_t i = 0; i < count; ++i)
        result[i] = WEFT_STREAM_SCALE * left[i];
}

void weft_stream_add_plain(double *restrict const result, const double *restrict const left,
                           const double *restrict const right, const size_t count)
{
    for (size_t i = 0; i < count; ++i)
        result[i] = left[i] + right[i];
}

void weft_stream_triad_plain(double *restrict const result, const double *restrict const left,
                             const double *restrict const right, const size_t count)
{
    for (size_t i = 0; i < count; ++i)
        result[i] = left[i] + WEFT_STREAM_SCALE * right[i];
}
