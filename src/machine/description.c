/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getloadavg */
#endif
#include "machine/description.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/affinity.h"
#include "machine/cpu_list.h"
#include "machine/cpu_model.h"
#include "machine/hypervisor.h"
#include "machine/memory_limits.h"
#include "machine/read_file.h"
#include "machine/topology.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"
#define THP_DIRECTORY "/sys/kernel/mm/transparent_hugepage"

/* One line of the description. `tell` writes the value and answers whether the machine tells it;
 * `source` and `number` say which of several alike. */
struct fact {
    const char *key;
    bool (*tell)(const struct fact *fact, char *value, size_t capacity);
    const char *source;
    uint64_t number;
    bool optional; /* left out rather than unknown */
};

static bool put_text(char *const value, const size_t capacity, const char *const text)
{
    snprintf(value, capacity, "%s", text);
    return true;
}

static bool put_number(char *const value, const size_t capacity, const uint64_t number)
{
    snprintf(value, capacity, "%llu", (unsigned long long)number);
    return true;
}

/* For what cannot be 0: then it is not told. */
static bool put_positive(char *const value, const size_t capacity, const uint64_t number)
{
    return number > 0 && put_number(value, capacity, number);
}

static bool tell_cpu_model(const struct fact *const fact, char *const value, const size_t capacity)
{
    (void)fact;
    return weft_cpu_model(value, capacity);
}

static bool tell_cpu_id(const struct fact *const fact, char *const value, const size_t capacity)
{
    (void)fact;
    return weft_cpu_id(value, capacity);
}

static bool tell_arch(const struct fact *const fact, char *const value, const size_t capacity)
{
    struct utsname name;

    (void)fact;
    return uname(&name) == 0 && put_text(value, capacity, name.machine);
}

static bool tell_kernel(const struct fact *const fact, char *const value, const size_t capacity)
{
    struct utsname name;

    (void)fact;
    if (uname(&name))
        return false;
    snprintf(value, capacity, "%s %s", name.sysname, name.release);
    return true;
}

static bool tell_hypervisor(const struct fact *const fact, char *const value, const size_t capacity)
{
    const char *const hypervisor = weft_hypervisor();

    (void)fact;
    return hypervisor && put_text(value, capacity, hypervisor);
}

/* `number` is the offset of the count. */
static bool tell_topology(const struct fact *const fact, char *const value, const size_t capacity)
{
    const struct weft_topology topology = weft_topology_read();
    unsigned count;

    memcpy(&count, (const char *)&topology + fact->number, sizeof(count));
    return put_positive(value, capacity, count);
}

static bool tell_smt(const struct fact *const fact, char *const value, const size_t capacity)
{
    const struct weft_topology topology = weft_topology_read();

    (void)fact;
    return topology.cores > 0 &&
           put_text(value, capacity, topology.threads > topology.cores ? "on" : "off");
}

static int compare_numbers(const void *const left, const void *const right)
{
    const int a = *(const int *)left;
    const int b = *(const int *)right;

    return (a > b) - (a < b);
}

static bool tell_allowed_cpus(const struct fact *const fact, char *const value,
                              const size_t capacity)
{
    const size_t room = weft_affinity_order(NULL, 0);
    int *const cpus = room > 0 ? malloc(room * sizeof(*cpus)) : NULL;

    (void)fact;
    if (!cpus)
        return false;
    const size_t found = weft_affinity_order(cpus, room);
    const size_t count = found < room ? found : room;
    qsort(cpus, count, sizeof(*cpus), compare_numbers);
    const bool told = weft_cpu_list_write(value, capacity, cpus, count);
    free(cpus);
    return told;
}

/* `number` is the level. */
static bool tell_cache_bytes(const struct fact *const fact, char *const value,
                             const size_t capacity)
{
    return put_positive(value, capacity, weft_cache_bytes((unsigned)fact->number));
}

static bool tell_cache_sharers(const struct fact *const fact, char *const value,
                               const size_t capacity)
{
    return put_positive(value, capacity, weft_cache_read((unsigned)fact->number).shared_by);
}

/* `source` is the key in meminfo. */
static bool tell_memory(const struct fact *const fact, char *const value, const size_t capacity)
{
    uint64_t bytes;

    return weft_read_field_bytes(&bytes, fact->source, "/proc/meminfo") &&
           put_number(value, capacity, bytes);
}

static bool tell_available(const struct fact *const fact, char *const value, const size_t capacity)
{
    const uint64_t bytes = weft_memory_available_bytes();

    (void)fact;
    return bytes != UINT64_MAX && put_number(value, capacity, bytes);
}

static bool tell_swap_used(const struct fact *const fact, char *const value, const size_t capacity)
{
    uint64_t total;
    uint64_t unused;

    (void)fact;
    return weft_read_field_bytes(&total, "SwapTotal", "/proc/meminfo") &&
           weft_read_field_bytes(&unused, "SwapFree", "/proc/meminfo") && unused <= total &&
           put_number(value, capacity, total - unused);
}

static bool tell_base_page(const struct fact *const fact, char *const value, const size_t capacity)
{
    const long bytes = sysconf(_SC_PAGESIZE);

    (void)fact;
    return bytes > 0 && put_number(value, capacity, (uint64_t)bytes);
}

/* `number` is the page size. */
static bool tell_hugetlb_free(const struct fact *const fact, char *const value,
                              const size_t capacity)
{
#ifdef __linux__
    return put_number(value, capacity, weft_memory_free_hugetlb_pages(fact->number));
#else
    (void)fact;
    (void)value;
    (void)capacity;
    return false;
#endif
}

/* `source` is a file like "always [madvise] never": the choice is in brackets. */
static bool tell_choice(const struct fact *const fact, char *const value, const size_t capacity)
{
    char text[128];

    if (!weft_read_text(text, sizeof(text), "%s", fact->source))
        return false;
    char *const open = strchr(text, '[');
    char *const close = open ? strchr(open, ']') : NULL;
    if (!close)
        return false;
    *close = '\0';
    return put_text(value, capacity, open + 1);
}

static bool tell_governor(const struct fact *const fact, char *const value, const size_t capacity)
{
    int cpu = 0;

    (void)fact;
    weft_affinity_order(&cpu, 1);
    return weft_read_text(value, capacity, CPU_DIRECTORY "/cpu%d/cpufreq/scaling_governor", cpu);
}

static bool tell_turbo(const struct fact *const fact, char *const value, const size_t capacity)
{
    uint64_t flag;

    (void)fact;
    if (weft_read_number(&flag, CPU_DIRECTORY "/intel_pstate/no_turbo"))
        return put_text(value, capacity, flag ? "off" : "on");
    if (weft_read_number(&flag, CPU_DIRECTORY "/cpufreq/boost"))
        return put_text(value, capacity, flag ? "on" : "off");
    return false;
}

static bool tell_load_average(const struct fact *const fact, char *const value,
                              const size_t capacity)
{
    double load[3];

    (void)fact;
    if (getloadavg(load, 3) != 3)
        return false;
    snprintf(value, capacity, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    return true;
}

/* Since boot: the time in which the machine was ready to run but its host ran something else. */
static bool tell_steal(const struct fact *const fact, char *const value, const size_t capacity)
{
    enum { STEAL = 7, TIMES }; /* user nice system idle iowait irq softirq steal */
    char text[256];
    uint64_t ticks[TIMES];
    uint64_t sum = 0;

    (void)fact;
    if (!weft_read_field(text, sizeof(text), "cpu", "/proc/stat"))
        return false;
    const char *at = text;
    for (int i = 0; i < TIMES; ++i) {
        if (!weft_parse_number(&ticks[i], at))
            return false;
        sum += ticks[i];
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (sum == 0)
        return false;
    snprintf(value, capacity, "%.5f", (double)ticks[STEAL] / (double)sum);
    return true;
}

static const struct fact facts[] = {
    {.key = "cpu_model", .tell = tell_cpu_model},
    {.key = "cpu_id", .tell = tell_cpu_id},
    {.key = "arch", .tell = tell_arch},
    {.key = "cores", .tell = tell_topology, .number = offsetof(struct weft_topology, cores)},
    {.key = "threads", .tell = tell_topology, .number = offsetof(struct weft_topology, threads)},
    {.key = "sockets", .tell = tell_topology, .number = offsetof(struct weft_topology, sockets)},
    {.key = "numa_nodes",
     .tell = tell_topology,
     .number = offsetof(struct weft_topology, numa_nodes)},
    {.key = "smt", .tell = tell_smt},
    {.key = "allowed_cpus", .tell = tell_allowed_cpus},
    {.key = "l1d_bytes", .tell = tell_cache_bytes, .number = 1},
    {.key = "l1d_shared_by", .tell = tell_cache_sharers, .number = 1},
    {.key = "l2_bytes", .tell = tell_cache_bytes, .number = 2},
    {.key = "l2_shared_by", .tell = tell_cache_sharers, .number = 2},
    {.key = "l3_bytes", .tell = tell_cache_bytes, .number = 3},
    {.key = "l3_shared_by", .tell = tell_cache_sharers, .number = 3},
    {.key = "l4_bytes", .tell = tell_cache_bytes, .number = 4, .optional = true},
    {.key = "l4_shared_by", .tell = tell_cache_sharers, .number = 4, .optional = true},
    {.key = "memory_bytes", .tell = tell_memory, .source = "MemTotal"},
    {.key = "memory_available_bytes", .tell = tell_available},
    {.key = "swap_total_bytes", .tell = tell_memory, .source = "SwapTotal"},
    {.key = "swap_used_bytes", .tell = tell_swap_used},
    {.key = "base_page_bytes", .tell = tell_base_page},
    {.key = "thp_enabled", .tell = tell_choice, .source = THP_DIRECTORY "/enabled"},
    {.key = "thp_defrag", .tell = tell_choice, .source = THP_DIRECTORY "/defrag"},
    {.key = "hugetlb_2m_free", .tell = tell_hugetlb_free, .number = (uint64_t)2 << 20},
    {.key = "hugetlb_1g_free", .tell = tell_hugetlb_free, .number = (uint64_t)1 << 30},
    {.key = "kernel", .tell = tell_kernel},
    {.key = "hypervisor", .tell = tell_hypervisor},
    {.key = "governor", .tell = tell_governor},
    {.key = "turbo", .tell = tell_turbo},
    {.key = "load_average", .tell = tell_load_average},
    {.key = "steal_share_since_boot", .tell = tell_steal},
};

/* Firmware puts anything into its strings; the value must fit between quotes as it is. */
static void make_printable(char *const text)
{
    for (char *at = text; *at; ++at) {
        if (*at < ' ' || *at > '~')
            *at = ' ';
        else if (*at == '"' || *at == '\\')
            *at = '\'';
    }
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = '\0';
}

void weft_machine_describe(void (*const entry)(const char *key, const char *value, void *argument),
                           void *const argument)
{
    char value[WEFT_PATH_MAX];

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); ++i) {
        const struct fact *const fact = &facts[i];

        value[0] = '\0';
        const bool told = fact->tell(fact, value, sizeof(value));
        make_printable(value);
        if (told && value[0])
            entry(fact->key, value, argument);
        else if (!fact->optional)
            entry(fact->key, "unknown", argument);
    }
}
