/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "cmocka_main.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#ifdef __linux__
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/team.h"

static void record_worker(void *const argument, const unsigned worker)
{
    atomic_fetch_or((atomic_uint *)argument, 1u << worker);
}

static void started_team_runs_all_but_its_creator(void **state)
{
    atomic_uint workers = 0;
    struct weft_team *team;

    (void)state;
    assert_int_equal(weft_team_create(&team, 3, NULL), WEFT_OK);
    weft_team_start(team, record_worker, &workers);
    weft_team_wait(team);
    assert_int_equal(atomic_load(&workers), 6);
    weft_team_run(team, record_worker, &workers);
    assert_int_equal(atomic_load(&workers), 7);
    weft_team_destroy(team);
}

#ifdef __linux__
static unsigned count_threads(void)
{
    DIR *const tasks = opendir("/proc/self/task");
    unsigned count = 0;

    if (!tasks)
        return 0;
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* A joined thread may still be listed for a moment. */
static bool threads_become(const unsigned count)
{
    for (int tries = 0; tries < 1000; ++tries) {
        if (count_threads() == count)
            return true;
        usleep(1000);
    }
    return false;
}

static uint64_t mapped_bytes(void)
{
    FILE *const statm = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!statm || fscanf(statm, "%lu", &pages) != 1)
        pages = 0;
    if (statm)
        fclose(statm);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum { LIMIT_HAS_NO_EFFECT = 77 };

/* In a child: room for the stacks of a few threads out of 64. Answers what was wrong, 0 if
 * nothing. */
static int run_out_of_stacks(void)
{
    struct weft_team *team = NULL;
    struct rlimit room;
    cpu_set_t before;
    cpu_set_t after;
    int cpus[64];

    sched_getaffinity(0, sizeof(before), &before);
    for (int i = 0; i < 64; ++i)
        for (cpus[i] = 0; !CPU_ISSET((unsigned)cpus[i], &before);)
            cpus[i]++;
    /* A sanitizer starts a thread of its own along with the first. */
    if (weft_team_create(&team, 2, cpus) != WEFT_OK)
        return 1;
    weft_team_destroy(team);
    team = NULL;
    const unsigned threads = threads_become(1) ? 1 : 2;
    getrlimit(RLIMIT_AS, &room);
    room.rlim_cur = mapped_bytes() + (40u << 20);
    if (setrlimit(RLIMIT_AS, &room))
        return 1;
    const enum weft_status status = weft_team_create(&team, 64, cpus);
    if (status == WEFT_OK)
        return LIMIT_HAS_NO_EFFECT;
    if (status != WEFT_E_SYSTEM || team || errno == 0)
        return 2;
    if (!threads_become(threads))
        return 3;
    sched_getaffinity(0, sizeof(after), &after);
    if (!CPU_EQUAL(&before, &after))
        return 4;
    return weft_team_create(&team, 2, cpus) == WEFT_OK ? 0 : 5;
}
#endif

static void team_that_cannot_have_all_threads_leaves_none(void **state)
{
    (void)state;
#ifdef __linux__
    int status = -1;
    const pid_t child = fork();

    if (child == 0)
        _exit(run_out_of_stacks());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == LIMIT_HAS_NO_EFFECT)
        skip(); /* a user-mode emulator */
    assert_int_equal(WEXITSTATUS(status), 0);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(started_team_runs_all_but_its_creator),
        cmocka_unit_test(team_that_cannot_have_all_threads_leaves_none),
    };

    return cmocka_run_group_tests_name("stream_team", tests, NULL, NULL);
}
