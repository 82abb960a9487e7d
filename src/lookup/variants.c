/* SPDX-License-Identifier: MIT */
#include "lookup/chase.h"
#include "lookup/variant.h"

const struct weft_variant weft_variants[] = {
    {
        .workload = &weft_chase,
        .name = "serial",
        .help = "each lookup starts where the last one ended: true latency",
        .serial = true,
        .run = weft_chase_serial,
    },
    {
        .workload = &weft_chase,
        .name = "scalar",
        .help = "plain loop over independent lookups: the usual baseline",
        .run = weft_chase_scalar,
    },
    {
        .workload = &weft_chase,
        .name = "scalar-prefetch",
        .help = "scalar with a prefetch of the next node, without distance",
        .takes_hint = true,
        .run = weft_chase_scalar_prefetch,
    },
    {
        .workload = &weft_chase,
        .name = "async-no-prefetch",
        .help = "stackless coroutines on the executor, no prefetch: interleaving alone",
        .takes_group = true,
        .frame_bytes = WEFT_CHASE_CORO_FRAME_BYTES,
        .run = weft_chase_async_no_prefetch,
    },
    {
        .workload = &weft_chase,
        .name = "async-prefetch",
        .help = "stackless coroutines: prefetch, yield, dereference after resume",
        .takes_group = true,
        .takes_hint = true,
        .frame_bytes = WEFT_CHASE_CORO_FRAME_BYTES,
        .run = weft_chase_async_prefetch,
    },
    {
        .workload = &weft_chase,
        .name = "amac",
        .help = "asynchronous memory access chaining: a bare ring of state machines with refill",
        .takes_group = true,
        .takes_hint = true,
        .frame_bytes = WEFT_CHASE_FRAME_BYTES,
        .run = weft_chase_amac,
    },
    {
        .workload = &weft_chase,
        .name = "gp",
        .help = "group prefetching: a static group stepped in lock-step",
        .takes_group = true,
        .takes_hint = true,
        .frame_bytes = WEFT_CHASE_FRAME_BYTES,
        .run = weft_chase_gp,
    },
    {
        .workload = &weft_chase,
        .name = "spp",
        .help = "software-pipelined prefetching: slots staggered by their phase",
        .takes_group = true,
        .takes_hint = true,
        .frame_bytes = WEFT_CHASE_FRAME_BYTES,
        .run = weft_chase_spp,
    },
};

const size_t weft_variant_count = sizeof(weft_variants) / sizeof(weft_variants[0]);
