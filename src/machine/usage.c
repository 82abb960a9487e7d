/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include "machine/usage.h"

#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

#ifdef RUSAGE_THREAD
#define WEFT_RUSAGE RUSAGE_THREAD
#else
#define WEFT_RUSAGE RUSAGE_SELF /* the whole process: an upper bound */
#endif

struct weft_usage weft_usage_read(void)
{
    struct weft_usage usage = {.wall_ns = weft_clock_ns()};
    struct timespec cpu;
    struct rusage counts;

    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
        usage.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    if (getrusage(WEFT_RUSAGE, &counts) == 0) {
        usage.involuntary_switches = (uint64_t)counts.ru_nivcsw;
        usage.minor_faults = (uint64_t)counts.ru_minflt;
    }
    return usage;
}
