/* SPDX-License-Identifier: MIT */
#include "stream/level.h"

#include <math.h>

#include "stream/kernels.h"

uint64_t weft_level_reference_bytes(const uint64_t inner_bytes, const uint64_t bytes)
{
    const uint64_t size =
        inner_bytes ? (uint64_t)sqrt((double)inner_bytes * (double)bytes) : bytes / 2;
    const uint64_t whole = size - size % WEFT_STREAM_LINE_BYTES;

    return whole ? whole : WEFT_STREAM_LINE_BYTES;
}

const struct weft_level_reference *
weft_level_nearest(const struct weft_level_reference *const references, const size_t count,
                   const double latency_ns)
{
    const struct weft_level_reference *nearest = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < count; ++i) {
        const double distance = fabs(log(latency_ns / references[i].latency_ns));

        if (distance < least) {
            least = distance;
            nearest = &references[i];
        }
    }
    return nearest;
}
