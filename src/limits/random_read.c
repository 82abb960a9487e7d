/* SPDX-License-Identifier: MIT */
#include "limits/random_read.h"

#include <string.h>

#include "base/rng.h"

/* On a line pair of its own. */
struct weft_random_read_sum {
    _Alignas(128) uint64_t sum;
};

/* Of a thread's index array. */
enum { SLOTS = WEFT_READ_BATCH + WEFT_READ_DISTANCE_MAX };

/* For each batch, on average, at most: 4 MiB, which take as long as planning it. */
enum { TOUCHED_LINES = 65536 };

enum weft_status weft_random_read_create(struct weft_random_read *const read,
                                         const unsigned threads)
{
    struct weft_random_read made = {.threads = threads, .reads = (size_t)threads * WEFT_READ_BATCH};

    if (threads == 0)
        return WEFT_E_INVALID;
    const size_t bytes =
        threads * (sizeof(struct weft_random_read_sum) + SLOTS * sizeof(*made.slots));
    enum weft_status status = weft_arena_create(&made.arena, bytes, WEFT_PAGES_THP);
    if (status == WEFT_E_PAGES || status == WEFT_E_UNSUPPORTED)
        status = weft_arena_create(&made.arena, bytes, WEFT_PAGES_4K);
    if (status != WEFT_OK)
        return status;
    memset(made.arena.base, 0, bytes);
    made.sums = made.arena.base;
    made.slots = (uint32_t *)(made.sums + threads);
    *read = made;
    return WEFT_OK;
}

void weft_random_read_destroy(struct weft_random_read *const read)
{
    weft_arena_destroy(&read->arena);
    *read = (struct weft_random_read){0};
}

static enum weft_status prepare(void *const self, const uint64_t number)
{
    struct weft_random_read *const read = self;
    const struct weft_chain *const chain = read->chain;

    if (read->way.distance > WEFT_READ_DISTANCE_MAX)
        return WEFT_E_INVALID;
    if (chain->count > UINT32_MAX)
        return WEFT_E_UNSUPPORTED;
    struct weft_rng rng = {number};

    /* Planning takes many times as long as reading, in which the neighbours of a shared cache take
     * over what a lookup that never pauses would have kept there. */
    if (number % (chain->count * chain->lines / TOUCHED_LINES + 1) == 0)
        weft_chain_touch(chain);
    read->expected = 0;
    for (unsigned thread = 0; thread < read->threads; ++thread) {
        uint32_t *const slots = read->slots + (size_t)thread * SLOTS;

        for (size_t i = 0; i < WEFT_READ_BATCH; ++i) {
            /* the high half of a product: evenly below the count, which fits 32 bits */
            const uint64_t position = (weft_rng_next(&rng) >> 32) * chain->count >> 32;

            slots[i] = (uint32_t)weft_chain_slot(chain, position);
            read->expected += weft_chain_node_sum(chain, position);
        }
        /* what is prefetched behind the last read is warm */
        for (size_t i = WEFT_READ_BATCH; i < SLOTS; ++i)
            slots[i] = slots[WEFT_READ_BATCH - 1];
    }
    return WEFT_OK;
}

WEFT_ALWAYS_INLINE void prefetch_node(const struct weft_chain_node *const node, const size_t lines,
                                      const enum weft_hint hint)
{
    for (size_t line = 0; line < lines; ++line)
        weft_prefetch(&node[line], hint);
}

/* `lines` and `hint` are constants once inlined, `lines` where it is 1. */
WEFT_ALWAYS_INLINE uint64_t sum_of(const struct weft_chain_node *const nodes,
                                   const uint32_t *const slots, const size_t distance,
                                   const size_t lines, const enum weft_hint hint)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < distance; ++i)
        prefetch_node(&nodes[slots[i] * lines], lines, hint);
    for (size_t i = 0; i < WEFT_READ_BATCH; ++i) {
        const struct weft_chain_node *const node = &nodes[slots[i] * lines];

        prefetch_node(&nodes[slots[i + distance] * lines], lines, hint);
        for (size_t line = 0; line < lines; ++line)
            sum += node[line].value;
    }
    return sum;
}

WEFT_ALWAYS_INLINE uint64_t sum_hinted(const struct weft_random_read *const read,
                                       const uint32_t *const slots, const enum weft_hint hint)
{
    const struct weft_chain *const chain = read->chain;
    const size_t distance = read->way.distance;

    return chain->lines == 1 ? sum_of(chain->nodes, slots, distance, 1, hint)
                             : sum_of(chain->nodes, slots, distance, chain->lines, hint);
}

static enum weft_status run(void *const self, const unsigned worker)
{
    const struct weft_random_read *const read = self;
    const uint32_t *const slots = read->slots + (size_t)worker * SLOTS;
    uint64_t *const sum = &read->sums[worker].sum;

    switch (read->way.hint) {
    case WEFT_HINT_NONE:
        *sum = sum_hinted(read, slots, WEFT_HINT_NONE);
        return WEFT_OK;
    case WEFT_HINT_T0:
        *sum = sum_hinted(read, slots, WEFT_HINT_T0);
        return WEFT_OK;
    case WEFT_HINT_T1:
        *sum = sum_hinted(read, slots, WEFT_HINT_T1);
        return WEFT_OK;
    case WEFT_HINT_T2:
        *sum = sum_hinted(read, slots, WEFT_HINT_T2);
        return WEFT_OK;
    case WEFT_HINT_NTA:
        *sum = sum_hinted(read, slots, WEFT_HINT_NTA);
        return WEFT_OK;
    case WEFT_HINT_COUNT:
        break;
    }
    return WEFT_E_INVALID;
}

static enum weft_status verify(void *const self, const uint64_t number)
{
    const struct weft_random_read *const read = self;
    uint64_t sum = 0;

    (void)number;
    for (unsigned worker = 0; worker < read->threads; ++worker)
        sum += read->sums[worker].sum;
    return sum == read->expected ? WEFT_OK : WEFT_E_MISMATCH;
}

const struct weft_measured weft_random_read_measured = {
    .prepare = prepare,
    .run = run,
    .verify = verify,
};
