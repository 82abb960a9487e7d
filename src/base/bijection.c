/* SPDX-License-Identifier: MIT */
#include "base/bijection.h"

#include "base/rng.h"

struct weft_bijection weft_bijection_make(const uint64_t count, const uint64_t key)
{
    struct weft_bijection bijection = {.count = count};
    struct weft_rng rng = {key};
    unsigned bits = 0;

    while (bits < 62 && (UINT64_C(1) << bits) < count)
        ++bits;
    bijection.right_bits = bits / 2;
    bijection.left_bits = bits - bijection.right_bits;
    for (int round = 0; round < WEFT_BIJECTION_ROUNDS; ++round)
        bijection.keys[round] = (uint32_t)weft_rng_next(&rng);
    return bijection;
}
