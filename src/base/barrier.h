/* SPDX-License-Identifier: MIT */
/* A spin barrier, for threads that each own a processor. */
#ifndef WEFT_BASE_BARRIER_H
#define WEFT_BASE_BARRIER_H

#include <stdatomic.h>

/* Counts generations. All-zero is a valid barrier except for `size`, the number of threads that
 * meet. */
struct weft_barrier {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint generation;
    unsigned size;
};

/* For the body of a loop that spins. */
static inline void weft_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

void weft_barrier_init(struct weft_barrier *barrier, unsigned size);

/* Returns when `size` threads have called it. Spins, and offers its processor up now and then so
 * that an oversubscribed team still moves on. Releases what was written before it, and acquires. */
void weft_barrier_wait(struct weft_barrier *barrier);

#endif
