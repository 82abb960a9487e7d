/* SPDX-License-Identifier: MIT */
/* Background load: threads that stream at a set rate while the calling thread measures something
 * else. Its arrays are large, so what it moves it takes from the memory bus. */
#ifndef WEFT_STREAM_LOAD_H
#define WEFT_STREAM_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "memory/arena.h"
#include "stream/kernels.h"
#include "weft/status.h"

struct weft_load;

struct weft_load_request {
    unsigned streams; /* threads, besides the calling one; at least 1 */
    const int *cpus;  /* NULL, or streams + 1 processors; the first is the calling thread's */
    const struct weft_stream_kernel *kernel;
    enum weft_stream_store store;
    size_t array_bytes; /* per stream and array, whole elements; more than the caches hold */
    enum weft_pages pages;
    double rate_gbs; /* of all streams together, bytes counted as STREAM does. INFINITY: as fast as
                        they can; 0: they only spin. What cannot be reached is not caught up. */
};

/* Bytes that all streams have moved since the load began, as STREAM counts them, and when. */
struct weft_load_sample {
    uint64_t bytes;
    uint64_t at_ns;
};

/* Starts the load and returns when every stream has touched its arrays and is about to stream.
 * Errors: WEFT_E_INVALID, those of weft_team_create() and weft_stream_arrays_create(). */
enum weft_status weft_load_start(struct weft_load **load, const struct weft_load_request *request);

struct weft_load_sample weft_load_read(const struct weft_load *load);

/* What the streams moved from one sample to a later one, GB/s. */
double weft_load_gbs(struct weft_load_sample from, struct weft_load_sample to);

/* Ends the streams and gives everything back, the calling thread's mask included. NULL is allowed.
 * Call it on the thread that started the load. */
void weft_load_stop(struct weft_load *load);

#endif
