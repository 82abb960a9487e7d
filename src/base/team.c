/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/barrier.h"

struct worker {
    struct weft_team *team;
    unsigned index;
    pthread_t thread;
};

struct weft_team {
    struct weft_barrier barrier;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a new round, or the last worker of one has returned */
    void (*work)(void *argument, unsigned worker);
    void *argument;
    size_t round; /* counts weft_team_run() calls */
    unsigned busy;
    bool quit;
    unsigned size;
    unsigned started; /* threads that exist, worker 0 left out */
    bool pinned;
#ifdef __linux__
    cpu_set_t former_mask; /* worker 0's, when pinned */
#endif
    struct worker workers[];
};

#ifdef __linux__
static cpu_set_t mask_of(const int cpu)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    CPU_SET((unsigned)cpu, &mask);
    return mask;
}

/* Pins worker 0. The threads created after it would inherit its mask: each gets its own. */
static int pin_creator(struct weft_team *const team, const int cpu)
{
    const cpu_set_t mask = mask_of(cpu);
    int error =
        pthread_getaffinity_np(pthread_self(), sizeof(team->former_mask), &team->former_mask);

    if (!error)
        error = pthread_setaffinity_np(pthread_self(), sizeof(mask), &mask);
    team->pinned = !error;
    return error;
}
#endif

static void *worker_main(void *const argument)
{
    struct worker *const self = argument;
    struct weft_team *const team = self->team;
    size_t seen = 0;

    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->round == seen && !team->quit)
            pthread_cond_wait(&team->changed, &team->lock);
        if (team->quit)
            break;
        seen = team->round;
        pthread_mutex_unlock(&team->lock);
        team->work(team->argument, self->index);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0)
            pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static int start_worker(struct weft_team *const team, const unsigned index, const int *const cpus)
{
    struct worker *const worker = &team->workers[index];
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error)
        return error;
    worker->team = team;
    worker->index = index;
#ifdef __linux__
    if (cpus) {
        const cpu_set_t mask = mask_of(cpus[index]);

        error = pthread_attr_setaffinity_np(&attributes, sizeof(mask), &mask);
    }
#else
    (void)cpus;
#endif
    if (!error)
        error = pthread_create(&worker->thread, &attributes, worker_main, worker);
    pthread_attr_destroy(&attributes);
    team->started += !error;
    return error;
}

static enum weft_status check_cpus(const int *const cpus, const unsigned size)
{
#ifdef __linux__
    for (unsigned i = 0; cpus && i < size; ++i)
        if (cpus[i] < 0 || cpus[i] >= CPU_SETSIZE)
            return WEFT_E_INVALID;
    return WEFT_OK;
#else
    (void)size;
    return cpus ? WEFT_E_UNSUPPORTED : WEFT_OK;
#endif
}

enum weft_status weft_team_create(struct weft_team **const result, const unsigned size,
                                  const int *const cpus)
{
    const enum weft_status status = size > 0 ? check_cpus(cpus, size) : WEFT_E_INVALID;
    int error = 0;

    if (status != WEFT_OK)
        return status;
    const size_t bytes = sizeof(struct weft_team) + size * sizeof(struct worker);
    struct weft_team *const team = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!team)
        return WEFT_E_NOMEM;
    *team = (struct weft_team){.size = size};
    weft_barrier_init(&team->barrier, size);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
#ifdef __linux__
    if (cpus)
        error = pin_creator(team, cpus[0]);
#endif
    for (unsigned i = 1; i < size && !error; ++i)
        error = start_worker(team, i, cpus);
    if (error) {
        weft_team_destroy(team);
        errno = error;
        return WEFT_E_SYSTEM;
    }
    *result = team;
    return WEFT_OK;
}

void weft_team_destroy(struct weft_team *const team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 1; i <= team->started; ++i)
        pthread_join(team->workers[i].thread, NULL);
#ifdef __linux__
    if (team->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof(team->former_mask), &team->former_mask);
#endif
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

unsigned weft_team_size(const struct weft_team *const team)
{
    return team->size;
}

void weft_team_start(struct weft_team *const team,
                     void (*const work)(void *argument, unsigned worker), void *const argument)
{
    if (team->started == 0)
        return;
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->argument = argument;
    team->busy = team->started;
    team->round++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

void weft_team_wait(struct weft_team *const team)
{
    if (team->started == 0)
        return;
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void weft_team_run(struct weft_team *const team,
                   void (*const work)(void *argument, unsigned worker), void *const argument)
{
    weft_team_start(team, work, argument);
    work(argument, 0);
    weft_team_wait(team);
}

struct weft_barrier *weft_team_barrier(struct weft_team *const team)
{
    return &team->barrier;
}
