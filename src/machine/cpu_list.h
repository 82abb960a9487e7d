/* SPDX-License-Identifier: MIT */
/* Lists of processors and nodes as the kernel writes them: "0-3,8,10-11". */
#ifndef WEFT_MACHINE_CPU_LIST_H
#define WEFT_MACHINE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the next range off the list's front, first and last number included. False at the end and
 * before anything that is no range. */
bool weft_cpu_list_next(const char **list, int *first, int *last);

/* How many numbers the list has; 0 when it is malformed. */
unsigned weft_cpu_list_count(const char *list);

/* Writes `cpus[count]`, ascending, as such a list. False when it does not fit or `count` is 0. */
bool weft_cpu_list_write(char *list, size_t capacity, const int *cpus, size_t count);

#endif
