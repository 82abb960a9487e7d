/* SPDX-License-Identifier: MIT */
/* Stackless coroutines: a lookup written straight, that suspends where it reads cold memory.
 *
 *     struct find {
 *         struct weft_coro coro;
 *         const struct node *node; // every local that must live over an await is in the frame
 *         uint64_t key, *result;
 *     };
 *
 *     static const void *find_resume(void *context, void *frame)
 *     {
 *         struct find *const find = frame;
 *
 *         WEFT_CORO_BEGIN(&find->coro);
 *         while (find->node) {
 *             WEFT_AWAIT(find->node);
 *             if (find->node->key == find->key)
 *                 break;
 *             find->node = find->node->next;
 *         }
 *         *find->result = find->node ? find->node->value : 0;
 *         WEFT_CORO_END();
 *     }
 *
 * A resume function returns the address it waits for, or NULL once it has ended: the same form as
 * `step` of weft/technique.h. weft/interleave.h runs many of them on one thread.
 *
 * The mechanism is a switch over the line to continue at (Duff's device; Tatham: Coroutines in C,
 * 2000). So these do not compile:
 * - an await outside WEFT_CORO_BEGIN/END;
 * - two awaits on one line;
 * - in C++: a local that is initialised between WEFT_CORO_BEGIN and an await behind it, unless its
 *   scope has ended. What an await must keep belongs in the frame anyway.
 * These are up to the writer:
 * - a local that is not in the frame has no value after an await (compilers warn of most);
 * - an await inside a `switch` of the coroutine's own belongs to that switch: write `if`s. */
#ifndef WEFT_CORO_H
#define WEFT_CORO_H

#include <stddef.h>

#include "weft/prefetch.h"

/* Where a coroutine goes on. Zero it, or call weft_coro_init(), to start from the beginning; one
 * that has ended is started anew before it is resumed again. */
struct weft_coro {
    unsigned line;
};

WEFT_ALWAYS_INLINE void weft_coro_init(struct weft_coro *const coro)
{
    coro->line = 0;
}

/* Opens the body of a resume function; `coro` is a pointer to the frame's struct weft_coro. */
#define WEFT_CORO_BEGIN(coro)                                                                      \
    struct weft_coro *const weft_coro_self_ = (coro);                                              \
    switch (weft_coro_self_->line) {                                                               \
    case 0:

/* Closes it: the coroutine has ended. That no other line is ever resumed saves each resumption a
 * comparison: a seventh of what interleaving costs in cache. */
#define WEFT_CORO_END()                                                                            \
    break;                                                                                         \
    default:                                                                                       \
        __builtin_unreachable();                                                                   \
        }                                                                                          \
        return NULL

/* What a null address is awaited as, NULL being the end: any address will do, the frame's is warm.
 * A value, not a branch: the loop around the await would become two. */
WEFT_ALWAYS_INLINE const void *weft_coro_awaited_(const void *const address,
                                                  const struct weft_coro *const self)
{
    return address ? address : self;
}

/* Suspends until the cache line of `address` has had time to arrive. A null address may be
 * awaited: the lookup loses a turn.
 * In a loop that comes back to the same await an optimising compiler knows the line, and stores
 * nothing. */
#define WEFT_AWAIT(address)                                                                        \
    do {                                                                                           \
        if (weft_coro_self_->line != __LINE__)                                                     \
            weft_coro_self_->line = __LINE__;                                                      \
        return weft_coro_awaited_((address), weft_coro_self_);                                     \
    case __LINE__:;                                                                                \
    } while (0)

/* Runs another coroutine to its end inside this one: `resume` is a call of its resume function,
 * evaluated anew at every resumption; each of its awaits suspends this coroutine too. */
#define WEFT_AWAIT_CORO(resume)                                                                    \
    do {                                                                                           \
        WEFT_FALLTHROUGH_;                                                                         \
    case __LINE__:;                                                                                \
        const void *const weft_coro_address_ = (resume);                                           \
        if (weft_coro_address_) {                                                                  \
            weft_coro_self_->line = __LINE__;                                                      \
            return weft_coro_address_;                                                             \
        }                                                                                          \
    } while (0)

/* Ends the coroutine early. */
#define WEFT_CORO_RETURN() return NULL

#if defined(__cplusplus) && __cplusplus >= 201703L
#define WEFT_FALLTHROUGH_ [[fallthrough]]
#else
#define WEFT_FALLTHROUGH_ __attribute__((fallthrough))
#endif

#endif
