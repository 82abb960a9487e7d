/* SPDX-License-Identifier: MIT */
#include "lookup/chain.h"

#include "base/rng.h"

/* Nodes between two calls of the progress function: 64 MiB. */
#define PROGRESS_NODES (UINT64_C(1) << 20)

enum weft_status weft_chain_build(struct weft_chain *const chain,
                                  struct weft_chain_node *const nodes, const uint64_t count,
                                  const uint64_t seed, weft_chain_progress_fn *const progress,
                                  void *const argument)
{
    struct weft_rng rng = {seed};

    if (count == 0 || count > UINT64_C(1) << 62)
        return WEFT_E_INVALID;
    const struct weft_bijection slots = weft_bijection_make(count, weft_rng_next(&rng));
    for (uint64_t slot = 0; slot < count; ++slot) {
        if (slot % PROGRESS_NODES == 0 && progress &&
            !progress((double)slot / (double)count, argument))
            return WEFT_E_INTERRUPTED;
        const uint64_t position = weft_bijection_invert(&slots, slot);
        const uint64_t following = position + 1 == count ? 0 : position + 1;

        nodes[slot] = (struct weft_chain_node){
            .next = &nodes[weft_bijection_apply(&slots, following)],
            .value = position,
        };
    }
    *chain = (struct weft_chain){
        .nodes = nodes,
        .count = count,
        .slots = slots,
        .starts = weft_bijection_make(count, weft_rng_next(&rng)),
    };
    return WEFT_OK;
}

/* 0 + 1 + ... + (n - 1), modulo 2^64. */
static uint64_t triangle(const uint64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

uint64_t weft_chain_sum(const struct weft_chain *const chain, const uint64_t position,
                        const uint64_t depth)
{
    const uint64_t rounds = depth / chain->count;
    const uint64_t end = position + depth % chain->count;
    uint64_t sum = rounds * triangle(chain->count);

    if (end <= chain->count)
        return sum + triangle(end) - triangle(position);
    sum += triangle(chain->count) - triangle(position);
    return sum + triangle(end - chain->count);
}
