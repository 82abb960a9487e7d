/* SPDX-License-Identifier: MIT */
#include "base/barrier.h"

#include <sched.h>

void weft_barrier_init(struct weft_barrier *const barrier, const unsigned size)
{
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->generation, 0);
    barrier->size = size;
}

void weft_barrier_wait(struct weft_barrier *const barrier)
{
    const unsigned generation = atomic_load_explicit(&barrier->generation, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 ==
        barrier->size) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->generation, generation + 1, memory_order_release);
        return;
    }
    for (unsigned spins = 1;
         atomic_load_explicit(&barrier->generation, memory_order_acquire) == generation; ++spins) {
        if (spins % 1024 == 0)
            sched_yield();
        else
            weft_relax();
    }
}
