/* SPDX-License-Identifier: MIT */
#include "stream/stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "machine/usage.h"
#include "stream/arrays.h"

struct worker {
    _Alignas(64) struct weft_stream_part part;
    uint64_t minor_faults;
    uint64_t involuntary_switches;
    bool sum_is_wrong;
};

struct weft_stream {
    struct weft_team *team;
    unsigned threads;
    struct weft_stream_arrays arrays;
    struct weft_stream_cell cell; /* no kernel: none has begun */
    struct weft_stream_stamp *stamps;
    size_t rounds; /* timed since the cell's beginning */
    size_t capacity;
    struct worker *workers;
};

/* A run of rounds that ends after both minima. */
struct phase {
    struct weft_stream *stream;
    struct weft_stream_stamp *stamps; /* NULL: warm-up */
    size_t rounds;
    uint64_t least_ns;
    atomic_bool done;
};

static void fill_part(void *const argument, const unsigned worker)
{
    struct weft_stream *const stream = argument;

    stream->workers[worker].part =
        weft_stream_partition(stream->arrays.elements, stream->threads, worker);
    weft_stream_arrays_fill(&stream->arrays, stream->workers[worker].part);
}

static void reset_part(void *const argument, const unsigned worker)
{
    struct weft_stream *const stream = argument;
    const struct weft_stream_part part = stream->workers[worker].part;

    stream->workers[worker] = (struct worker){.part = part};
    weft_stream_arrays_reset(&stream->arrays, part);
}

static void check_part(void *const argument, const unsigned worker)
{
    const struct weft_stream *const stream = argument;
    struct worker *const self = &stream->workers[worker];

    self->sum_is_wrong = weft_stream_arrays_sum(&stream->arrays, self->part) !=
                         weft_stream_expected_sum(stream->cell.kernel, self->part);
}

static struct weft_stream_stamp timed_passes(const struct weft_stream *const stream,
                                             const struct weft_stream_part part)
{
    const struct weft_stream_cell cell = stream->cell;
    struct weft_stream_stamp stamp;

    stamp.start_ns = weft_clock_ns();
    for (size_t pass = 0; pass < cell.passes; ++pass)
        weft_stream_arrays_run(&stream->arrays, part, cell.kernel, cell.store);
    stamp.end_ns = weft_clock_ns();
    return stamp;
}

static void run_phase(void *const argument, const unsigned worker)
{
    struct phase *const phase = argument;
    const struct weft_stream *const stream = phase->stream;
    struct weft_barrier *const barrier = weft_team_barrier(stream->team);
    struct worker *const self = &stream->workers[worker];
    const struct weft_usage before = weft_usage_read();

    for (size_t round = 0;; ++round) {
        /* Worker 0 decides between the barriers' rounds, so all leave after the same one. */
        if (worker == 0)
            atomic_store_explicit(&phase->done,
                                  round >= phase->rounds &&
                                      weft_clock_ns() - before.wall_ns >= phase->least_ns,
                                  memory_order_relaxed);
        weft_barrier_wait(barrier);
        if (atomic_load_explicit(&phase->done, memory_order_relaxed))
            break;
        const struct weft_stream_stamp stamp = timed_passes(stream, self->part);
        weft_barrier_wait(barrier);
        if (phase->stamps)
            phase->stamps[round * stream->threads + worker] = stamp;
    }
    if (phase->stamps) {
        const struct weft_usage after = weft_usage_read();

        self->minor_faults += after.minor_faults - before.minor_faults;
        self->involuntary_switches += after.involuntary_switches - before.involuntary_switches;
    }
}

enum weft_status weft_stream_create(struct weft_stream **const result, struct weft_team *const team,
                                    const size_t elements, const enum weft_pages pages)
{
    const unsigned threads = weft_team_size(team);
    struct weft_stream *const stream = calloc(1, sizeof(*stream));
    enum weft_status status = WEFT_E_NOMEM;

    if (!stream)
        return WEFT_E_NOMEM;
    stream->team = team;
    stream->threads = threads;
    stream->workers = aligned_alloc(_Alignof(struct worker), threads * sizeof(struct worker));
    if (stream->workers)
        status = weft_stream_arrays_create(&stream->arrays, elements, pages);
    if (status != WEFT_OK) {
        weft_stream_destroy(stream);
        return status;
    }
    weft_team_run(team, fill_part, stream);
    *result = stream;
    return WEFT_OK;
}

void weft_stream_destroy(struct weft_stream *const stream)
{
    if (!stream)
        return;
    weft_stream_arrays_destroy(&stream->arrays);
    free(stream->workers);
    free(stream->stamps);
    free(stream);
}

const struct weft_arena *weft_stream_arena(const struct weft_stream *const stream)
{
    return &stream->arrays.arena;
}

enum weft_status weft_stream_begin(struct weft_stream *const stream,
                                   const struct weft_stream_cell *const cell)
{
    struct phase warmup = {
        .stream = stream,
        .rounds = WEFT_STREAM_WARMUP_ROUNDS,
        .least_ns = cell->warmup_ns,
    };

    if (!cell->kernel || (unsigned)cell->store >= WEFT_STREAM_STORE_COUNT || cell->passes == 0)
        return WEFT_E_INVALID;
    stream->cell = *cell;
    stream->rounds = 0;
    weft_team_run(stream->team, reset_part, stream);
    weft_team_run(stream->team, run_phase, &warmup);
    return WEFT_OK;
}

/* Room for more stamps, touched, so that no timed round faults on it. */
static enum weft_status reserve_stamps(struct weft_stream *const stream, const size_t rounds)
{
    const size_t round_bytes = stream->threads * sizeof(struct weft_stream_stamp);
    const size_t needed = stream->rounds + rounds;

    if (needed <= stream->capacity)
        return WEFT_OK;
    if (needed > SIZE_MAX / 2 / round_bytes)
        return WEFT_E_NOMEM;
    const size_t capacity = 2 * needed;
    struct weft_stream_stamp *const stamps = realloc(stream->stamps, capacity * round_bytes);
    if (!stamps)
        return WEFT_E_NOMEM;
    stream->stamps = stamps;
    stream->capacity = capacity;
    memset(stamps + stream->rounds * stream->threads, 0, (capacity - stream->rounds) * round_bytes);
    return WEFT_OK;
}

enum weft_status weft_stream_iterate(struct weft_stream *const stream, const size_t rounds,
                                     uint64_t *const span_ns)
{
    struct phase timed = {.stream = stream, .rounds = rounds};
    enum weft_status status;

    if (!stream->cell.kernel)
        return WEFT_E_STATE;
    if (rounds == 0 || rounds > SIZE_MAX / 2)
        return WEFT_E_INVALID;
    status = reserve_stamps(stream, rounds);
    if (status != WEFT_OK)
        return status;
    timed.stamps = stream->stamps + stream->rounds * stream->threads;
    weft_team_run(stream->team, run_phase, &timed);
    for (size_t r = 0; r < rounds; ++r)
        *span_ns += weft_stream_span_ns(timed.stamps + r * stream->threads, stream->threads);
    stream->rounds += rounds;
    return WEFT_OK;
}

enum weft_status weft_stream_end(struct weft_stream *const stream,
                                 struct weft_stream_result *const result)
{
    const struct weft_stream_kernel *const kernel = stream->cell.kernel;
    const unsigned counted = kernel ? weft_stream_counted_bytes(kernel) : 0;
    bool wrong = false;

    if (!kernel || stream->rounds == 0)
        return WEFT_E_STATE;
    uint64_t *const thread_bytes = calloc(stream->threads, sizeof(*thread_bytes));
    if (!thread_bytes)
        return WEFT_E_NOMEM;
    *result = (struct weft_stream_result){
        .moved_per_counted = (double)weft_stream_moved_bytes(kernel, stream->cell.store) / counted,
    };
    weft_team_run(stream->team, check_part, stream);
    for (unsigned t = 0; t < stream->threads; ++t) {
        const struct worker *const worker = &stream->workers[t];

        thread_bytes[t] = (uint64_t)worker->part.count * counted * stream->cell.passes;
        result->minor_faults += worker->minor_faults;
        result->involuntary_switches += worker->involuntary_switches;
        wrong |= worker->sum_is_wrong;
    }
    const enum weft_status status = weft_stream_summarise(
        stream->stamps, stream->rounds, stream->threads, thread_bytes, &result->figures);
    free(thread_bytes);
    stream->cell.kernel = NULL;
    return status == WEFT_OK && wrong ? WEFT_E_MISMATCH : status;
}
