/* SPDX-License-Identifier: MIT */
/* Keyed bijections on [0, n): a random order that needs no array.
 *
 * A permutation of n values as a shuffled array costs n words and, beyond the cache, a cache miss
 * per value. These are evaluated instead, in either direction, in a few nanoseconds: a Feistel
 * network over just enough bits to hold n - 1, applied again while the value is outside [0, n)
 * (cycle walking; Black, Rogaway: Ciphers with arbitrary finite domains, CT-RSA 2002). The two
 * halves may differ by one bit, so the domain is below 2 * n and a value takes fewer than two
 * rounds of walking on average. It is a scatter, not a cipher: what is guaranteed is that it is
 * one-to-one, the same everywhere for the same key, and that neighbours land far apart. */
#ifndef WEFT_BASE_BIJECTION_H
#define WEFT_BASE_BIJECTION_H

#include <stdint.h>

enum {
    WEFT_BIJECTION_ROUNDS = 6 /* even: each half is scattered three times */
};

struct weft_bijection {
    uint64_t count; /* n */
    unsigned left_bits;
    unsigned right_bits;
    uint32_t keys[WEFT_BIJECTION_ROUNDS];
};

/* A bijection on [0, count), 1 <= count <= 2^62, chosen by `key`. */
struct weft_bijection weft_bijection_make(uint64_t count, uint64_t key);

/* The high `bits` bits of a product by 2^32 / phi (multiplicative hashing; Knuth, The Art of
 * Computer Programming 3, 6.4): what one half is scattered by. */
static inline uint32_t weft_bijection_scatter_(const uint32_t half, const uint32_t key,
                                               const unsigned bits)
{
    return bits == 0 ? 0 : (half ^ key) * UINT32_C(0x9e3779b1) >> (32 - bits);
}

static inline uint64_t weft_bijection_network_(const struct weft_bijection *const bijection,
                                               const uint64_t value)
{
    const unsigned left_bits = bijection->left_bits;
    const unsigned right_bits = bijection->right_bits;
    uint32_t right = (uint32_t)(value & ((UINT64_C(1) << right_bits) - 1));
    uint32_t left = (uint32_t)(value >> right_bits);

    for (int round = 0; round < WEFT_BIJECTION_ROUNDS; round += 2) {
        left ^= weft_bijection_scatter_(right, bijection->keys[round], left_bits);
        right ^= weft_bijection_scatter_(left, bijection->keys[round + 1], right_bits);
    }
    return (uint64_t)left << right_bits | right;
}

static inline uint64_t weft_bijection_network_back_(const struct weft_bijection *const bijection,
                                                    const uint64_t value)
{
    const unsigned left_bits = bijection->left_bits;
    const unsigned right_bits = bijection->right_bits;
    uint32_t right = (uint32_t)(value & ((UINT64_C(1) << right_bits) - 1));
    uint32_t left = (uint32_t)(value >> right_bits);

    for (int round = WEFT_BIJECTION_ROUNDS; round > 0; round -= 2) {
        right ^= weft_bijection_scatter_(left, bijection->keys[round - 1], right_bits);
        left ^= weft_bijection_scatter_(right, bijection->keys[round - 2], left_bits);
    }
    return (uint64_t)left << right_bits | right;
}

/* Where `value`, of [0, count), goes. */
static inline uint64_t weft_bijection_apply(const struct weft_bijection *const bijection,
                                            uint64_t value)
{
    do
        value = weft_bijection_network_(bijection, value);
    while (value >= bijection->count);
    return value;
}

/* The value that weft_bijection_apply() takes to `image`, of [0, count). */
static inline uint64_t weft_bijection_invert(const struct weft_bijection *const bijection,
                                             uint64_t image)
{
    do
        image = weft_bijection_network_back_(bijection, image);
    while (image >= bijection->count);
    return image;
}

#endif
