/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getline, madvise */
#endif
#include "memory/residency.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/read_file.h"

/* Sums over the mappings that lie in an arena. */
struct smaps_sums {
    uint64_t mapped_bytes;
    uint64_t base_bytes;    /* resident, in base pages */
    uint64_t thp_bytes;     /* resident, in transparent huge pages */
    uint64_t hugetlb_bytes; /* resident, from a pool */
    uint64_t hugetlb_page_bytes;
};

struct smaps_mapping {
    bool inside; /* the arena */
    uint64_t mapped_bytes;
    uint64_t rss_bytes; /* without hugetlb pages */
    uint64_t thp_bytes;
    uint64_t hugetlb_bytes;
    uint64_t kernel_page_bytes;
};

static void read_mapping_field(struct smaps_mapping *const mapping, const char *const line)
{
    const struct {
        const char *key;
        uint64_t *sum_bytes;
    } fields[] = {
        {"Rss:", &mapping->rss_bytes},
        {"AnonHugePages:", &mapping->thp_bytes},
        {"Private_Hugetlb:", &mapping->hugetlb_bytes},
        {"Shared_Hugetlb:", &mapping->hugetlb_bytes},
        {"KernelPageSize:", &mapping->kernel_page_bytes},
    };

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
        const size_t length = strlen(fields[i].key);
        uint64_t kib;
        if (strncmp(line, fields[i].key, length) == 0 &&
            weft_parse_number(&kib, line + length + strspn(line + length, " ")))
            *fields[i].sum_bytes += kib * 1024;
    }
}

static void add_mapping(struct smaps_sums *const sums, const struct smaps_mapping *const mapping)
{
    if (!mapping->inside)
        return;
    sums->mapped_bytes += mapping->mapped_bytes;
    sums->base_bytes +=
        mapping->rss_bytes > mapping->thp_bytes ? mapping->rss_bytes - mapping->thp_bytes : 0;
    sums->thp_bytes += mapping->thp_bytes;
    sums->hugetlb_bytes += mapping->hugetlb_bytes;
    if (mapping->hugetlb_bytes > 0)
        sums->hugetlb_page_bytes = mapping->kernel_page_bytes;
}

static bool read_smaps(struct smaps_sums *const sums, const uintptr_t begin, const uintptr_t end)
{
    FILE *const file = fopen("/proc/self/smaps", "re");
    struct smaps_mapping mapping = {0};
    char *line = NULL;
    size_t capacity = 0;

    if (!file)
        return false;
    *sums = (struct smaps_sums){0};
    while (getline(&line, &capacity, file) >= 0) {
        uintptr_t from;
        uintptr_t to;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
            add_mapping(sums, &mapping);
            mapping = (struct smaps_mapping){.inside = from >= begin && to <= end,
                                             .mapped_bytes = to - from};
        } else if (mapping.inside) {
            read_mapping_field(&mapping, line);
        }
    }
    add_mapping(sums, &mapping);
    free(line);
    fclose(file);
    return true;
}

/* A user-mode emulator says yes to any advice, follows none, and shows the host's pages; a kernel
 * refuses advice that it does not know. */
static bool advice_is_heard(const struct weft_arena *const arena)
{
#ifdef __linux__
    const int unknown_advice = 0x57454654;

    return madvise(arena->base, (size_t)sysconf(_SC_PAGESIZE), unknown_advice) != 0;
#else
    (void)arena;
    return false;
#endif
}

struct weft_residency weft_residency_read(const struct weft_arena *const arena)
{
    const uintptr_t begin = (uintptr_t)arena->base;
    struct weft_residency residency = {0};
    struct smaps_sums sums;
    uint64_t page_bytes;

    if (!arena->base || !advice_is_heard(arena) ||
        !read_smaps(&sums, begin, begin + arena->size_bytes))
        return residency;
    const uint64_t resident = sums.base_bytes + sums.thp_bytes + sums.hugetlb_bytes;
    if (resident == 0 || sums.mapped_bytes != arena->size_bytes)
        return residency;

    if (sums.hugetlb_bytes > resident / 2)
        page_bytes = sums.hugetlb_page_bytes;
    else if (sums.thp_bytes > resident / 2)
        page_bytes = weft_arena_cost_bytes(1, WEFT_PAGES_THP);
    else
        page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

    const uint64_t asked_pages[WEFT_PAGES_COUNT] = {
        [WEFT_PAGES_4K] = sums.base_bytes,
        [WEFT_PAGES_THP] = sums.thp_bytes,
        [WEFT_PAGES_2M] = sums.hugetlb_bytes,
        [WEFT_PAGES_1G] = sums.hugetlb_bytes,
    };
    residency.known = true;
    residency.page_bytes = (size_t)page_bytes;
    residency.share = (double)asked_pages[arena->pages] / (double)resident;
    return residency;
}
