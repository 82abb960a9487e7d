/* SPDX-License-Identifier: MIT */
/* The README's example on a small table: what is in it is found, what is not gives 0. */
#include <stdio.h>

#include "hash_probe.c"

enum {
    NODES = 1000,
    SHIFT = 64 - 8 /* 256 buckets */
};

int main(void)
{
    static struct node nodes[NODES], *buckets[256];
    static uint64_t keys[2 * NODES], values[2 * NODES];
    struct probe probe = {keys, values, 2 * NODES, SHIFT, buckets};
    int wrong = 0;

    for (uint64_t i = 0; i < NODES; ++i) {
        struct node **const bucket = &buckets[i * 0x9e3779b97f4a7c15u >> SHIFT];

        nodes[i].key = i;
        nodes[i].value = 3 * i + 1;
        nodes[i].next = *bucket;
        *bucket = &nodes[i];
    }
    for (uint64_t i = 0; i < 2 * NODES; ++i)
        keys[i] = 2 * NODES - 1 - i;
    if (probe_all(&probe) != WEFT_OK)
        return 2;
    for (uint64_t i = 0; i < 2 * NODES; ++i)
        wrong += values[i] != (keys[i] < NODES ? 3 * keys[i] + 1 : 0);
    printf("%d wrong values\n", wrong);
    return wrong > 0;
}
