/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#endif
#include "fiber/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fiber/shadow_stack.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum {
    stack_bytes_min = 4096,
    colours = 16, /* a step of four lines: what a fiber that yields in a shallow frame touches */
    colour_bytes = 256,
};

static struct weft_fiber_exceptions_ no_exceptions;

#ifdef __ELF__
/* Present where the C++ runtime is. */
extern struct weft_fiber_exceptions_ *__cxa_get_globals(void) __attribute__((weak));
#endif

static struct weft_fiber_exceptions_ *exceptions_of_thread(void)
{
#ifdef __ELF__
    if (__cxa_get_globals)
        return __cxa_get_globals();
#endif
    return &no_exceptions;
}

/* A guard that is no mapping of its own: the number of mappings is limited (65530 by default), and
 * two for each stack reach that soon. Emulators accept any advice, so one that does not exist must
 * fail for the real one to be believed. */
static bool has_light_guards(const struct weft_fiber_pool *const pool)
{
#ifdef __linux__
    const int no_such_advice = 0x7fffffff;

    return madvise(pool->mapping, pool->page_bytes, no_such_advice) != 0 &&
           madvise(pool->mapping, pool->page_bytes, MADV_GUARD_INSTALL) == 0;
#else
    (void)pool;
    return false;
#endif
}

static enum weft_status install_guard(const struct weft_fiber_pool *const pool, char *const page)
{
    if (pool->light_guards && madvise(page, pool->page_bytes, MADV_GUARD_INSTALL) == 0)
        return WEFT_OK;
    if (mprotect(page, pool->page_bytes, PROT_NONE) == 0)
        return WEFT_OK;
    return errno == ENOMEM ? WEFT_E_NOMEM : WEFT_E_SYSTEM;
}

static enum weft_status lay_out(struct weft_fiber_pool *const pool, const size_t stack_bytes)
{
    const size_t above = sizeof(struct weft_fiber_control) + (colours - 1) * colour_bytes;
    const long page_bytes = sysconf(_SC_PAGESIZE);

    if (page_bytes <= 0)
        return WEFT_E_SYSTEM;
    pool->page_bytes = (size_t)page_bytes;
    if (stack_bytes > SIZE_MAX / 2)
        return WEFT_E_INVALID;
    pool->slot_bytes = pool->page_bytes + (stack_bytes + above + pool->page_bytes - 1) /
                                              pool->page_bytes * pool->page_bytes;
    pool->stack_bytes = pool->slot_bytes - pool->page_bytes - above;
    return __builtin_mul_overflow(pool->slot_bytes, pool->capacity, &pool->mapping_bytes)
               ? WEFT_E_INVALID
               : WEFT_OK;
}

enum weft_status weft_fiber_pool_create(struct weft_fiber_pool **const result,
                                        const size_t stack_bytes, const size_t capacity)
{
    if (!result || stack_bytes < stack_bytes_min || capacity == 0)
        return WEFT_E_INVALID;
    if (weft_fiber_shadow_stack_is_on())
        return WEFT_E_UNSUPPORTED;
    struct weft_fiber_pool *const pool = calloc(1, sizeof(*pool));
    if (!pool)
        return WEFT_E_NOMEM;
    weft_fiber_thread_.exceptions = exceptions_of_thread();
    weft_fiber_thread_.suspended_link = (uintptr_t)&weft_fiber_thread_ + WEFT_FIBER_LINK_SUSPENDED_;
    pool->owner = weft_fiber_thread_.suspended_link;
    pool->capacity = capacity;
    const enum weft_status status = lay_out(pool, stack_bytes);
    if (status != WEFT_OK) {
        free(pool);
        return status;
    }
    pool->valgrind_ids = RUNNING_ON_VALGRIND ? calloc(capacity, sizeof(*pool->valgrind_ids)) : NULL;
    pool->mapping = mmap(NULL, pool->mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool->mapping == MAP_FAILED) {
        free(pool->valgrind_ids);
        free(pool);
        return WEFT_E_NOMEM;
    }
#ifdef __linux__
    /* A huge page would take the memory of a hundred stacks for the first one touched. */
    madvise(pool->mapping, pool->mapping_bytes, MADV_NOHUGEPAGE);
#endif
    pool->light_guards = has_light_guards(pool);
    *result = pool;
    return WEFT_OK;
}

enum weft_status weft_fiber_pool_destroy(struct weft_fiber_pool *const pool)
{
    if (!pool)
        return WEFT_OK;
    if (pool->owner != weft_fiber_thread_.suspended_link || pool->count > 0)
        return WEFT_E_STATE;
    for (size_t i = 0; pool->valgrind_ids && i < pool->cut; ++i)
        VALGRIND_STACK_DEREGISTER(pool->valgrind_ids[i]);
    munmap(pool->mapping, pool->mapping_bytes);
    free(pool->valgrind_ids);
    free(pool);
    return WEFT_OK;
}

size_t weft_fiber_pool_stack_bytes(const struct weft_fiber_pool *const pool)
{
    return pool->stack_bytes;
}

size_t weft_fiber_pool_capacity(const struct weft_fiber_pool *const pool)
{
    return pool->capacity;
}

size_t weft_fiber_pool_count(const struct weft_fiber_pool *const pool)
{
    return pool->count;
}

/* A slot that was never used. */
static enum weft_status cut(struct weft_fiber_pool *const pool,
                            struct weft_fiber_control **const control)
{
    char *const slot = pool->mapping + pool->cut * pool->slot_bytes;
    const size_t colour = pool->cut % colours;

    if (pool->cut == pool->capacity)
        return WEFT_E_NOMEM;
    const enum weft_status status = install_guard(pool, slot);
    if (status != WEFT_OK)
        return status;
    char *const top = slot + pool->slot_bytes - colour * colour_bytes;
    *control = (struct weft_fiber_control *)(top - sizeof(**control));
    if (pool->valgrind_ids) /* with the control block, where the first stack pointer points */
        pool->valgrind_ids[pool->cut] = VALGRIND_STACK_REGISTER(slot + pool->page_bytes, top - 1);
    pool->cut++;
    return WEFT_OK;
}

enum weft_status weft_fiber_stack_take(struct weft_fiber_pool *const pool,
                                       struct weft_fiber_control **const control)
{
    if (pool->unused) {
        *control = (struct weft_fiber_control *)pool->unused;
        pool->unused = pool->unused->argument;
    } else {
        const enum weft_status status = cut(pool, control);
        if (status != WEFT_OK)
            return status;
    }
    pool->count++;
    return WEFT_OK;
}

void weft_fiber_stack_give_back(struct weft_fiber *const fiber)
{
    struct weft_fiber_pool *const pool = fiber->pool;

    fiber->argument = pool->unused;
    pool->unused = fiber;
    pool->count--;
}

const void *weft_fiber_stack_bottom(const struct weft_fiber *const fiber)
{
    const struct weft_fiber_pool *const pool = fiber->pool;
    const size_t offset_bytes = (size_t)((const char *)fiber - pool->mapping);

    return pool->mapping + offset_bytes / pool->slot_bytes * pool->slot_bytes + pool->page_bytes;
}
