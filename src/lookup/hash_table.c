/* SPDX-License-Identifier: MIT */
#include "lookup/hash_table.h"

#include <string.h>

#include "base/rng.h"

/* Nodes between two calls of the progress function: 64 MiB. */
#define PROGRESS_NODES (UINT64_C(1) << 20)

#define KEYS (UINT64_C(1) << 62)

enum weft_status weft_hash_table_build(struct weft_hash_table *const table, void *const memory,
                                       const uint64_t size_bytes, const size_t chain,
                                       const uint64_t seed, weft_build_progress_fn *const progress,
                                       void *const argument)
{
    const uint64_t node_bytes = sizeof(struct weft_hash_node);
    const uint64_t bucket_bytes = sizeof(struct weft_hash_node *);
    struct weft_rng rng = {seed};

    if (chain == 0 || chain > KEYS / node_bytes || size_bytes < node_bytes + bucket_bytes)
        return WEFT_E_INVALID;
    const uint64_t fit = size_bytes / (chain * node_bytes + bucket_bytes);
    const uint64_t bucket_count = fit > 0 ? fit : 1;
    const uint64_t entries =
        fit > 0 ? fit * chain : (size_bytes - bucket_bytes) / node_bytes; /* one short chain */
    struct weft_hash_node *const nodes = memory;
    struct weft_hash_table made = {
        .buckets = (const struct weft_hash_node **)(void *)(nodes + entries),
        .bucket_count = bucket_count,
        .entries = entries,
        .queries = entries + (entries + 7) / 8,
        .keys = weft_bijection_make(KEYS, weft_rng_next(&rng)),
    };

    made.numbers = weft_bijection_make(made.queries, weft_rng_next(&rng));
    memset((void *)made.buckets, 0, bucket_count * bucket_bytes);
    for (uint64_t number = 0; number < entries; ++number) {
        if (number % PROGRESS_NODES == 0 && progress &&
            !progress((double)number / (double)entries, argument))
            return WEFT_E_INTERRUPTED;
        const uint64_t key = weft_hash_key(&made, number);
        const struct weft_hash_node **const bucket = &made.buckets[weft_hash_bucket(&made, key)];

        nodes[number] = (struct weft_hash_node){
            .key = key,
            .value = weft_hash_expected(&made, number),
            .next = *bucket,
        };
        *bucket = &nodes[number];
    }
    *table = made;
    return WEFT_OK;
}
