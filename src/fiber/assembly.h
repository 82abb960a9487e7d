/* SPDX-License-Identifier: MIT */
/* What the two assembly files share: symbols, sections, the offsets of struct weft_fiber_context_.
 */
#ifndef WEFT_FIBER_ASSEMBLY_H
#define WEFT_FIBER_ASSEMBLY_H

#define CONTEXT_STACK_POINTER 0
#define CONTEXT_RESUME_ADDRESS 8
#define CONTEXT_FRAME_POINTER 16
#define CONTEXT_BASE_POINTER 24

#ifdef __ASSEMBLER__
/* clang-format off */
#ifdef __APPLE__
#define SYMBOL(name) _##name
#define FUNCTION(name) .globl SYMBOL(name); .private_extern SYMBOL(name); .p2align 6; SYMBOL(name):
#define END(name)
#else
#define SYMBOL(name) name
#define FUNCTION(name) .globl name; .hidden name; .type name, %function; .p2align 6; name:
#define END(name) .size name, .-name
.section .note.GNU-stack, "", %progbits

/* The one feature of GNU_PROPERTY_<processor>_FEATURE_1_AND that this code has: landing pads. User
 * shadow stacks are left out on purpose, so that no program with fibers in it gets one. */
#define GNU_PROPERTY_NOTE(type)                                                                    \
    .section .note.gnu.property, "a", %note;                                                       \
    .p2align 3;                                                                                    \
    .long 4, 16, 5;                                                                                \
    .asciz "GNU";                                                                                  \
    .long type, 4, 1, 0
#endif
/* clang-format on */
#endif
#endif
