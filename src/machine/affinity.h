/* SPDX-License-Identifier: MIT */
/* The processors that this process may use, and in which order weft takes them. */
#ifndef WEFT_MACHINE_AFFINITY_H
#define WEFT_MACHINE_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>

/* Processors of the calling thread's allowed mask, in the order in which a team takes them: one
 * hardware thread of every core first, the highest-numbered core first (interrupts tend to be
 * served on the lowest), then the second hardware threads, and so on. Writes at most `capacity`
 * numbers to `cpus` (may be NULL when `capacity` is 0) and returns how many there are in all; 0
 * when the system does not tell. */
size_t weft_affinity_order(int *cpus, size_t capacity);

/* Whether `cpu` is in the calling thread's allowed mask; true when the system does not tell. */
bool weft_affinity_allows(int cpu);

#endif
