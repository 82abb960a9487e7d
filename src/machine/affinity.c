/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, CPU_ALLOC */
#endif
#include "machine/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "machine/cpu_list.h"
#include "machine/read_file.h"
#include "machine/under_root.h"

struct place {
    int cpu;
    int core;      /* the lowest number among the core's hardware threads */
    unsigned turn; /* how many hardware threads of the core come before it */
};

static int core_of(const char *const root, const int cpu)
{
    static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
    char siblings[WEFT_PATH_MAX];
    int first;
    int last;

    for (size_t i = 0; i < 2; ++i) {
        const char *list = siblings;
        if (weft_read_text(siblings, sizeof(siblings),
                           "%s/sys/devices/system/cpu/cpu%d/topology/%s", root, cpu, names[i]) &&
            weft_cpu_list_next(&list, &first, &last))
            return first;
    }
    return cpu;
}

static int compare_places(const void *const left, const void *const right)
{
    const struct place *const a = left;
    const struct place *const b = right;

    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return (a->core < b->core) - (a->core > b->core);
}

bool weft_affinity_sort_under(const char *const root, int *const cpus, const size_t count)
{
    if (count == 0)
        return true;

    struct place *const places = malloc(count * sizeof(*places));
    if (!places)
        return false;
    for (size_t i = 0; i < count; ++i) {
        places[i] = (struct place){.cpu = cpus[i], .core = core_of(root, cpus[i])};
        for (size_t k = 0; k < i; ++k)
            places[i].turn += places[k].core == places[i].core;
    }
    qsort(places, count, sizeof(*places), compare_places);
    for (size_t i = 0; i < count; ++i)
        cpus[i] = places[i].cpu;
    free(places);
    return true;
}

#ifdef __linux__
/* The allowed mask and how many processors it has room for; NULL when the system does not tell.
 * The kernel refuses a set that is smaller than its own. */
static cpu_set_t *allowed_set(size_t *const capacity)
{
    for (*capacity = CPU_SETSIZE; *capacity <= (size_t)1 << 20; *capacity *= 2) {
        cpu_set_t *const set = CPU_ALLOC(*capacity);
        if (!set)
            return NULL;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE(*capacity), set) == 0)
            return set;
        CPU_FREE(set);
        if (errno != EINVAL)
            return NULL;
    }
    return NULL;
}

size_t weft_affinity_order(int *const cpus, const size_t capacity)
{
    size_t set_capacity;
    size_t count = 0;
    cpu_set_t *const set = allowed_set(&set_capacity);

    if (!set)
        return 0;
    const size_t set_bytes = CPU_ALLOC_SIZE(set_capacity);
    int *const allowed = malloc((size_t)CPU_COUNT_S(set_bytes, set) * sizeof(*allowed));
    if (allowed) {
        for (size_t cpu = 0; cpu < set_capacity; ++cpu)
            if (CPU_ISSET_S(cpu, set_bytes, set))
                allowed[count++] = (int)cpu;
        if (!weft_affinity_sort_under("", allowed, count))
            count = 0;
        for (size_t i = 0; i < count && i < capacity; ++i)
            cpus[i] = allowed[i];
    }
    free(allowed);
    CPU_FREE(set);
    return count;
}

bool weft_affinity_allows(const int cpu)
{
    size_t capacity;
    cpu_set_t *const set = allowed_set(&capacity);

    if (!set)
        return true;
    const bool allowed = cpu >= 0 && (size_t)cpu < capacity &&
                         CPU_ISSET_S((size_t)cpu, CPU_ALLOC_SIZE(capacity), set);
    CPU_FREE(set);
    return allowed;
}
#else
size_t weft_affinity_order(int *const cpus, const size_t capacity)
{
    (void)cpus;
    (void)capacity;
    return 0;
}

bool weft_affinity_allows(const int cpu)
{
    (void)cpu;
    return true;
}
#endif
