/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

#ifdef CLOCK_MONOTONIC_RAW
#define WEFT_CLOCK CLOCK_MONOTONIC_RAW
#else
#define WEFT_CLOCK CLOCK_MONOTONIC
#endif

uint64_t weft_clock_ns(void)
{
    struct timespec now;

    clock_gettime(WEFT_CLOCK, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
