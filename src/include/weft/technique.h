/* SPDX-License-Identifier: MIT */
/* The techniques: how many independent lookups are spread over one thread's time.
 *
 * Each technique is an always-inline driver over a `const` struct of the caller's functions. Give
 * it a constant struct and a constant hint, and the compiler inlines the functions into the loop;
 * what is left is the code one would have written by hand for that lookup.
 *
 * A lookup comes in two forms:
 *
 * - straight: an ordinary function that calls `await(address, argument)` before each read of cold
 *   memory. It serves weft_scalar() and weft_scalar_prefetch(), and fibers;
 * - start/step: a state machine in a frame of `frame_bytes` bytes. `start` puts lookup number
 *   `index` into the frame and returns the address it touches first (NULL is allowed: the lookup
 *   loses a turn). `step`, called once that address has had time to arrive, does the work up to
 *   the next cold read and returns its address, or NULL once the lookup has ended and has stored
 *   its result. It serves every technique, whatever the lookups' lengths.
 *
 * Frames are plain data and hold no pointer into themselves: a technique may move one between two
 * calls. Lookups must not depend on each other. Every driver takes any `count`, 0 included, and
 * any `group` >= 1, and runs each lookup exactly once; which lookups are in flight together is the
 * technique's business. */
#ifndef WEFT_TECHNIQUE_H
#define WEFT_TECHNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "weft/prefetch.h"

/* Called by a straight lookup with the address it is about to read. */
typedef void weft_await_fn(const void *address, void *argument);

/* Runs lookup number `index` from begin to end and stores its result. */
typedef void weft_straight_fn(void *context, size_t index, weft_await_fn *await, void *argument);

struct weft_lookup {
    size_t frame_bytes;
    const void *(*start)(void *context, void *frame, size_t index);
    const void *(*step)(void *context, void *frame);
    /* Where every lookup takes the same number of steps, `step` in two parts that need not test
     * for the end; else both NULL. `hop`: any step but the last. `finish`: the last one. */
    const void *(*hop)(void *context, void *frame);
    void (*finish)(void *context, void *frame);
};

/* Bytes of frames that any driver needs for `group` lookups in flight, aligned as a frame must be:
 * the frames and, without lookup->hop, one flag for each (weft_spp()). */
WEFT_ALWAYS_INLINE size_t weft_frames_bytes(const struct weft_lookup *const lookup,
                                            const size_t group)
{
    return (lookup->frame_bytes + (lookup->hop ? 0 : 1)) * group;
}

WEFT_ALWAYS_INLINE void *weft_frame_at(const struct weft_lookup *const lookup, void *const frames,
                                       const size_t slot)
{
    return (char *)frames + slot * lookup->frame_bytes;
}

static inline void weft_await_nothing(const void *const address, void *const argument)
{
    (void)address;
    (void)argument;
}

/* One lookup after the other: the baseline. The processor overlaps what fits its window. */
WEFT_ALWAYS_INLINE void weft_scalar(weft_straight_fn *const straight, void *const context,
                                    const size_t count)
{
    WEFT_NO_UNROLL
    for (size_t i = 0; i < count; ++i)
        straight(context, i, weft_await_nothing, NULL);
}

/* `argument` points to the hint. */
static inline void weft_await_prefetch_(const void *const address, void *const argument)
{
    weft_prefetch(address, *(const enum weft_hint *)argument);
}

/* weft_scalar() with a prefetch right before each read: a prefetch without distance. */
WEFT_ALWAYS_INLINE void weft_scalar_prefetch(weft_straight_fn *const straight, void *const context,
                                             const size_t count, enum weft_hint hint)
{
    WEFT_NO_UNROLL
    for (size_t i = 0; i < count; ++i)
        straight(context, i, weft_await_prefetch_, &hint);
}

/* weft_scalar_prefetch() of the start/step form: each lookup is stepped to its end before the next
 * one starts. `frame` holds one frame. */
WEFT_ALWAYS_INLINE void weft_scalar_prefetch_steps(const struct weft_lookup *const lookup,
                                                   void *const context, const size_t count,
                                                   const enum weft_hint hint, void *const frame)
{
    WEFT_NO_UNROLL
    for (size_t i = 0; i < count; ++i) {
        const void *address = lookup->start(context, frame, i);

        WEFT_NO_UNROLL
        do {
            weft_prefetch(address, hint);
            address = lookup->step(context, frame);
        } while (address);
    }
}

/* weft_scalar() of the start/step form. */
WEFT_ALWAYS_INLINE void weft_scalar_steps(const struct weft_lookup *const lookup,
                                          void *const context, const size_t count,
                                          void *const frame)
{
    weft_scalar_prefetch_steps(lookup, context, count, WEFT_HINT_NONE, frame);
}

/* Asynchronous memory access chaining: a ring of `group` independent state machines; a lookup that
 * ends is replaced in the same turn (Kocberber, Falsafi, Grot: Asynchronous memory access
 * chaining, PVLDB 9(4), 2015). */
WEFT_ALWAYS_INLINE void weft_amac(const struct weft_lookup *const lookup, void *const context,
                                  const size_t count, const size_t group, const enum weft_hint hint,
                                  void *const frames)
{
    size_t live = group < count ? group : count;
    size_t next = live;
    char *const begin = (char *)frames;
    char *frame = begin;
    char *end = begin + live * lookup->frame_bytes;

    WEFT_NO_UNROLL
    for (size_t i = 0; i < live; ++i)
        weft_prefetch(lookup->start(context, weft_frame_at(lookup, frames, i), i), hint);
    WEFT_NO_UNROLL
    while (end != begin) {
        const void *address = lookup->step(context, frame);

        if (WEFT_UNLIKELY(!address)) {
            if (next < count) {
                address = lookup->start(context, frame, next++);
            } else { /* the last frame takes the place; it is stepped at once */
                end -= lookup->frame_bytes;
                if (frame == end)
                    frame = begin;
                else
                    memcpy(frame, end, lookup->frame_bytes);
                continue;
            }
        }
        weft_prefetch(address, hint);
        frame += lookup->frame_bytes;
        if (frame == end)
            frame = begin;
    }
}

/* One static group: all are started, then stepped in lock-step until the last has ended. */
WEFT_ALWAYS_INLINE void weft_gp_ragged_(const struct weft_lookup *const lookup, void *const context,
                                        size_t live, const enum weft_hint hint, void *const frames)
{
    WEFT_NO_UNROLL
    while (live > 0) {
        WEFT_NO_UNROLL
        for (size_t i = 0; i < live;) {
            const void *const address = lookup->step(context, weft_frame_at(lookup, frames, i));

            if (address) {
                weft_prefetch(address, hint);
                ++i;
            } else if (i < --live) {
                memcpy(weft_frame_at(lookup, frames, i), weft_frame_at(lookup, frames, live),
                       lookup->frame_bytes);
            }
        }
    }
}

/* Group prefetching: groups of `group` lookups, each group stepped in lock-step, the next one
 * begun when the last lookup has ended (Chen, Ailamaki, Gibbons, Mowry: Improving hash join
 * performance through prefetching, ICDE 2004). With lookup->hop, every lookup takes exactly
 * `hops` >= 1 steps and no step tests for the end; without it, `hops` is not looked at. */
WEFT_ALWAYS_INLINE void weft_gp(const struct weft_lookup *const lookup, void *const context,
                                const size_t count, const size_t group, const size_t hops,
                                const enum weft_hint hint, void *const frames)
{
    WEFT_NO_UNROLL
    for (size_t first = 0; first < count; first += group) {
        const size_t live = count - first < group ? count - first : group;

        WEFT_NO_UNROLL
        for (size_t i = 0; i < live; ++i)
            weft_prefetch(lookup->start(context, weft_frame_at(lookup, frames, i), first + i),
                          hint);
        if (!lookup->hop) {
            weft_gp_ragged_(lookup, context, live, hint, frames);
            continue;
        }
        WEFT_NO_UNROLL
        for (size_t hop = 1; hop < hops; ++hop) {
            WEFT_NO_UNROLL
            for (size_t i = 0; i < live; ++i)
                weft_prefetch(lookup->hop(context, weft_frame_at(lookup, frames, i)), hint);
        }
        WEFT_NO_UNROLL
        for (size_t i = 0; i < live; ++i)
            lookup->finish(context, weft_frame_at(lookup, frames, i));
    }
}

/* Behind the frames: whether a slot's lookup has ended before its turns were over. */
WEFT_ALWAYS_INLINE bool *weft_spp_ended_(const struct weft_lookup *const lookup, void *const frames,
                                         const size_t group, const size_t slot)
{
    return (bool *)weft_frame_at(lookup, frames, group) + slot;
}

WEFT_ALWAYS_INLINE void weft_spp_start_(const struct weft_lookup *const lookup, void *const context,
                                        const size_t index, const size_t group, const size_t slot,
                                        const enum weft_hint hint, void *const frames)
{
    if (!lookup->hop)
        *weft_spp_ended_(lookup, frames, group, slot) = false;
    weft_prefetch(lookup->start(context, weft_frame_at(lookup, frames, slot), index), hint);
}

WEFT_ALWAYS_INLINE void weft_spp_hop_(const struct weft_lookup *const lookup, void *const context,
                                      const size_t group, const size_t slot,
                                      const enum weft_hint hint, void *const frames)
{
    const void *address;

    if (lookup->hop) {
        address = lookup->hop(context, weft_frame_at(lookup, frames, slot));
    } else {
        if (*weft_spp_ended_(lookup, frames, group, slot))
            return;
        address = lookup->step(context, weft_frame_at(lookup, frames, slot));
        *weft_spp_ended_(lookup, frames, group, slot) = !address;
    }
    weft_prefetch(address, hint);
}

WEFT_ALWAYS_INLINE void weft_spp_finish_(const struct weft_lookup *const lookup,
                                         void *const context, const size_t group, const size_t slot,
                                         void *const frames)
{
    if (lookup->hop) {
        lookup->finish(context, weft_frame_at(lookup, frames, slot));
    } else if (!*weft_spp_ended_(lookup, frames, group, slot)) {
        WEFT_NO_UNROLL
        while (lookup->step(context, weft_frame_at(lookup, frames, slot)))
            ;
    }
}

/* Software-pipelined prefetching: slot j of `group` runs floor(j * hops / group) hops behind slot
 * 0, one hop per turn; a slot is given its next lookup in the turn in which its last one ends
 * (after Chen et al., as above, with the pipeline's width free of its depth). Which slots end in a
 * turn is arithmetic.
 *
 * With lookup->hop, every lookup takes exactly `hops` >= 1 steps, and no lookup's state is tested.
 * Without it, `hops` >= 1 is the length to expect, and changes no result: a lookup that ends early
 * leaves its slot empty until its `hops` turns are over, and one that has not ended by then is
 * stepped to its end in a plain loop. */
WEFT_ALWAYS_INLINE void weft_spp(const struct weft_lookup *const lookup, void *const context,
                                 const size_t count, const size_t group, const size_t hops,
                                 const enum weft_hint hint, void *const frames)
{
    const size_t quotient = group / hops;
    const size_t rest = group % hops;
    size_t next = 0;       /* the next lookup to start */
    size_t limit = group;  /* slots from here on are given no further lookup */
    bool filling = true;   /* slots from `low` on have had no lookup yet */
    bool draining = false; /* slots below `low` have no lookup any more */

    /* phase * group == floor * hops + excess, kept up without a division */
    for (size_t phase = 0, low = 0, floor = 0, excess = 0; count > 0 && !(draining && low >= limit);
         ++phase) {
        if (phase == hops) {
            phase = low = floor = excess = 0;
            filling = false;
            draining = next == count;
        }
        floor += quotient;
        excess += rest;
        if (excess >= hops) {
            excess -= hops;
            ++floor;
        }
        /* slots [low, high) end and start in this turn, the others hop */
        const size_t high = floor + (excess > 0);
        const size_t last = filling ? low : draining ? limit : group;
        size_t hop_from = draining ? low : 0;
        size_t hop_to = low < limit ? low : limit;

        WEFT_NO_UNROLL
        for (int side = 0; side < 2; ++side) {
            WEFT_NO_UNROLL
            for (size_t slot = hop_from; slot < hop_to; ++slot)
                weft_spp_hop_(lookup, context, group, slot, hint, frames);
            if (side == 1)
                break;
            WEFT_NO_UNROLL
            for (size_t slot = low; slot < high && slot < last; ++slot)
                weft_spp_finish_(lookup, context, group, slot, frames);
            if (next < count) {
                size_t slot = low;

                WEFT_NO_UNROLL
                for (; slot < high && next < count; ++slot)
                    weft_spp_start_(lookup, context, next++, group, slot, hint, frames);
                if (next == count)
                    limit = slot;
            }
            hop_from = high;
            hop_to = last;
        }
        low = high;
    }
}

#endif
