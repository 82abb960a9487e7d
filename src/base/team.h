/* SPDX-License-Identifier: MIT */
/* A team of pinned threads that do one piece of work together, over and over. The thread that
 * creates the team is worker 0; the others wait in between without using a processor. */
#ifndef WEFT_BASE_TEAM_H
#define WEFT_BASE_TEAM_H

#include "weft/status.h"

struct weft_barrier;
struct weft_team;

/* Creates `size` >= 1 workers. `cpus`, NULL or `size` processor numbers, says where each is pinned;
 * worker 0 is the calling thread, whose former mask comes back with weft_team_destroy().
 * Errors: WEFT_E_INVALID (size 0, a processor number out of range), WEFT_E_UNSUPPORTED (`cpus`
 * where threads cannot be pinned), WEFT_E_NOMEM, WEFT_E_SYSTEM (a thread cannot be created or
 * pinned; errno says why); then nothing is left behind. Teams that pin are destroyed in the reverse
 * order of their creation. */
enum weft_status weft_team_create(struct weft_team **team, unsigned size, const int *cpus);

/* NULL is allowed. Call it on the thread that created the team. */
void weft_team_destroy(struct weft_team *team);

unsigned weft_team_size(const struct weft_team *team);

/* Runs work(argument, worker) on every worker and returns when all have returned. */
void weft_team_run(struct weft_team *team, void (*work)(void *argument, unsigned worker),
                   void *argument);

/* The two halves of weft_team_run(), for work that goes on while worker 0 does something else: the
 * first begins work(argument, worker) on every worker but 0, the second returns when all of those
 * have returned. Each start is followed by one wait. */
void weft_team_start(struct weft_team *team, void (*work)(void *argument, unsigned worker),
                     void *argument);
void weft_team_wait(struct weft_team *team);

/* A barrier over the whole team, for use inside `work`. */
struct weft_barrier *weft_team_barrier(struct weft_team *team);

#endif
