/* SPDX-License-Identifier: MIT */
/* User shadow stacks: the processor's own copy of the return addresses. */
#ifndef WEFT_FIBER_SHADOW_STACK_H
#define WEFT_FIBER_SHADOW_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* True if the calling thread has one. Both instructions do nothing where there is none. */
static inline bool weft_fiber_shadow_stack_is_on(void)
{
#if defined(__x86_64__)
    uint64_t pointer = 0;

    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
#elif defined(__aarch64__)
    /* chkfeat x16: clears the bits of the features that are on; bit 0 is the guarded stack. */
    register uint64_t features __asm__("x16") = 1;

    __asm__ volatile("hint #40" : "+r"(features));
    return features == 0;
#endif
}

#endif
