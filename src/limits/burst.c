/* SPDX-License-Identifier: MIT */
#include "limits/burst.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stats.h"
#include "weft/prefetch.h"

/* A burst that takes this many latencies has found the core full. */
#define FULL_LATENCIES 1.5

enum weft_status weft_burst_create(struct weft_burst *const burst,
                                   const struct weft_chain *const chain, const size_t lines,
                                   const size_t rounds)
{
    if (lines == 0 || lines > WEFT_BURST_LINES_MAX || rounds == 0 || chain->lines != 1)
        return WEFT_E_INVALID;
    *burst = (struct weft_burst){
        .chain = chain,
        .lines = lines,
        .rounds = rounds,
        .stamps = calloc(rounds, sizeof(*burst->stamps)),
        .nodes = calloc(rounds, (lines + 1) * sizeof(*burst->nodes)),
    };
    if (burst->stamps && burst->nodes)
        return WEFT_OK;
    weft_burst_destroy(burst);
    return WEFT_E_NOMEM;
}

void weft_burst_destroy(struct weft_burst *const burst)
{
    free(burst->stamps);
    free(burst->nodes);
    *burst = (struct weft_burst){0};
}

static enum weft_status prepare(void *const self, const uint64_t number)
{
    struct weft_burst *const burst = self;
    const struct weft_chain *const chain = burst->chain;
    const size_t count = burst->rounds * (burst->lines + 1);
    uint64_t position = number * count % chain->count;

    burst->expected = weft_chain_sum(chain, position, count);
    for (size_t i = 0; i < count; ++i) {
        burst->nodes[i] = &chain->nodes[weft_chain_slot(chain, position)];
        position = position + 1 == chain->count ? 0 : position + 1;
    }
    return WEFT_OK;
}

/* Returns once every load before it has its value; the clock alone does not wait on AArch64. */
static inline void wait_for_loads(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("dsb ishld" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

static uint64_t one_burst(const struct weft_chain_node *const *const nodes, const size_t lines,
                          struct weft_burst_stamps *const stamps)
{
    uint64_t sum = 0;

    stamps->begin_ns = weft_clock_ns();
    WEFT_NO_UNROLL
    for (size_t i = 0; i < lines; ++i)
        weft_prefetch(nodes[i], WEFT_HINT_T0);
    stamps->issued_ns = weft_clock_ns();
    WEFT_NO_UNROLL
    for (size_t i = 0; i < lines; ++i)
        sum += nodes[i]->value;
    wait_for_loads();
    stamps->loaded_ns = weft_clock_ns();
    return sum;
}

static enum weft_status run(void *const self, const unsigned worker)
{
    struct weft_burst *const burst = self;
    const struct weft_chain_node **nodes = burst->nodes;

    (void)worker;
    burst->sum = 0;
    for (size_t i = 0; i < burst->rounds; ++i, nodes += burst->lines + 1) {
        struct weft_burst_round *const stamps = &burst->stamps[i];

        /* the index array's lines are warm before a burst begins */
        for (size_t line = 0; line <= burst->lines; line += 8)
            burst->sum += (uint64_t)(uintptr_t)nodes[line] & 1;
        wait_for_loads();
        one_burst(nodes, 0, &stamps->none);
        burst->sum += one_burst(nodes, 1, &stamps->one);
        burst->sum += one_burst(nodes + 1, burst->lines, &stamps->many);
    }
    return WEFT_OK;
}

static enum weft_status verify(void *const self, const uint64_t number)
{
    const struct weft_burst *const burst = self;

    (void)number;
    return burst->sum == burst->expected ? WEFT_OK : WEFT_E_MISMATCH;
}

const struct weft_measured weft_burst_measured = {
    .prepare = prepare,
    .run = run,
    .verify = verify,
};

/* What a burst of a round took. */
typedef double weft_burst_part(const struct weft_burst_round *round);

static double empty(const struct weft_burst_round *const round)
{
    return (double)(round->none.issued_ns - round->none.begin_ns);
}

static double one(const struct weft_burst_round *const round)
{
    return (double)(round->one.loaded_ns - round->one.begin_ns);
}

static double issue(const struct weft_burst_round *const round)
{
    return (double)(round->many.issued_ns - round->many.begin_ns);
}

static double loads(const struct weft_burst_round *const round)
{
    return (double)(round->many.loaded_ns - round->many.issued_ns);
}

static double median_of(const struct weft_burst_round *const stamps, const size_t rounds,
                        double *const scratch, weft_burst_part *const part)
{
    for (size_t i = 0; i < rounds; ++i)
        scratch[i] = part(&stamps[i]);
    return weft_median(scratch, rounds);
}

struct weft_burst_result weft_burst_judge(const double issue_ns, const double loads_ns,
                                          const double latency_ns, const size_t lines)
{
    const double both_ns = issue_ns + loads_ns;

    return (struct weft_burst_result){
        .issue_ns = issue_ns,
        .loads_ns = loads_ns,
        .latency_ns = latency_ns,
        .lines_in_flight = (double)lines * latency_ns / both_ns,
        .full = both_ns < FULL_LATENCIES * latency_ns ? WEFT_BURST_ROOM
                : issue_ns >= loads_ns - latency_ns   ? WEFT_BURST_STALLS
                                                      : WEFT_BURST_DROPS,
    };
}

struct weft_burst_result weft_burst_analyse(const struct weft_burst_round *const stamps,
                                            const size_t rounds, const size_t lines,
                                            double *const scratch)
{
    /* a clock may tick more coarsely than these */
    const double shortest_ns = 1;
    const double stamp_ns = median_of(stamps, rounds, scratch, empty);
    const double issue_ns = median_of(stamps, rounds, scratch, issue) - stamp_ns;
    const double loads_ns = median_of(stamps, rounds, scratch, loads) - stamp_ns;
    const double latency_ns = median_of(stamps, rounds, scratch, one) - 2 * stamp_ns;

    return weft_burst_judge(fmax(shortest_ns, issue_ns), fmax(shortest_ns, loads_ns),
                            fmax(shortest_ns, latency_ns), lines);
}

const char *weft_burst_full_name(const enum weft_burst_full full)
{
    static const char *const names[] = {
        [WEFT_BURST_ROOM] = "room",
        [WEFT_BURST_STALLS] = "stalls",
        [WEFT_BURST_DROPS] = "drops",
    };

    return names[full];
}
