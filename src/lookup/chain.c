/* SPDX-License-Identifier: MIT */
#include "lookup/chain.h"

#include "base/rng.h"

/* 64 MiB: between two calls of the progress function, and what a touch is worth it for. */
#define PROGRESS_LINES (UINT64_C(1) << 20)
#define TOUCH_LINES_MAX (UINT64_C(1) << 20)

enum weft_status weft_chain_build(struct weft_chain *const chain,
                                  struct weft_chain_node *const nodes, const uint64_t count,
                                  const uint64_t lines, const uint64_t seed,
                                  weft_build_progress_fn *const progress, void *const argument)
{
    struct weft_rng rng = {seed};

    if (count == 0 || lines == 0 || count > (UINT64_C(1) << 58) / lines)
        return WEFT_E_INVALID;
    const uint64_t interval = PROGRESS_LINES / lines + 1;
    const struct weft_bijection slots = weft_bijection_make(count, weft_rng_next(&rng));
    for (uint64_t slot = 0; slot < count; ++slot) {
        if (slot % interval == 0 && progress && !progress((double)slot / (double)count, argument))
            return WEFT_E_INTERRUPTED;
        const uint64_t position = weft_bijection_invert(&slots, slot);
        const uint64_t following = position + 1 == count ? 0 : position + 1;

        nodes[slot * lines] = (struct weft_chain_node){
            .next = &nodes[weft_bijection_apply(&slots, following) * lines],
            .value = position,
        };
        for (uint64_t line = 1; line < lines; ++line)
            nodes[slot * lines + line] = (struct weft_chain_node){.value = position + line};
    }
    *chain = (struct weft_chain){
        .nodes = nodes,
        .count = count,
        .lines = lines,
        .slots = slots,
        .starts = weft_bijection_make(count, weft_rng_next(&rng)),
    };
    return WEFT_OK;
}

void weft_chain_touch(const struct weft_chain *const chain)
{
    const uint64_t lines = chain->count * chain->lines;

    if (lines > TOUCH_LINES_MAX)
        return;
    for (uint64_t line = 0; line < lines; ++line)
        (void)*(const volatile uint64_t *)&chain->nodes[line].value;
}

/* 0 + 1 + ... + (n - 1), modulo 2^64. */
static uint64_t triangle(const uint64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

/* The sum of the first lines' values. */
static uint64_t positions_sum(const struct weft_chain *const chain, const uint64_t position,
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

uint64_t weft_chain_sum(const struct weft_chain *const chain, const uint64_t position,
                        const uint64_t depth)
{
    return chain->lines * positions_sum(chain, position, depth) +
           depth * weft_chain_node_sum(chain, 0);
}

uint64_t weft_chain_branch_sum(const struct weft_chain *const chain, uint64_t position,
                               const uint64_t depth)
{
    uint64_t sum = 0;

    for (uint64_t hop = 0; hop < depth; ++hop) {
        const uint64_t value = weft_chain_node_sum(chain, position);

        sum = weft_chain_turns(position) ? sum + value : sum - value;
        position = position + 1 == chain->count ? 0 : position + 1;
    }
    return sum;
}
