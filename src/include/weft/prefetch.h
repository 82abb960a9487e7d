/* SPDX-License-Identifier: MIT */
/* One software prefetch, with its hint. */
#ifndef WEFT_PREFETCH_H
#define WEFT_PREFETCH_H

/* For what is called by name: inlined at every level of optimisation. */
#define WEFT_ALWAYS_INLINE static inline __attribute__((always_inline))

/* For what is handed over through a constant pointer. Below -O2 gcc does not see through those and
 * refuses to build what must be inlined; under WEFT_FLATTEN it needs no telling. Only it must not
 * make copies for some of the arguments first: it inlines the copies without what it then knows
 * (AMAC took 1.6 times as long in cache), or leaves them out of line. */
#if defined(__clang__)
#define WEFT_INLINE WEFT_ALWAYS_INLINE
#else
#define WEFT_INLINE static inline __attribute__((noclone))
#endif

/* Before a function that runs a technique: at -O2 and above everything is inlined into it, the
 * functions it hands over through constant pointers (WEFT_INLINE) too. */
#define WEFT_FLATTEN __attribute__((flatten))

#define WEFT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define WEFT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Before a loop whose body must exist once in the machine code. */
#if !defined(__OPTIMIZE__)
#define WEFT_NO_UNROLL
#elif defined(__clang__)
#define WEFT_NO_UNROLL _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define WEFT_NO_UNROLL _Pragma("GCC unroll 1")
#else
#define WEFT_NO_UNROLL
#endif

/* Where the line is to be put. x86-64 and AArch64 names of the same four hints. */
enum weft_hint {
    WEFT_HINT_NONE, /* no prefetch: the same code without the instruction */
    WEFT_HINT_T0,   /* prefetcht0,  prfm pldl1keep */
    WEFT_HINT_T1,   /* prefetcht1,  prfm pldl2keep */
    WEFT_HINT_T2,   /* prefetcht2,  prfm pldl3keep */
    WEFT_HINT_NTA,  /* prefetchnta, prfm pldl1strm */
    WEFT_HINT_COUNT,
};

/* Asks for the cache line of `address`; never faults, whatever the address. `hint` must be a
 * compile-time constant once inlined: a switch over it belongs outside the loop. */
WEFT_ALWAYS_INLINE void weft_prefetch(const void *const address, const enum weft_hint hint)
{
    switch (hint) {
    case WEFT_HINT_T0:
        __builtin_prefetch(address, 0, 3);
        break;
    case WEFT_HINT_T1:
        __builtin_prefetch(address, 0, 2);
        break;
    case WEFT_HINT_T2:
        __builtin_prefetch(address, 0, 1);
        break;
    case WEFT_HINT_NTA:
        __builtin_prefetch(address, 0, 0);
        break;
    case WEFT_HINT_NONE:
    case WEFT_HINT_COUNT:
        break;
    }
}

#endif
