/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getline */
#endif
#include "machine/memory_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __APPLE__
#include <mach/mach.h>
#include <unistd.h>
#endif

#include "machine/read_file.h"
#include "machine/under_root.h"

/* The files of a control group that bound one kind of memory. */
struct group_files {
    const char *limits[2]; /* the least of them counts; the second may be NULL */
    const char *usage;
    const char
        *reclaimable; /* key in memory.stat of what counts as used but is given up; or NULL */
};

struct controller {
    const char *name; /* as version 1 has it in /proc/self/cgroup and among the mount's options */
    struct group_files version1;
    struct group_files version2;
};

static const struct controller memory_controller = {
    .name = "memory",
    .version1 = {{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"},
    /* Beyond memory.high the process is slowed down until it stands still. */
    .version2 = {{"memory.max", "memory.high"}, "memory.current", "inactive_file"},
};

static const struct hugetlb_pool {
    uint64_t page_bytes;
    struct controller controller;
} hugetlb_pools[] = {
    {(uint64_t)2 << 20,
     {.name = "hugetlb",
      .version1 = {{"hugetlb.2MB.limit_in_bytes"}, "hugetlb.2MB.usage_in_bytes", NULL},
      .version2 = {{"hugetlb.2MB.max"}, "hugetlb.2MB.current", NULL}}},
    {(uint64_t)1 << 30,
     {.name = "hugetlb",
      .version1 = {{"hugetlb.1GB.limit_in_bytes"}, "hugetlb.1GB.usage_in_bytes", NULL},
      .version2 = {{"hugetlb.1GB.max"}, "hugetlb.1GB.current", NULL}}},
};

static uint64_t least(const uint64_t a, const uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t headroom(const uint64_t limit, const uint64_t used)
{
    if (limit == UINT64_MAX)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

static uint64_t group_headroom(const char *const directory, const struct group_files *const files)
{
    uint64_t limit = UINT64_MAX;
    uint64_t used = 0;
    uint64_t reclaimable = 0;

    for (size_t i = 0; i < 2 && files->limits[i]; ++i) {
        uint64_t value;
        if (weft_read_number(&value, "%s/%s", directory, files->limits[i]))
            limit = least(limit, value);
    }
    if (limit == UINT64_MAX)
        return UINT64_MAX;
    weft_read_number(&used, "%s/%s", directory, files->usage);
    if (files->reclaimable)
        weft_read_field_bytes(&reclaimable, files->reclaimable, "%s/memory.stat", directory);
    return headroom(limit, headroom(used, reclaimable));
}

/* The least that the group at `path` below the mount point and all groups above it leave. */
static uint64_t ancestry_headroom(const char *const root, const char *const mount_point,
                                  const char *const path, const struct group_files *const files)
{
    char directory[WEFT_PATH_MAX];
    uint64_t bytes = UINT64_MAX;
    const size_t top = strlen(root) + strlen(mount_point);
    const int length = snprintf(directory, sizeof(directory), "%s%s%s", root, mount_point, path);

    if (length < 0 || (size_t)length >= sizeof(directory))
        return UINT64_MAX;
    for (;;) {
        bytes = least(bytes, group_headroom(directory, files));
        char *const slash = strrchr(directory + top, '/');
        if (!slash)
            return bytes;
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *const word)
{
    const size_t length = strlen(word);

    for (;;) {
        const size_t span = strcspn(list, ",");
        if (span == length && strncmp(list, word, length) == 0)
            return true;
        if (list[span] == '\0')
            return false;
        list += span + 1;
    }
}

/* The process's group in the hierarchy of `controller` (NULL: version 2), from lines
 * "number:controllers:path". */
static bool group_path(char *const path, const size_t capacity, const char *const root,
                       const char *const controller)
{
    char name[WEFT_PATH_MAX];
    char *line = NULL;
    size_t line_capacity = 0;
    bool found = false;

    snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
    FILE *const file = fopen(name, "re");
    if (!file)
        return false;
    while (!found && getline(&line, &line_capacity, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *const controllers = strchr(line, ':');
        char *const group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group = '\0';
        if (controller ? !has_word(controllers + 1, controller) : strcmp(line, "0:") != 0)
            continue;
        /* A group outside the process's own namespace ("/../...") has no path below the mount. */
        if (group[1] != '/' || strncmp(group + 1, "/..", 3) == 0)
            continue;
        snprintf(path, capacity, "%s", group + 1);
        found = true;
    }
    free(line);
    fclose(file);
    return found;
}

/* mountinfo writes white space and backslashes as three octal digits. */
static void decode_octal(char *const text)
{
    char *out = text;

    for (const char *in = text; *in; ++out) {
        unsigned value;
        if (*in == '\\' && sscanf(in + 1, "%3o", &value) == 1 && strlen(in) >= 4) {
            *out = (char)value;
            in += 4;
        } else {
            *out = *in++;
        }
    }
    *out = '\0';
}

struct mount {
    char *group; /* the group that is mounted, "" for the hierarchy's top */
    char *point;
    const char *type;
    const char *options;
};

/* Cuts up "id parent device root point options ... - type source options" in place. */
static bool parse_mount(struct mount *const mount, char *const line)
{
    char *rest;

    line[strcspn(line, "\n")] = '\0';
    char *const second_part = strstr(line, " - ");
    if (!second_part)
        return false;
    *second_part = '\0';
    strtok_r(line, " ", &rest);
    strtok_r(NULL, " ", &rest);
    strtok_r(NULL, " ", &rest);
    mount->group = strtok_r(NULL, " ", &rest);
    mount->point = strtok_r(NULL, " ", &rest);
    mount->type = strtok_r(second_part + 3, " ", &rest);
    strtok_r(NULL, " ", &rest);
    mount->options = strtok_r(NULL, " ", &rest);
    if (!mount->point || !mount->options)
        return false;
    decode_octal(mount->group);
    decode_octal(mount->point);
    if (strcmp(mount->group, "/") == 0)
        mount->group = "";
    return true;
}

/* What the hierarchy of `controller` leaves (NULL: version 2), at every place it is mounted. */
static uint64_t hierarchy_headroom(const char *const root, const char *const controller,
                                   const struct group_files *const files)
{
    char path[WEFT_PATH_MAX];
    char name[WEFT_PATH_MAX];
    char *line = NULL;
    size_t line_capacity = 0;
    uint64_t bytes = UINT64_MAX;

    if (!group_path(path, sizeof(path), root, controller))
        return UINT64_MAX;
    snprintf(name, sizeof(name), "%s/proc/self/mountinfo", root);
    FILE *const file = fopen(name, "re");
    if (!file)
        return UINT64_MAX;
    while (getline(&line, &line_capacity, file) >= 0) {
        struct mount mount;
        if (!parse_mount(&mount, line) ||
            strcmp(mount.type, controller ? "cgroup" : "cgroup2") != 0 ||
            (controller && !has_word(mount.options, controller)))
            continue;
        /* Some other group's subtree is no concern of this process. */
        const size_t length = strlen(mount.group);
        if (strncmp(path, mount.group, length) != 0 || (path[length] && path[length] != '/'))
            continue;
        const char *const below = strcmp(path + length, "/") == 0 ? "" : path + length;
        bytes = least(bytes, ancestry_headroom(root, mount.point, below, files));
    }
    free(line);
    fclose(file);
    return bytes;
}

static uint64_t controller_headroom(const char *const root,
                                    const struct controller *const controller)
{
    return least(hierarchy_headroom(root, controller->name, &controller->version1),
                 hierarchy_headroom(root, NULL, &controller->version2));
}

static uint64_t system_bytes(const char *const root)
{
    uint64_t bytes = UINT64_MAX;

#ifdef __APPLE__
    vm_statistics64_data_t statistics;
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;

    (void)root;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64, (host_info64_t)&statistics, &count) ==
        KERN_SUCCESS)
        bytes = ((uint64_t)statistics.free_count + statistics.inactive_count) *
                (uint64_t)sysconf(_SC_PAGESIZE);
#else
    weft_read_field_bytes(&bytes, "MemAvailable", "%s/proc/meminfo", root);
#endif
    return bytes;
}

uint64_t weft_memory_available_under(const char *const root, const uint64_t address_space_limit,
                                     const uint64_t data_limit)
{
    uint64_t mapped = 0;
    uint64_t data = 0;

    weft_read_field_bytes(&mapped, "VmSize", "%s/proc/self/status", root);
    weft_read_field_bytes(&data, "VmData", "%s/proc/self/status", root);
    const uint64_t limits =
        least(headroom(address_space_limit, mapped), headroom(data_limit, data));
    const uint64_t bytes =
        least(limits, least(system_bytes(root), controller_headroom(root, &memory_controller)));
    return bytes == UINT64_MAX ? bytes : bytes - bytes / 10;
}

static uint64_t limit_bytes(const struct rlimit *const limit)
{
    return limit->rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit->rlim_cur;
}

uint64_t weft_memory_available_bytes(void)
{
    struct rlimit address_space = {.rlim_cur = RLIM_INFINITY};
    struct rlimit data = {.rlim_cur = RLIM_INFINITY};

    getrlimit(RLIMIT_AS, &address_space);
    getrlimit(RLIMIT_DATA, &data);
    return weft_memory_available_under("", limit_bytes(&address_space), limit_bytes(&data));
}

uint64_t weft_memory_free_hugetlb_pages_under(const char *const root, const uint64_t page_bytes)
{
    for (size_t i = 0; i < sizeof(hugetlb_pools) / sizeof(hugetlb_pools[0]); ++i) {
        const struct hugetlb_pool *const pool = &hugetlb_pools[i];
        const unsigned long long kib = page_bytes / 1024;
        uint64_t free_pages = 0;
        uint64_t promised = 0;

        if (pool->page_bytes != page_bytes)
            continue;
        weft_read_number(&free_pages, "%s/sys/kernel/mm/hugepages/hugepages-%llukB/free_hugepages",
                         root, kib);
        weft_read_number(&promised, "%s/sys/kernel/mm/hugepages/hugepages-%llukB/resv_hugepages",
                         root, kib);
        return least(headroom(free_pages, promised),
                     controller_headroom(root, &pool->controller) / page_bytes);
    }
    return 0;
}

uint64_t weft_memory_free_hugetlb_pages(const uint64_t page_bytes)
{
    return weft_memory_free_hugetlb_pages_under("", page_bytes);
}
