/* SPDX-License-Identifier: MIT */
/* The clock of every measurement. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of the raw monotonic clock: not slewed, comparable between threads. */
uint64_t weft_clock_ns(void);

#endif
