/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <weft/weft.h>

struct node {
    uint64_t key, value;
    struct node *next;
};
struct probe { /* values[i] becomes the value of keys[i], 0 if the table has none */
    uint64_t *keys, *values, count, shift;
    struct node **buckets;
};
struct lookup {
    struct weft_coro coro;
    size_t index;
    struct node **bucket, *node;
};
static enum weft_source pull(void *context, void *frame, size_t index)
{
    struct lookup lookup = {{0}, index, NULL, NULL};
    *(struct lookup *)frame = lookup;
    return index < ((struct probe *)context)->count ? WEFT_SOURCE_ITEM : WEFT_SOURCE_END;
}
static const void *resume(void *context, void *frame)
{
    struct probe *p = (struct probe *)context;
    struct lookup *l = (struct lookup *)frame;
    WEFT_CORO_BEGIN(&l->coro);
    WEFT_AWAIT(l->bucket = &p->buckets[p->keys[l->index] * 0x9e3779b97f4a7c15u >> p->shift]);
    WEFT_AWAIT(l->node = *l->bucket);
    while (l->node && l->node->key != p->keys[l->index])
        WEFT_AWAIT(l->node = l->node->next);
    p->values[l->index] = l->node ? l->node->value : 0;
    WEFT_CORO_END();
}
enum weft_status probe_all(struct probe *probe)
{
    static const struct weft_interleave_ops ops = {sizeof(struct lookup), pull, resume, NULL, NULL};
    char memory[WEFT_INTERLEAVE_BYTES(32, sizeof(struct lookup))];
    return weft_interleave_batch_inline(&ops, probe, 32, WEFT_HINT_T0, memory, sizeof(memory));
}
