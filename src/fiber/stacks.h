/* SPDX-License-Identifier: MIT */
/* The memory of fibers: one mapping, cut into slots of a guard page, a stack that grows down to it,
 * a control block on top of the stack, and an offset above that differs from slot to slot. */
#ifndef WEFT_FIBER_STACKS_H
#define WEFT_FIBER_STACKS_H

#include <stdbool.h>

#include "fiber/hooks.h"

struct weft_fiber_pool {
    uintptr_t owner;           /* the suspended_link of the thread it belongs to */
    struct weft_fiber *unused; /* given back, linked by `argument`, the warmest first */
    char *mapping;
    size_t mapping_bytes;
    size_t page_bytes;
    size_t slot_bytes;
    size_t stack_bytes; /* usable in every slot, whatever its offset */
    size_t capacity;
    size_t count;           /* fibers in it */
    size_t cut;             /* slots that were ever used */
    unsigned *valgrind_ids; /* per slot, only under Valgrind */
    bool light_guards;
};

/* Takes a control block with the stack below it. Errors: WEFT_E_NOMEM, WEFT_E_SYSTEM. */
enum weft_status weft_fiber_stack_take(struct weft_fiber_pool *pool,
                                       struct weft_fiber_control **control);

void weft_fiber_stack_give_back(struct weft_fiber *fiber);

/* The lowest usable byte of the fiber's stack; the highest lies below the fiber itself. */
const void *weft_fiber_stack_bottom(const struct weft_fiber *fiber);

#endif
