/* SPDX-License-Identifier: MIT */
/* The out-of-line switch for x86-64 (System V).
 *
 * Registers over weft_fiber_swap_(from, to):
 *
 *     rdi rsi                   from, to
 *     rsp rip rbp rbx           into *from, out of *to (offsets 0 8 16 24)
 *     r12 r13 r14 r15           on the stack of the side that is left:
 *
 *         rsp + 0    8    16    24    32
 *             r15   r14   r13   r12   return address
 *
 *     MXCSR, x87 control word   the caller switches them where they are private
 *     all others                not preserved by a call
 */
#include "fiber/assembly.h"

    .text

/* enum weft_status weft_fiber_swap_(from, to): WEFT_OK, which is 0, on coming back. */
FUNCTION(weft_fiber_swap_)
    .cfi_startproc
    endbr64
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    leaq    .Lresumed(%rip), %rax
    movq    %rsp, CONTEXT_STACK_POINTER(%rdi)
    movq    %rax, CONTEXT_RESUME_ADDRESS(%rdi)
    movq    %rbp, CONTEXT_FRAME_POINTER(%rdi)
    movq    %rbx, CONTEXT_BASE_POINTER(%rdi)
    movq    CONTEXT_RESUME_ADDRESS(%rsi), %rcx
    movq    CONTEXT_STACK_POINTER(%rsi), %rsp
    movq    CONTEXT_FRAME_POINTER(%rsi), %rbp
    movq    CONTEXT_BASE_POINTER(%rsi), %rbx
    /* The other side mostly came through here too: then the jump to the common code is spared. */
    cmpq    %rax, %rcx
    jne     .Lelsewhere
.Lrestore:
    popq    %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq    %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq    %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq    %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register %rip, %rcx
    xorl    %eax, %eax
    /* Not a ret: the return stack buffer predicts the side that is left. */
    notrack jmp *%rcx
    .cfi_endproc
END(weft_fiber_swap_)

/* Where a context of this file goes on when the other side switches to it; a label of its own for
 * the unwinder, as the code above it jumps elsewhere. */
FUNCTION(weft_fiber_swap_tail_)
    .cfi_startproc
    .cfi_def_cfa %rsp, 40
    .cfi_offset %r12, -16
    .cfi_offset %r13, -24
    .cfi_offset %r14, -32
    .cfi_offset %r15, -40
.Lelsewhere:
    jmp     *%rcx
.Lresumed:
    endbr64
    jmp     .Lrestore
    .cfi_endproc
END(weft_fiber_swap_tail_)

/* The first resume address of a fiber, with its function in rbx and rbp 0. An undefined return
 * address ends unwinding and backtraces here. */
FUNCTION(weft_fiber_start_)
    .cfi_startproc
    .cfi_undefined %rip
    endbr64
    movq    %rbx, %rdi
    call    SYMBOL(weft_fiber_main_)
    ud2
    .cfi_endproc
END(weft_fiber_start_)

#ifdef __ELF__
    GNU_PROPERTY_NOTE(0xc0000002)
#endif
