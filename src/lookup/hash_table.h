/* SPDX-License-Identifier: MIT */
/* The hash probe's data: a chained hash table, buckets of one pointer, nodes of one cache line.
 *
 * Entry number i has the key sigma(i), sigma a keyed bijection on [0, 2^62), and a value that
 * follows from i. So what the probe for a key must return is known without looking it up, and keys
 * that are not in the table come from the same bijection beyond the entries. Keys are scattered
 * over the buckets, so a chain's length is random (Poisson) around its mean, and the nodes of one
 * chain lie anywhere. One query in nine finds nothing. */
#ifndef WEFT_LOOKUP_HASH_TABLE_H
#define WEFT_LOOKUP_HASH_TABLE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bijection.h"
#include "lookup/progress.h"
#include "weft/status.h"

struct weft_hash_node {
    uint64_t key;
    uint64_t value;
    const struct weft_hash_node *next; /* of the same bucket, or NULL */
    uint64_t padding[5];
};

static_assert(sizeof(struct weft_hash_node) == 64, "a node is one cache line");

struct weft_hash_table {
    const struct weft_hash_node **buckets;
    uint64_t bucket_count;
    uint64_t entries;
    uint64_t queries;              /* different ones: the entries, and the keys that are missing */
    struct weft_bijection keys;    /* number of an entry or a missing key -> key */
    struct weft_bijection numbers; /* lookup number -> number of its key, over the queries */
};

/* What a probe returns for a key that is not in the table; no entry's value. */
#define WEFT_HASH_MISSING UINT64_C(0)

/* Fills `memory` (size_bytes, 64-byte aligned) with a table of chains of `chain` >= 1 nodes on
 * average, as large as fits. `progress` may be NULL.
 * Errors: WEFT_E_INVALID (no room for one node and its bucket, or chain 0), WEFT_E_INTERRUPTED
 * (progress said so). */
enum weft_status weft_hash_table_build(struct weft_hash_table *table, void *memory,
                                       uint64_t size_bytes, size_t chain, uint64_t seed,
                                       weft_build_progress_fn *progress, void *argument);

/* The high word of a product: a value below `count`, from the high bits of the hash. */
static inline uint64_t weft_hash_bucket(const struct weft_hash_table *const table,
                                        const uint64_t key)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)(key * UINT64_C(0x9e3779b97f4a7c15)) * table->bucket_count >> 64);
}

/* The number of the key that lookup number `lookup` asks for: no number comes twice before all
 * came once. */
static inline uint64_t weft_hash_number(const struct weft_hash_table *const table,
                                        const uint64_t lookup)
{
    return weft_bijection_apply(&table->numbers, lookup % table->queries);
}

/* The key of number `number`, below the queries. */
static inline uint64_t weft_hash_key(const struct weft_hash_table *const table,
                                     const uint64_t number)
{
    return weft_bijection_apply(&table->keys, number);
}

/* What the probe for it must return. */
static inline uint64_t weft_hash_expected(const struct weft_hash_table *const table,
                                          const uint64_t number)
{
    return number < table->entries ? 2 * number + 1 : WEFT_HASH_MISSING;
}

#endif
