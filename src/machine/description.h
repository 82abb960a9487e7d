/* SPDX-License-Identifier: MIT */
/* The machine and its condition, as key and value: what a run's results are recorded with. */
#ifndef WEFT_MACHINE_DESCRIPTION_H
#define WEFT_MACHINE_DESCRIPTION_H

/* Calls entry(key, value, argument) for every fact, in a fixed order. Keys are lower_snake_case
 * without prefix; what the machine does not tell has the value "unknown". Both strings live until
 * entry returns. */
void weft_machine_describe(void (*entry)(const char *key, const char *value, void *argument),
                           void *argument);

#endif
