/* SPDX-License-Identifier: MIT */
/* The limits of a working set, measured when a cell asks for them and kept for a while.
 *
 * A machine's latency drifts, by neighbours, frequency and temperature: a cell is compared with
 * what the same memory gave within the last seconds, not with what it gave at the beginning. */
#ifndef WEFT_LIMITS_ON_DEMAND_H
#define WEFT_LIMITS_ON_DEMAND_H

#include "limits/latency.h"
#include "limits/roofline.h"

/* How long a measurement may take, and how long it holds. */
#define WEFT_LIMITS_LATENCY_NS UINT64_C(20000000)
#define WEFT_LIMITS_SEARCH_NS UINT64_C(500000000) /* the last batch ends later */
#define WEFT_LIMITS_AGAIN_NS UINT64_C(20000000)
#define WEFT_LIMITS_AGE_MAX_NS UINT64_C(5000000000)

/* What has limits of its own. */
struct weft_limits_key {
    uint64_t size_bytes;
    uint64_t lines; /* of a node */
    int pages;
    unsigned threads;
    int place; /* where the threads run, as the caller numbers it */
};

struct weft_limits {
    double latency_ns; /* serial latency, per hop of one thread */
    struct weft_roofline roofline;
    uint64_t measured_ns; /* by the cache's clock */
};

/* How they are measured; `self` is the source's own. */
struct weft_limits_source {
    enum weft_status (*latency)(void *self, double *ns_per_hop);
    enum weft_status (*search)(void *self, struct weft_roofline *roofline);
    enum weft_status (*again)(void *self, struct weft_roofline *roofline);
};

struct weft_limits_entry;

struct weft_limits_cache {
    uint64_t (*now_ns)(void);
    struct weft_limits_entry *entries;
    size_t count;
};

/* `now_ns`: weft_clock_ns(), or another clock for tests. */
void weft_limits_cache_init(struct weft_limits_cache *cache, uint64_t (*now_ns)(void));

/* A zeroed or destroyed cache is allowed. */
void weft_limits_cache_destroy(struct weft_limits_cache *cache);

/* The limits of `key`: measured the first time, with the full search; their latency and the
 * winning way measured again when they are older than WEFT_LIMITS_AGE_MAX_NS; else as they are.
 * Errors: WEFT_E_NOMEM, those of the source; then the next call measures. */
enum weft_status weft_limits_get(struct weft_limits_cache *cache, const struct weft_limits_key *key,
                                 const struct weft_limits_source *source, void *self,
                                 struct weft_limits *limits);

/* Lines effectively in flight of lookups that took `ns_per_hop` (of all threads together): how
 * many serial chases it would take to get as far. */
double weft_limits_mlp(const struct weft_limits *limits, uint64_t lines, double ns_per_hop);

/* The share of the roofline that they reached, 1 being the limit. */
double weft_limits_roofline_share(const struct weft_limits *limits, double ns_per_hop);

/* The limits of a chain's memory: the source that measures. Set chain, team and threads. */
struct weft_chain_limits {
    const struct weft_chain *chain;
    struct weft_team *team;
    unsigned threads;
    struct weft_batch batch; /* kept between calls, like what follows; zeroed at first */
    struct weft_random_read read;
    uint64_t latency_batches;
    uint64_t read_batches;
};

extern const struct weft_limits_source weft_chain_limits_source;

/* A zeroed one is allowed. */
void weft_chain_limits_destroy(struct weft_chain_limits *limits);

#endif
