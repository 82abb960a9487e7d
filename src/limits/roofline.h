/* SPDX-License-Identifier: MIT */
/* The roofline: the best over the ways of reading random nodes (limits/random_read.h).
 *
 * Plain loads or one hint alone are no limit: on one core the prefetches into the first cache fill
 * its buffers while those into the second go on, on another the hint changes nothing. So all are
 * tried. */
#ifndef WEFT_LIMITS_ROOFLINE_H
#define WEFT_LIMITS_ROOFLINE_H

#include "limits/random_read.h"

struct weft_roofline {
    double ns_per_node; /* of all threads together */
    struct weft_read_way way;
};

/* The ways that are tried: no hint, and each hint at distances 0, 4, 8 and so on by doubling to
 * WEFT_READ_DISTANCE_MAX; those that tend to win come first. */
enum { WEFT_READ_WAYS = 33 };
struct weft_read_way weft_read_way_at(size_t index);

/* Tries every way over `read`'s chain, the best of them again, and gives the one with the
 * lowest median. Stops
 * when `budget_ns` is over, with what it has by then; one way is measured at least. `batches`
 * counts on what was read, so that the next call goes on there. Changes read->way.
 * Errors: those of weft_measure_init() and weft_measure_batch(). */
enum weft_status weft_roofline_search(struct weft_random_read *read, struct weft_team *team,
                                      uint64_t budget_ns, uint64_t *batches,
                                      struct weft_roofline *roofline);

/* Measures the way of `roofline` again, for about `budget_ns`, once at least. */
enum weft_status weft_roofline_again(struct weft_random_read *read, struct weft_team *team,
                                     uint64_t budget_ns, uint64_t *batches,
                                     struct weft_roofline *roofline);

#endif
