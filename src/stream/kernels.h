/* SPDX-License-Identifier: MIT */
/* The four kernels of STREAM (McCalpin: Memory bandwidth and machine balance in current high
 * performance computers, 1995) as a table: every figure follows from a row. */
#ifndef WEFT_STREAM_KERNELS_H
#define WEFT_STREAM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum weft_stream_store {
    WEFT_STREAM_PLAIN, /* ordinary stores: a line is read before it is overwritten */
    WEFT_STREAM_NT,    /* non-temporal stores, past the caches */
    WEFT_STREAM_STORE_COUNT,
};

enum {
    WEFT_STREAM_KERNEL_COUNT = 4,
    WEFT_STREAM_SCALE = 3, /* the kernels' scalar */
    WEFT_STREAM_LINE_BYTES = 64,
    WEFT_STREAM_LINE_ELEMENTS = WEFT_STREAM_LINE_BYTES / sizeof(double),
};

/* result[i] = f(left[i], right[i]) for i < count. The arrays do not overlap and begin on a cache
 * line; copy and scale do not read `right`. Non-temporal stores have completed on return. (In the
 * spelling that C++ takes too.) */
typedef void weft_stream_function(double *__restrict result, const double *__restrict left,
                                  const double *__restrict right, size_t count);

struct weft_stream_kernel {
    const char *name;    /* as in the names of cases */
    const char *formula; /* in STREAM's letters */
    unsigned words_read; /* per element */
    unsigned words_written;
    unsigned flops;
    int64_t left_weight; /* result = left_weight * left + right_weight * right */
    int64_t right_weight;
    weft_stream_function *run[WEFT_STREAM_STORE_COUNT];
};

/* copy, scale, add, triad. */
extern const struct weft_stream_kernel weft_stream_kernels[WEFT_STREAM_KERNEL_COUNT];

/* The row called `name`, NULL if there is none. */
const struct weft_stream_kernel *weft_stream_kernel_find(const char *name);

/* "plain", "nt"; the names that flags and cases use. */
const char *weft_stream_store_name(enum weft_stream_store store);

/* What `store` really is in this build: "plain", "sse2", "avx", "avx512" or "stnp". A build without
 * non-temporal stores answers "plain" for WEFT_STREAM_NT too. */
const char *weft_stream_store_kind(enum weft_stream_store store);

/* Bytes per element as STREAM counts them: what the program reads and writes. */
unsigned weft_stream_counted_bytes(const struct weft_stream_kernel *kernel);

/* Bytes per element that cross the memory bus when nothing stays in a cache: plain stores also
 * read the line that they overwrite (write-allocate). */
unsigned weft_stream_moved_bytes(const struct weft_stream_kernel *kernel,
                                 enum weft_stream_store store);

/* The kernels themselves, by the names that their machine code is checked under. */
weft_stream_function weft_stream_copy_plain;
weft_stream_function weft_stream_scale_plain;
weft_stream_function weft_stream_add_plain;
weft_stream_function weft_stream_triad_plain;
weft_stream_function weft_stream_copy_nt;
weft_stream_function weft_stream_scale_nt;
weft_stream_function weft_stream_add_nt;
weft_stream_function weft_stream_triad_nt;

/* weft_stream_store_kind(WEFT_STREAM_NT), from the file that knows. */
extern const char weft_stream_nt_kind[];

#endif
