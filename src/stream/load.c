/* SPDX-License-Identifier: MIT */
#include "stream/load.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/team.h"
#include "stream/arrays.h"
#include "stream/rounds.h"

/* Short enough that a slow stream is a trickle and not a train of bursts. At full rate there is no
 * gap to spread, and longer runs save what is between them. */
enum {
    PACED_ELEMENTS = 4096 / sizeof(double),
    FULL_ELEMENTS = 65536 / sizeof(double),
};

/* A stream that is later than this has been held up, or cannot reach its rate: the debt is dropped,
 * since a burst to make up for it would exceed the rate. */
#define DEBT_LIMIT_NS 1e6

struct stream {
    _Alignas(64) atomic_uint_fast64_t bytes;
};

struct weft_load {
    struct weft_team *team;
    struct weft_load_request request;
    struct weft_stream_arrays arrays;
    struct stream *streams;
    atomic_bool stop;
};

static struct weft_stream_part chunk_of(const struct weft_stream_part part, const size_t done,
                                        const size_t elements)
{
    const size_t left = part.count - done;

    return (struct weft_stream_part){part.first + done, left < elements ? left : elements};
}

static void stream_until_stopped(struct weft_load *const load, const struct weft_stream_part part,
                                 atomic_uint_fast64_t *const bytes)
{
    const struct weft_load_request *const request = &load->request;
    const bool paced = !isinf(request->rate_gbs);
    const unsigned element_bytes = weft_stream_counted_bytes(request->kernel);
    const double ns_per_element = element_bytes * request->streams / request->rate_gbs;
    const uint64_t begin_ns = weft_clock_ns();
    double due_ns = request->rate_gbs > 0 ? 0 : INFINITY;
    size_t done = 0;

    while (!atomic_load_explicit(&load->stop, memory_order_relaxed)) {
        const double now_ns = paced ? (double)(weft_clock_ns() - begin_ns) : 0;

        if (now_ns < due_ns) {
            weft_relax();
            continue;
        }
        if (now_ns - due_ns > DEBT_LIMIT_NS)
            due_ns = now_ns;
        const struct weft_stream_part chunk =
            chunk_of(part, done, paced ? PACED_ELEMENTS : FULL_ELEMENTS);
        weft_stream_arrays_run(&load->arrays, chunk, request->kernel, request->store);
        atomic_fetch_add_explicit(bytes, chunk.count * element_bytes, memory_order_relaxed);
        due_ns += (double)chunk.count * ns_per_element;
        done = done + chunk.count < part.count ? done + chunk.count : 0;
    }
}

static void run_stream(void *const argument, const unsigned worker)
{
    struct weft_load *const load = argument;
    const unsigned index = worker - 1;
    const struct weft_stream_part part =
        weft_stream_partition(load->arrays.elements, load->request.streams, index);

    weft_stream_arrays_fill(&load->arrays, part);
    weft_barrier_wait(weft_team_barrier(load->team));
    stream_until_stopped(load, part, &load->streams[index].bytes);
}

static bool is_valid(const struct weft_load_request *const request)
{
    return request->streams > 0 && request->streams < UINT32_MAX && request->kernel &&
           (unsigned)request->store < WEFT_STREAM_STORE_COUNT &&
           request->array_bytes >= WEFT_STREAM_LINE_BYTES &&
           request->array_bytes <= SIZE_MAX / request->streams && request->rate_gbs >= 0;
}

enum weft_status weft_load_start(struct weft_load **const result,
                                 const struct weft_load_request *const request)
{
    enum weft_status status;

    if (!is_valid(request))
        return WEFT_E_INVALID;
    struct weft_load *const load = calloc(1, sizeof(*load));
    if (!load)
        return WEFT_E_NOMEM;
    load->request = *request;
    load->streams =
        aligned_alloc(_Alignof(struct stream), request->streams * sizeof(struct stream));
    if (!load->streams) {
        free(load);
        return WEFT_E_NOMEM;
    }
    for (unsigned i = 0; i < request->streams; ++i)
        atomic_init(&load->streams[i].bytes, 0);
    status = weft_stream_arrays_create(
        &load->arrays, request->array_bytes / sizeof(double) * request->streams, request->pages);
    if (status == WEFT_OK)
        status = weft_team_create(&load->team, request->streams + 1, request->cpus);
    if (status != WEFT_OK) {
        weft_stream_arrays_destroy(&load->arrays);
        free(load->streams);
        free(load);
        return status;
    }
    weft_team_start(load->team, run_stream, load);
    weft_barrier_wait(weft_team_barrier(load->team));
    *result = load;
    return WEFT_OK;
}

struct weft_load_sample weft_load_read(const struct weft_load *const load)
{
    struct weft_load_sample sample = {.at_ns = weft_clock_ns()};

    for (unsigned i = 0; i < load->request.streams; ++i)
        sample.bytes += atomic_load_explicit(&load->streams[i].bytes, memory_order_relaxed);
    return sample;
}

double weft_load_gbs(const struct weft_load_sample from, const struct weft_load_sample to)
{
    return weft_stream_gbs((double)(to.bytes - from.bytes), (double)(to.at_ns - from.at_ns));
}

void weft_load_stop(struct weft_load *const load)
{
    if (!load)
        return;
    atomic_store_explicit(&load->stop, true, memory_order_relaxed);
    weft_team_wait(load->team);
    weft_team_destroy(load->team);
    weft_stream_arrays_destroy(&load->arrays);
    free(load->streams);
    free(load);
}
