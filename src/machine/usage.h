/* SPDX-License-Identifier: MIT */
/* What the operating system did to the calling thread: the interference with a measurement. */
#ifndef WEFT_MACHINE_USAGE_H
#define WEFT_MACHINE_USAGE_H

#include <stdint.h>

struct weft_usage {
    uint64_t wall_ns;              /* weft_clock_ns() when it was read */
    uint64_t cpu_ns;               /* processor time of the thread */
    uint64_t involuntary_switches; /* times it was made to give its processor up */
    uint64_t minor_faults;
};

/* Counts since the thread began; take differences. */
struct weft_usage weft_usage_read(void);

#endif
