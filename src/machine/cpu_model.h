/* SPDX-License-Identifier: MIT */
/* Which processor this is. Text is cut to `capacity` - 1 bytes; false, with nothing written, when
 * the machine does not tell. */
#ifndef WEFT_MACHINE_CPU_MODEL_H
#define WEFT_MACHINE_CPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name that the maker sells it under, or, on AArch64, that of the core: "Arm Neoverse-N1". */
bool weft_cpu_model(char *text, size_t capacity);

/* What tells it from others of the same name: family, model and stepping, or MIDR_EL1. */
bool weft_cpu_id(char *text, size_t capacity);

/* Maker and core of an AArch64 processor from its main identification register; parts that are not
 * known by name keep their number. */
void weft_midr_name(char *text, size_t capacity, uint64_t midr);

#endif
