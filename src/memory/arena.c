/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS */
#endif
#include "memory/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "machine/memory_limits.h"
#include "machine/read_file.h"

#define ALIGNMENT_MIN ((size_t)2 << 20)
#define THP_DIRECTORY "/sys/kernel/mm/transparent_hugepage"

static size_t base_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Larger than 2 MiB where base pages are larger than 4 KiB (AArch64). */
static size_t thp_bytes(void)
{
    uint64_t bytes;

    if (weft_read_number(&bytes, THP_DIRECTORY "/hpage_pmd_size") && bytes >= ALIGNMENT_MIN)
        return (size_t)bytes;
    return ALIGNMENT_MIN;
}

static size_t page_bytes_of(const enum weft_pages pages)
{
    switch (pages) {
    case WEFT_PAGES_THP:
        return thp_bytes();
    case WEFT_PAGES_2M:
        return (size_t)2 << 20;
    case WEFT_PAGES_1G:
        return (size_t)1 << 30;
    default:
        return base_page_bytes();
    }
}

static bool is_hugetlb(const enum weft_pages pages)
{
    return pages == WEFT_PAGES_2M || pages == WEFT_PAGES_1G;
}

const char *weft_pages_name(const enum weft_pages pages)
{
    static const char *const names[WEFT_PAGES_COUNT] = {
        [WEFT_PAGES_4K] = "4k",
        [WEFT_PAGES_THP] = "thp",
        [WEFT_PAGES_2M] = "2m",
        [WEFT_PAGES_1G] = "1g",
    };

    return (unsigned)pages < WEFT_PAGES_COUNT ? names[pages] : "unknown";
}

bool weft_thp_available(void)
{
#ifdef __linux__
    char text[128];
    const size_t kib = thp_bytes() / 1024;

#ifdef PR_GET_THP_DISABLE
    if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
        return false;
#endif
    /* Newer kernels decide per size; most sizes inherit the old setting. */
    if (weft_read_text(text, sizeof(text), THP_DIRECTORY "/hugepages-%zukB/enabled", kib) &&
        !strstr(text, "[inherit]"))
        return !strstr(text, "[never]");
    return weft_read_text(text, sizeof(text), THP_DIRECTORY "/enabled") && !strstr(text, "[never]");
#else
    return false;
#endif
}

size_t weft_arena_cost_bytes(const size_t size_bytes, const enum weft_pages pages)
{
    const size_t page_bytes = page_bytes_of(pages);

    if (size_bytes > SIZE_MAX - (page_bytes - 1))
        return SIZE_MAX;
    return (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/* Whether the memory can be had, before anything is mapped. */
static enum weft_status check_supply(const size_t cost_bytes, const enum weft_pages pages)
{
#ifndef __linux__
    if (pages != WEFT_PAGES_4K)
        return WEFT_E_UNSUPPORTED;
#endif
    if (is_hugetlb(pages)) {
        const size_t page_bytes = page_bytes_of(pages);
        return cost_bytes / page_bytes > weft_memory_free_hugetlb_pages(page_bytes) ? WEFT_E_PAGES
                                                                                    : WEFT_OK;
    }
    if (pages == WEFT_PAGES_THP && !weft_thp_available())
        return WEFT_E_PAGES;
    return cost_bytes > weft_memory_available_bytes() ? WEFT_E_NOMEM : WEFT_OK;
}

/* Address space only: an aligned stretch of `size_bytes` with an inaccessible page at either end.
 * Without those, the kernel would join the arena and a neighbour with the same attributes into one
 * mapping, and nothing could be told about the arena alone. */
static enum weft_status reserve(struct weft_arena *const arena, const size_t size_bytes,
                                const size_t alignment)
{
    const size_t guard = base_page_bytes();
    const size_t wanted = size_bytes + 2 * guard;
    char *const all = mmap(NULL, wanted + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return errno == ENOMEM ? WEFT_E_NOMEM : WEFT_E_SYSTEM;
    const size_t before = (alignment - ((uintptr_t)all + guard) % alignment) % alignment;
    if (before > 0)
        munmap(all, before);
    if (alignment > before)
        munmap(all + before + wanted, alignment - before);
    arena->mapping = all + before;
    arena->mapping_bytes = wanted;
    arena->base = all + before + guard;
    arena->size_bytes = size_bytes;
    return WEFT_OK;
}

static enum weft_status open_base_pages(const struct weft_arena *const arena)
{
    if (mprotect(arena->base, arena->size_bytes, PROT_READ | PROT_WRITE))
        return errno == ENOMEM ? WEFT_E_NOMEM : WEFT_E_SYSTEM;
#ifdef __linux__
    if (arena->pages == WEFT_PAGES_THP) {
        if (madvise(arena->base, arena->size_bytes, MADV_HUGEPAGE))
            return WEFT_E_PAGES;
    } else if (madvise(arena->base, arena->size_bytes, MADV_NOHUGEPAGE) && errno != EINVAL) {
        return WEFT_E_SYSTEM; /* EINVAL: a kernel that has nothing but base pages */
    }
#endif
    return WEFT_OK;
}

static enum weft_status open_hugetlb_pages(const struct weft_arena *const arena)
{
#ifdef MAP_HUGETLB
    const int size_shift = 26; /* MAP_HUGE_SHIFT: log2 of the page size lies above this bit */
    const int size_log2 = arena->pages == WEFT_PAGES_1G ? 30 : 21;
    const int flags =
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | (size_log2 << size_shift);

    if (mmap(arena->base, arena->size_bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        return WEFT_E_PAGES;
    return WEFT_OK;
#else
    (void)arena;
    return WEFT_E_UNSUPPORTED;
#endif
}

enum weft_status weft_arena_create(struct weft_arena *const arena, const size_t size_bytes,
                                   const enum weft_pages pages)
{
    *arena = (struct weft_arena){0};
    if (size_bytes == 0 || (unsigned)pages >= WEFT_PAGES_COUNT)
        return WEFT_E_INVALID;
    const size_t page_bytes = page_bytes_of(pages);
    const size_t alignment = page_bytes > ALIGNMENT_MIN ? page_bytes : ALIGNMENT_MIN;
    const size_t cost_bytes = weft_arena_cost_bytes(size_bytes, pages);
    if (cost_bytes > SIZE_MAX - alignment - 2 * base_page_bytes())
        return WEFT_E_INVALID;

    enum weft_status status = check_supply(cost_bytes, pages);
    if (status != WEFT_OK)
        return status;
    status = reserve(arena, cost_bytes, alignment);
    if (status != WEFT_OK)
        return status;
    arena->pages = pages;
    status = is_hugetlb(pages) ? open_hugetlb_pages(arena) : open_base_pages(arena);
    if (status != WEFT_OK)
        weft_arena_destroy(arena);
    return status;
}

void weft_arena_destroy(struct weft_arena *const arena)
{
    const int error = errno; /* the caller may be about to report it */

    if (arena->mapping)
        munmap(arena->mapping, arena->mapping_bytes);
    *arena = (struct weft_arena){0};
    errno = error;
}
