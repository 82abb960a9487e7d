/* SPDX-License-Identifier: MIT */
/* The hash probe: a lookup walks a bucket's chain (lookup/hash_table.h) to its key and returns the
 * value. weft_run.data is the struct weft_hash_table, starts are keys, depth is the mean length of
 * the chains. */
#ifndef WEFT_LOOKUP_PROBE_H
#define WEFT_LOOKUP_PROBE_H

#include "lookup/variant.h"

enum {
    WEFT_PROBE_FRAME_BYTES = 32 + 1, /* of the start/step form, with SPP's flag */
    WEFT_PROBE_CORO_FRAME_BYTES = 40 /* of the coroutine, with the executor's list entry */
};

extern const struct weft_workload weft_probe;

enum weft_status weft_probe_scalar(const struct weft_run *run);
enum weft_status weft_probe_scalar_prefetch(const struct weft_run *run);
enum weft_status weft_probe_async_no_prefetch(const struct weft_run *run);
enum weft_status weft_probe_async_prefetch(const struct weft_run *run);
enum weft_status weft_probe_amac(const struct weft_run *run);
enum weft_status weft_probe_gp(const struct weft_run *run);
enum weft_status weft_probe_spp(const struct weft_run *run);

#endif
