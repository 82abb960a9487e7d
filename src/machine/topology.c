/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* _SC_LEVEL1_DCACHE_SIZE */
#endif
#include "machine/topology.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "machine/affinity.h"
#include "machine/cpu_list.h"
#include "machine/read_file.h"
#include "machine/under_root.h"

#define CPU_DIRECTORY "%s/sys/devices/system/cpu"

/* Whether `cpu` is the first that its list of siblings names: one such per core or socket. */
static bool leads(const char *const root, const int cpu, const char *const siblings)
{
    char text[WEFT_PATH_MAX];
    const char *list = text;
    int first;
    int last;

    return weft_read_text(text, sizeof(text), CPU_DIRECTORY "/cpu%d/topology/%s", root, cpu,
                          siblings) &&
           weft_cpu_list_next(&list, &first, &last) && first == cpu;
}

struct weft_topology weft_topology_read_under(const char *const root)
{
    struct weft_topology topology = {0};
    char text[WEFT_PATH_MAX];
    const char *list = text;
    int first;
    int last;

    if (weft_read_text(text, sizeof(text), CPU_DIRECTORY "/online", root)) {
        topology.threads = weft_cpu_list_count(text);
        while (weft_cpu_list_next(&list, &first, &last))
            for (int cpu = first; cpu <= last; ++cpu) {
                topology.cores += leads(root, cpu, "thread_siblings_list");
                topology.sockets += leads(root, cpu, "core_siblings_list");
            }
    }
    if (weft_read_text(text, sizeof(text), "%s/sys/devices/system/node/online", root))
        topology.numa_nodes = weft_cpu_list_count(text);
    return topology;
}

/* "512K" and the like; 0 for anything else. */
static uint64_t size_in_bytes(const char *const text)
{
    static const char units[] = "KMG";
    char *end;
    const unsigned long long number = strtoull(text, &end, 10);

    if (end == text || number > UINT32_MAX)
        return 0;
    if (*end == '\0')
        return number;
    const char *const unit = strchr(units, *end);
    return unit ? (uint64_t)number << (10 * (unit - units + 1)) : 0;
}

struct weft_cache weft_cache_read_under(const char *const root, const int cpu, const unsigned level)
{
    struct weft_cache cache = {0};
    uint64_t index_level;
    char text[WEFT_PATH_MAX];

    for (unsigned index = 0; weft_read_number(
             &index_level, CPU_DIRECTORY "/cpu%d/cache/index%u/level", root, cpu, index);
         ++index) {
        if (index_level != level ||
            !weft_read_text(text, sizeof(text), CPU_DIRECTORY "/cpu%d/cache/index%u/type", root,
                            cpu, index) ||
            strcmp(text, "Instruction") == 0)
            continue;
        if (weft_read_text(text, sizeof(text), CPU_DIRECTORY "/cpu%d/cache/index%u/size", root, cpu,
                           index))
            cache.bytes = size_in_bytes(text);
        if (weft_read_text(text, sizeof(text), CPU_DIRECTORY "/cpu%d/cache/index%u/shared_cpu_list",
                           root, cpu, index))
            cache.shared_by = weft_cpu_list_count(text);
        break;
    }
    return cache;
}

#ifdef __APPLE__
static uint64_t sysctl_number(const char *const name)
{
    uint64_t number = 0;
    size_t size = sizeof(number);

    return sysctlbyname(name, &number, &size, NULL, 0) == 0 ? number : 0;
}

struct weft_topology weft_topology_read(void)
{
    return (struct weft_topology){
        .threads = (unsigned)sysctl_number("hw.logicalcpu"),
        .cores = (unsigned)sysctl_number("hw.physicalcpu"),
        .sockets = (unsigned)sysctl_number("hw.packages"),
    };
}

struct weft_cache weft_cache_read(const unsigned level)
{
    static const char *const names[] = {"hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize"};

    if (level < 1 || level > sizeof(names) / sizeof(names[0]))
        return (struct weft_cache){0};
    return (struct weft_cache){.bytes = sysctl_number(names[level - 1])};
}
#else
struct weft_topology weft_topology_read(void)
{
    struct weft_topology topology = weft_topology_read_under("");

    if (topology.threads == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        topology.threads = online > 0 ? (unsigned)online : 0;
    }
    return topology;
}

/* What the C library knows: where sysfs is silent, it may have asked the processor. */
static uint64_t library_cache_bytes(const unsigned level)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
    static const int names[WEFT_CACHE_LEVEL_MAX] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                                    _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    const long bytes = sysconf(names[level - 1]);

    return bytes > 0 ? (uint64_t)bytes : 0;
#else
    (void)level;
    return 0;
#endif
}

struct weft_cache weft_cache_read(const unsigned level)
{
    int cpu = 0;

    if (level < 1 || level > WEFT_CACHE_LEVEL_MAX)
        return (struct weft_cache){0};
    weft_affinity_order(&cpu, 1);
    struct weft_cache cache = weft_cache_read_under("", cpu, level);
    if (cache.bytes == 0)
        cache.bytes = library_cache_bytes(level);
    return cache;
}
#endif

uint64_t weft_cache_bytes(const unsigned level)
{
    return weft_cache_read(level).bytes;
}

uint64_t weft_last_level_cache_bytes(void)
{
    for (unsigned level = WEFT_CACHE_LEVEL_MAX; level > 0; --level) {
        const uint64_t bytes = weft_cache_bytes(level);
        if (bytes > 0)
            return bytes;
    }
    return 0;
}
