/* SPDX-License-Identifier: MIT */
/* Each MISUSE of weft/coro.h that must not compile; 0 is their correct neighbour. */
#include "weft/coro.h"

struct frame {
    struct weft_coro coro;
    const void *next;
};

const void *resume(struct frame *frame);

const void *resume(struct frame *const frame)
{
#if MISUSE == 1
    WEFT_AWAIT(frame);
#endif
    WEFT_CORO_BEGIN(&frame->coro);
#if MISUSE == 2
    /* clang-format off */
    WEFT_AWAIT(frame); WEFT_AWAIT(frame->next);
    /* clang-format on */
#elif MISUSE == 3
    const void *const next = frame->next;
    WEFT_AWAIT(next);
#else
    WEFT_AWAIT(frame->next);
#endif
#if MISUSE != 4
    WEFT_CORO_END();
#endif
}
