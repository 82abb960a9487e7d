/* SPDX-License-Identifier: MIT */
/* The out-of-line switch for AArch64 (AAPCS64).
 *
 * Registers over weft_fiber_swap_(from, to):
 *
 *     x0 x1                     from, to
 *     sp pc x29 x19             into *from, out of *to (offsets 0 8 16 24)
 *     x20-x28 x30 d8-d15        on the stack of the side that is left:
 *
 *         sp + 0        16       32       48       64       80     96       112      128
 *           x20 x21  x22 x23  x24 x25  x26 x27  x28 x30  d8 d9  d10 d11  d12 d13  d14 d15
 *
 *     x18                       the platform's: neither read nor written
 *     FPCR                      the caller switches it where it is private
 *     all others                not preserved by a call
 */
#include "fiber/assembly.h"

    .text

/* enum weft_status weft_fiber_swap_(from, to): WEFT_OK, which is 0, on coming back. */
FUNCTION(weft_fiber_swap_)
    .cfi_startproc
    hint    #34 /* bti c */
    sub     sp, sp, #144
    .cfi_def_cfa_offset 144
    stp     x20, x21, [sp, #0]
    stp     x22, x23, [sp, #16]
    stp     x24, x25, [sp, #32]
    stp     x26, x27, [sp, #48]
    stp     x28, x30, [sp, #64]
    stp     d8, d9, [sp, #80]
    stp     d10, d11, [sp, #96]
    stp     d12, d13, [sp, #112]
    stp     d14, d15, [sp, #128]
    .cfi_offset x20, -144
    .cfi_offset x21, -136
    .cfi_offset x22, -128
    .cfi_offset x23, -120
    .cfi_offset x24, -112
    .cfi_offset x25, -104
    .cfi_offset x26, -96
    .cfi_offset x27, -88
    .cfi_offset x28, -80
    .cfi_offset x30, -72
    .cfi_offset 72, -64 /* d8 */
    .cfi_offset 73, -56
    .cfi_offset 74, -48
    .cfi_offset 75, -40
    .cfi_offset 76, -32
    .cfi_offset 77, -24
    .cfi_offset 78, -16
    .cfi_offset 79, -8
    adr     x2, .Lresumed
    mov     x3, sp
    stp     x3, x2, [x0, #CONTEXT_STACK_POINTER]
    stp     x29, x19, [x0, #CONTEXT_FRAME_POINTER]
    ldp     x3, x2, [x1, #CONTEXT_STACK_POINTER]
    ldp     x29, x19, [x1, #CONTEXT_FRAME_POINTER]
    mov     sp, x3
    br      x2
.Lresumed:
    hint    #36 /* bti j */
    ldp     x20, x21, [sp, #0]
    ldp     x22, x23, [sp, #16]
    ldp     x24, x25, [sp, #32]
    ldp     x26, x27, [sp, #48]
    ldp     x28, x30, [sp, #64]
    ldp     d8, d9, [sp, #80]
    ldp     d10, d11, [sp, #96]
    ldp     d12, d13, [sp, #112]
    ldp     d14, d15, [sp, #128]
    add     sp, sp, #144
    .cfi_def_cfa_offset 0
    .cfi_restore x30
    mov     w0, #0
    /* A br would need a landing pad behind every call of the caller's. */
    ret
    .cfi_endproc
END(weft_fiber_swap_)

/* The first resume address of a fiber, with its function in x19 and x29 0. An undefined return
 * address ends unwinding and backtraces here. */
FUNCTION(weft_fiber_start_)
    .cfi_startproc
    .cfi_undefined x30
    hint    #36 /* bti j */
    mov     x0, x19
    bl      SYMBOL(weft_fiber_main_)
    brk     #1
    .cfi_endproc
END(weft_fiber_start_)

#ifdef __ELF__
    GNU_PROPERTY_NOTE(0xc0000000)
#endif
