/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif
#include "machine/hand_over.h"

#ifdef __linux__

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum turn {
    TURN_FIRST,
    TURN_SECOND,
    TURN_QUIT,
};

struct weft_hand_over {
    _Alignas(64) atomic_uint turn; /* enum turn: whose it is */
    uint64_t turns;                /* the second thread's */
    pthread_t second;
};

static void wait_while(atomic_uint *const turn, const unsigned value)
{
    while (atomic_load_explicit(turn, memory_order_acquire) == value)
        syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void give(atomic_uint *const turn, const unsigned value)
{
    atomic_store_explicit(turn, value, memory_order_release);
    syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *second_main(void *const argument)
{
    struct weft_hand_over *const pair = argument;

    for (;;) {
        wait_while(&pair->turn, TURN_FIRST);
        if (atomic_load_explicit(&pair->turn, memory_order_acquire) == TURN_QUIT)
            return NULL;
        pair->turns++;
        give(&pair->turn, TURN_FIRST);
    }
}

enum weft_status weft_hand_over_create(struct weft_hand_over **const result)
{
    struct weft_hand_over *const pair = aligned_alloc(64, sizeof(*pair));

    if (!pair)
        return WEFT_E_NOMEM;
    atomic_init(&pair->turn, TURN_FIRST);
    pair->turns = 0;
    const int error = pthread_create(&pair->second, NULL, second_main, pair);
    if (error) {
        free(pair);
        errno = error;
        return WEFT_E_SYSTEM;
    }
    *result = pair;
    return WEFT_OK;
}

uint64_t weft_hand_over_run(struct weft_hand_over *const pair, const uint64_t rounds)
{
    for (uint64_t round = 0; round < rounds; ++round) {
        give(&pair->turn, TURN_SECOND);
        wait_while(&pair->turn, TURN_SECOND);
    }
    return pair->turns;
}

void weft_hand_over_destroy(struct weft_hand_over *const pair)
{
    if (!pair)
        return;
    give(&pair->turn, TURN_QUIT);
    pthread_join(pair->second, NULL);
    free(pair);
}

#else

#include <stddef.h>

enum weft_status weft_hand_over_create(struct weft_hand_over **const pair)
{
    *pair = NULL;
    return WEFT_E_UNSUPPORTED;
}

uint64_t weft_hand_over_run(struct weft_hand_over *const pair, const uint64_t rounds)
{
    (void)pair;
    (void)rounds;
    return 0;
}

void weft_hand_over_destroy(struct weft_hand_over *const pair)
{
    (void)pair;
}

#endif
