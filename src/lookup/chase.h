/* SPDX-License-Identifier: MIT */
/* The pointer chase: a lookup walks `depth` nodes of a chain (lookup/chain.h) and sums the values
 * of all their lines: weft_chain_sum(), with a branch weft_chain_branch_sum(). weft_run.data is
 * the struct weft_chain; starts are numbers of lines in its array. */
#ifndef WEFT_LOOKUP_CHASE_H
#define WEFT_LOOKUP_CHASE_H

#include "lookup/variant.h"

enum {
    WEFT_CHASE_FRAME_BYTES = 32,     /* of the start/step form */
    WEFT_CHASE_CORO_FRAME_BYTES = 56 /* of the coroutine, with the executor's list entry */
};

extern const struct weft_workload weft_chase;

enum weft_status weft_chase_serial(const struct weft_run *run);
enum weft_status weft_chase_scalar(const struct weft_run *run);
enum weft_status weft_chase_scalar_prefetch(const struct weft_run *run);
enum weft_status weft_chase_async_no_prefetch(const struct weft_run *run);
enum weft_status weft_chase_async_prefetch(const struct weft_run *run);
enum weft_status weft_chase_amac(const struct weft_run *run);
enum weft_status weft_chase_gp(const struct weft_run *run);
enum weft_status weft_chase_spp(const struct weft_run *run);
enum weft_status weft_chase_fiber_no_prefetch(const struct weft_run *run);
enum weft_status weft_chase_fiber_prefetch(const struct weft_run *run);

#endif
