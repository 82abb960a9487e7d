/* SPDX-License-Identifier: MIT */
/* Memory with an explicit page policy: what the chains and arrays lie in. */
#ifndef WEFT_MEMORY_ARENA_H
#define WEFT_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "weft/status.h"

enum weft_pages {
    WEFT_PAGES_4K,  /* base pages, whatever their size is: MADV_NOHUGEPAGE */
    WEFT_PAGES_THP, /* transparent huge pages: MADV_HUGEPAGE */
    WEFT_PAGES_2M,  /* hugetlb pages of 2 MiB, from the reserved pool */
    WEFT_PAGES_1G,  /* hugetlb pages of 1 GiB, from the reserved pool */
    WEFT_PAGES_COUNT,
};

/* Zeroed by weft_arena_create(); the pages exist only once they are touched. */
struct weft_arena {
    void *base;        /* aligned to the larger of 2 MiB and the page asked for */
    size_t size_bytes; /* what was asked for, rounded up as weft_arena_cost_bytes() does */
    enum weft_pages pages;
    void *mapping; /* with the guard pages that keep it apart from its neighbours in the maps */
    size_t mapping_bytes;
};

/* "4k", "thp", "2m", "1g"; the names that flags and cases use. */
const char *weft_pages_name(enum weft_pages pages);

/* Whether transparent huge pages can be had by asking for them. */
bool weft_thp_available(void);

/* Bytes of memory that an arena of `size_bytes` takes when every page is touched: `size_bytes`
 * rounded up to the page asked for (a transparent huge page may be taken for the last part);
 * SIZE_MAX when that is too large a number. */
size_t weft_arena_cost_bytes(size_t size_bytes, enum weft_pages pages);

/* Maps `size_bytes` > 0 of zeroed memory under the policy.
 * Errors: WEFT_E_INVALID (size 0 or too large to round up); WEFT_E_NOMEM (less memory is
 * available than it takes, see weft_memory_available_bytes(); checked before anything is mapped;
 * hugetlb pages come out of their own pool instead); WEFT_E_PAGES (too few reserved huge pages, or
 * transparent huge pages are switched off); WEFT_E_UNSUPPORTED (this system has no such policy);
 * WEFT_E_SYSTEM. On error nothing is mapped and the arena is zeroed. */
enum weft_status weft_arena_create(struct weft_arena *arena, size_t size_bytes,
                                   enum weft_pages pages);

/* Unmaps; a zeroed or destroyed arena is allowed. */
void weft_arena_destroy(struct weft_arena *arena);

#endif
