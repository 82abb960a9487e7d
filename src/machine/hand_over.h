/* SPDX-License-Identifier: MIT */
/* Two kernel threads that hand a turn to each other through a futex: what fibers are compared
 * with. */
#ifndef WEFT_MACHINE_HAND_OVER_H
#define WEFT_MACHINE_HAND_OVER_H

#include <stdint.h>

#include "weft/status.h"

struct weft_hand_over;

/* Starts the second thread, on the processors that the calling thread may use: pin the caller and
 * both share one processor, so that a hand-over is a context switch and nothing else.
 * Errors: WEFT_E_NOMEM, WEFT_E_SYSTEM (errno says why), WEFT_E_UNSUPPORTED (no futexes here). */
enum weft_status weft_hand_over_create(struct weft_hand_over **pair);

/* Hands the turn to the second thread, which hands it back, `rounds` times: two switches each.
 * Returns how many turns the second thread has had since it was created. */
uint64_t weft_hand_over_run(struct weft_hand_over *pair, uint64_t rounds);

/* NULL is allowed. */
void weft_hand_over_destroy(struct weft_hand_over *pair);

#endif
