/* SPDX-License-Identifier: MIT */
/* Which pages an arena really obtained. */
#ifndef WEFT_MEMORY_RESIDENCY_H
#define WEFT_MEMORY_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/arena.h"

/* An arena below this share of the pages asked for is not what its cell's name says. */
#define WEFT_RESIDENCY_SHARE_MIN 0.95

struct weft_residency {
    bool known; /* false: nothing is resident, or the system does not tell or tells wrongly */
    size_t page_bytes; /* the page size that most of the arena lies in */
    double share;      /* of the resident bytes, those in pages of the kind asked for; 0 to 1 */
};

/* Reads the maps of the process; call it after the arena's pages were touched, off the clock. */
struct weft_residency weft_residency_read(const struct weft_arena *arena);

#endif
