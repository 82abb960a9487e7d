/* SPDX-License-Identifier: MIT */
#include "limits/on_demand.h"

#include <stdlib.h>

struct weft_limits_entry {
    struct weft_limits_key key;
    struct weft_limits limits;
};

void weft_limits_cache_init(struct weft_limits_cache *const cache, uint64_t (*const now_ns)(void))
{
    *cache = (struct weft_limits_cache){.now_ns = now_ns};
}

void weft_limits_cache_destroy(struct weft_limits_cache *const cache)
{
    free(cache->entries);
    *cache = (struct weft_limits_cache){0};
}

static bool same_key(const struct weft_limits_key *const a, const struct weft_limits_key *const b)
{
    return a->size_bytes == b->size_bytes && a->lines == b->lines && a->pages == b->pages &&
           a->threads == b->threads && a->place == b->place;
}

static enum weft_status measure(const struct weft_limits_source *const source, void *const self,
                                const bool first, struct weft_limits *const limits)
{
    const enum weft_status status = source->latency(self, &limits->latency_ns);

    if (status != WEFT_OK)
        return status;
    return (first ? source->search : source->again)(self, &limits->roofline);
}

static enum weft_status append(struct weft_limits_cache *const cache,
                               const struct weft_limits_entry *const entry)
{
    struct weft_limits_entry *const entries =
        realloc(cache->entries, (cache->count + 1) * sizeof(*entries));

    if (!entries)
        return WEFT_E_NOMEM;
    entries[cache->count++] = *entry;
    cache->entries = entries;
    return WEFT_OK;
}

enum weft_status weft_limits_get(struct weft_limits_cache *const cache,
                                 const struct weft_limits_key *const key,
                                 const struct weft_limits_source *const source, void *const self,
                                 struct weft_limits *const limits)
{
    struct weft_limits_entry *found = NULL;
    enum weft_status status = WEFT_OK;

    for (size_t i = 0; i < cache->count && !found; ++i)
        if (same_key(&cache->entries[i].key, key))
            found = &cache->entries[i];
    struct weft_limits_entry entry = found ? *found : (struct weft_limits_entry){.key = *key};
    if (found && cache->now_ns() - entry.limits.measured_ns <= WEFT_LIMITS_AGE_MAX_NS) {
        *limits = entry.limits;
        return WEFT_OK;
    }
    status = measure(source, self, !found, &entry.limits);
    if (status != WEFT_OK)
        return status;
    entry.limits.measured_ns = cache->now_ns();
    if (found)
        *found = entry;
    else
        status = append(cache, &entry);
    *limits = entry.limits;
    return status;
}

double weft_limits_mlp(const struct weft_limits *const limits, const uint64_t lines,
                       const double ns_per_hop)
{
    return limits->latency_ns * (double)lines / ns_per_hop;
}

double weft_limits_roofline_share(const struct weft_limits *const limits, const double ns_per_hop)
{
    return limits->roofline.ns_per_node / ns_per_hop;
}

enum {
    LATENCY_DEPTH = 512,
    LATENCY_LOOKUPS = 32, /* of a thread and batch: two milliseconds of memory latency */
};

static enum weft_status latency(void *const self, double *const ns_per_hop)
{
    struct weft_chain_limits *const limits = self;
    const size_t lookups = (size_t)LATENCY_LOOKUPS * limits->threads;

    if (limits->batch.lookups != lookups) {
        weft_batch_destroy(&limits->batch);
        const enum weft_status status =
            weft_batch_create(&limits->batch, lookups, weft_latency_frames_bytes(limits->threads));
        if (status != WEFT_OK)
            return status;
    }
    struct weft_cell cell =
        weft_latency_cell(limits->chain, &limits->batch, limits->threads, LATENCY_DEPTH);
    return weft_latency_measure(&cell, limits->team, WEFT_LIMITS_LATENCY_NS,
                                &limits->latency_batches, ns_per_hop);
}

static enum weft_status prepare_read(struct weft_chain_limits *const limits)
{
    enum weft_status status = WEFT_OK;

    if (limits->read.threads != limits->threads) {
        weft_random_read_destroy(&limits->read);
        status = weft_random_read_create(&limits->read, limits->threads);
    }
    limits->read.chain = limits->chain;
    return status;
}

static enum weft_status search(void *const self, struct weft_roofline *const roofline)
{
    struct weft_chain_limits *const limits = self;
    const enum weft_status status = prepare_read(limits);

    return status != WEFT_OK
               ? status
               : weft_roofline_search(&limits->read, limits->team, WEFT_LIMITS_SEARCH_NS,
                                      &limits->read_batches, roofline);
}

static enum weft_status again(void *const self, struct weft_roofline *const roofline)
{
    struct weft_chain_limits *const limits = self;
    const enum weft_status status = prepare_read(limits);

    return status != WEFT_OK
               ? status
               : weft_roofline_again(&limits->read, limits->team, WEFT_LIMITS_AGAIN_NS,
                                     &limits->read_batches, roofline);
}

const struct weft_limits_source weft_chain_limits_source = {
    .latency = latency,
    .search = search,
    .again = again,
};

void weft_chain_limits_destroy(struct weft_chain_limits *const limits)
{
    weft_batch_destroy(&limits->batch);
    weft_random_read_destroy(&limits->read);
}
