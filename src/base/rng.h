/* SPDX-License-Identifier: MIT */
/* SplitMix64: values are the same on every machine and compiler. */
#ifndef WEFT_BASE_RNG_H
#define WEFT_BASE_RNG_H

#include <stdint.h>

struct weft_rng {
    uint64_t state; /* any seed */
};

/* The next 64 random bits (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014). */
static inline uint64_t weft_rng_next(struct weft_rng *const rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
