/* SPDX-License-Identifier: MIT */
#include "stream/shape.h"

#include "stream/kernels.h"

enum { ARRAYS = 3 };

/* The first element of part `index`; the end of the last part when `index` is `parts`. */
static size_t part_begin(const size_t elements, const unsigned parts, const unsigned index)
{
    const size_t lines =
        elements / WEFT_STREAM_LINE_ELEMENTS + (elements % WEFT_STREAM_LINE_ELEMENTS != 0);
    const size_t larger = lines % parts; /* the first ones have one line more */
    const size_t line = lines / parts * index + (index < larger ? index : larger);

    return line == lines ? elements : line * WEFT_STREAM_LINE_ELEMENTS;
}

struct weft_stream_part weft_stream_partition(const size_t elements, const unsigned parts,
                                              const unsigned index)
{
    const size_t first = part_begin(elements, parts, index);

    return (struct weft_stream_part){first, part_begin(elements, parts, index + 1) - first};
}

struct weft_stream_large weft_stream_large_default(const uint64_t last_level_bytes,
                                                   const uint64_t available_bytes)
{
    struct weft_stream_large large = {.array_bytes = (uint64_t)512 << 20};

    while (large.array_bytes / 2 < last_level_bytes)
        large.array_bytes *= 2;
    while (large.array_bytes > WEFT_STREAM_LINE_BYTES &&
           large.array_bytes > available_bytes / 2 / ARRAYS) {
        large.array_bytes /= 2;
        large.clamped = true;
    }
    return large;
}

uint64_t weft_stream_slice_default(const uint64_t l2_bytes)
{
    const uint64_t most = (l2_bytes ? l2_bytes : (uint64_t)256 << 10) / 8;
    uint64_t slice = WEFT_STREAM_LINE_BYTES;

    while (slice * 2 <= most)
        slice *= 2;
    return slice;
}

size_t weft_stream_slice_passes(const uint64_t slice_bytes, const unsigned threads,
                                const uint64_t array_bytes)
{
    const uint64_t pass = slice_bytes * threads;
    const uint64_t passes = pass ? array_bytes / pass + (array_bytes % pass != 0) : 1;

    return passes > 1 ? (size_t)passes : 1;
}

uint64_t weft_stream_sweep_next(const uint64_t bytes, const double factor)
{
    const uint64_t next_kib = (uint64_t)((double)bytes * factor / 1024 + 0.5);
    const uint64_t least_kib = bytes / 1024 + 1;

    return (next_kib > least_kib ? next_kib : least_kib) * 1024;
}

size_t weft_stream_thread_counts(const unsigned allowed, unsigned *const counts,
                                 const size_t capacity)
{
    size_t found = 0;

    for (unsigned count = 1; allowed > 0; count = count > allowed / 2 ? allowed : count * 2) {
        if (found < capacity)
            counts[found] = count;
        found++;
        if (count == allowed)
            break;
    }
    return found;
}
