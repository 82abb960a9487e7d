/* SPDX-License-Identifier: MIT */
#include "cmocka_main.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/memory_limits.h"
#include "machine/read_file.h"
#include "memory/arena.h"
#include "memory/residency.h"

#define SKIP_BECAUSE(reason)                                                                       \
    do {                                                                                           \
        print_message("skipped: %s\n", reason);                                                    \
        skip();                                                                                    \
    } while (0)

#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

static uint64_t mapped_bytes(void)
{
    uint64_t bytes = 0;

    weft_read_field_bytes(&bytes, "VmSize", "/proc/self/status");
    return bytes;
}

/* Whether the byte lies in a mapping that may be read, as the system's list of them says. */
static bool is_readable(const void *const address)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool readable = false;

    if (!maps)
        SKIP_BECAUSE("the system does not list its mappings");
    while (fgets(line, sizeof(line), maps)) {
        uintptr_t from;
        uintptr_t to;
        char permission;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c", &from, &to, &permission) == 3 &&
            (uintptr_t)address >= from && (uintptr_t)address < to)
            readable = permission == 'r';
    }
    fclose(maps);
    return readable;
}

static void cost_is_rounded_up_to_the_page_asked_for(void **state)
{
    const size_t base = (size_t)sysconf(_SC_PAGESIZE);

    (void)state;
    assert_int_equal(weft_arena_cost_bytes(1, WEFT_PAGES_4K), base);
    assert_int_equal(weft_arena_cost_bytes(base, WEFT_PAGES_4K), base);
    assert_int_equal(weft_arena_cost_bytes(base + 1, WEFT_PAGES_4K), 2 * base);
    assert_int_equal(weft_arena_cost_bytes(1, WEFT_PAGES_2M), 2 * MIB);
    assert_int_equal(weft_arena_cost_bytes(2 * MIB + 1, WEFT_PAGES_2M), 4 * MIB);
    assert_int_equal(weft_arena_cost_bytes(1, WEFT_PAGES_1G), GIB);
    assert_int_equal(weft_arena_cost_bytes(GIB + 1, WEFT_PAGES_1G), 2 * GIB);
    assert_int_equal(weft_arena_cost_bytes(1, WEFT_PAGES_THP) % (2 * MIB), 0);
    assert_true(weft_arena_cost_bytes(SIZE_MAX, WEFT_PAGES_4K) == SIZE_MAX);
}

static void page_names_are_those_of_the_flags(void **state)
{
    (void)state;
    assert_string_equal(weft_pages_name(WEFT_PAGES_4K), "4k");
    assert_string_equal(weft_pages_name(WEFT_PAGES_THP), "thp");
    assert_string_equal(weft_pages_name(WEFT_PAGES_2M), "2m");
    assert_string_equal(weft_pages_name(WEFT_PAGES_1G), "1g");
    assert_string_equal(weft_pages_name(WEFT_PAGES_COUNT), "unknown");
}

static void arena_is_aligned_zeroed_and_writable_to_its_last_byte(void **state)
{
    static const size_t sizes[] = {1, 4096, 2 * MIB - 1, 3 * MIB + 12345};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        struct weft_arena arena;

        assert_int_equal(weft_arena_create(&arena, sizes[i], WEFT_PAGES_4K), WEFT_OK);
        assert_int_equal((uintptr_t)arena.base % (2 * MIB), 0);
        assert_int_equal(arena.size_bytes, weft_arena_cost_bytes(sizes[i], WEFT_PAGES_4K));
        unsigned char *const bytes = arena.base;
        for (size_t at = 0; at < arena.size_bytes; ++at)
            assert_int_equal(bytes[at], 0);
        memset(arena.base, 0xa5, arena.size_bytes);
        weft_arena_destroy(&arena);
    }
}

static void pages_beside_the_arena_are_inaccessible(void **state)
{
    struct weft_arena arena;

    (void)state;
    assert_int_equal(weft_arena_create(&arena, 3 * MIB, WEFT_PAGES_4K), WEFT_OK);
    const unsigned char *const bytes = arena.base;
    assert_true(is_readable(bytes));
    assert_true(is_readable(bytes + arena.size_bytes - 1));
    assert_false(is_readable(bytes - 1));
    assert_false(is_readable(bytes + arena.size_bytes));
    /* They are the arena's own, not a hole that a later mapping may fill. */
    const unsigned char *const mapping = arena.mapping;
    assert_true(mapping < bytes);
    assert_true(mapping + arena.mapping_bytes > bytes + arena.size_bytes);
    weft_arena_destroy(&arena);
}

static void destroying_gives_all_address_space_back_and_may_be_repeated(void **state)
{
    struct weft_arena arena;
    struct weft_arena zeroed = {0};

    (void)state;
    const uint64_t before = mapped_bytes();
    assert_int_equal(weft_arena_create(&arena, 64 * MIB, WEFT_PAGES_4K), WEFT_OK);
    const void *const base = arena.base;
    assert_true(is_readable(base));
    weft_arena_destroy(&arena);
    assert_false(is_readable(base));
    assert_true(mapped_bytes() < before + 32 * MIB);
    assert_null(arena.base);
    weft_arena_destroy(&arena);
    weft_arena_destroy(&zeroed);
}

static void sizes_that_cannot_be_are_invalid(void **state)
{
    struct weft_arena arena;

    (void)state;
    for (int pages = 0; pages < WEFT_PAGES_COUNT; ++pages) {
        assert_int_equal(weft_arena_create(&arena, 0, (enum weft_pages)pages), WEFT_E_INVALID);
        assert_int_equal(weft_arena_create(&arena, SIZE_MAX, (enum weft_pages)pages),
                         WEFT_E_INVALID);
        assert_int_equal(weft_arena_create(&arena, SIZE_MAX - MIB, (enum weft_pages)pages),
                         WEFT_E_INVALID);
    }
    assert_int_equal(weft_arena_create(&arena, MIB, WEFT_PAGES_COUNT), WEFT_E_INVALID);
    assert_null(arena.base);
}

static void more_than_is_available_is_refused_without_mapping(void **state)
{
    struct weft_arena arena;

    (void)state;
    const uint64_t available = weft_memory_available_bytes();
    if (available > SIZE_MAX / 4)
        SKIP_BECAUSE("the system does not tell how much memory is available");
    const uint64_t before = mapped_bytes();
    /* Within the tenth that is kept back: the system itself would let it be mapped. */
    const size_t size_bytes = (size_t)(available + available / 16);
    assert_int_equal(weft_arena_create(&arena, size_bytes, WEFT_PAGES_4K), WEFT_E_NOMEM);
    assert_true(mapped_bytes() < before + 64 * MIB);
    assert_null(arena.base);
    weft_arena_destroy(&arena);
}

enum limited { LIMITED_ADDRESS_SPACE, LIMITED_DATA };

/* In a child, since a limit cannot be raised again. Its exit status: 0 refused before mapping, 2
 * the limit has no effect (a user-mode emulator), 1 anything else. */
static int create_beyond_limit(const enum limited limited)
{
    const char *const used_key = limited == LIMITED_DATA ? "VmData" : "VmSize";
    struct weft_arena arena;
    struct rlimit limit;
    uint64_t used = 0;

    if (!weft_read_field_bytes(&used, used_key, "/proc/self/status"))
        return 2;
    limit.rlim_cur = used + 256 * MIB;
    limit.rlim_max = limit.rlim_cur;
    if (limited == LIMITED_DATA ? setrlimit(RLIMIT_DATA, &limit) : setrlimit(RLIMIT_AS, &limit))
        return 1;
    if (limited == LIMITED_DATA ? getrlimit(RLIMIT_DATA, &limit) : getrlimit(RLIMIT_AS, &limit))
        return 1;
    if (limit.rlim_cur != used + 256 * MIB)
        return 2;
    if (weft_memory_available_bytes() > 256 * MIB)
        return 1;
    if (weft_arena_create(&arena, 64 * MIB, WEFT_PAGES_4K) != WEFT_OK)
        return 1;
    weft_arena_destroy(&arena);
    return weft_arena_create(&arena, 240 * MIB, WEFT_PAGES_4K) == WEFT_E_NOMEM ? 0 : 1;
}

static void check_limit(const enum limited limited)
{
    int status;
    const pid_t child = fork();

    if (child == 0)
        _exit(create_beyond_limit(limited));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        SKIP_BECAUSE("resource limits have no effect here");
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void arena_beyond_the_address_space_limit_is_refused(void **state)
{
    (void)state;
    check_limit(LIMITED_ADDRESS_SPACE);
}

static void arena_beyond_the_data_limit_is_refused(void **state)
{
    (void)state;
    check_limit(LIMITED_DATA);
}

static void hugetlb_pages_beyond_the_pool_are_refused(void **state)
{
#ifdef __linux__
    static const struct {
        enum weft_pages pages;
        uint64_t page_bytes;
    } cases[] = {{WEFT_PAGES_2M, 2 * MIB}, {WEFT_PAGES_1G, GIB}};

    for (size_t i = 0; i < 2; ++i) {
        struct weft_arena arena;
        const uint64_t pages = weft_memory_free_hugetlb_pages(cases[i].page_bytes);

        assert_int_equal(
            weft_arena_create(&arena, (size_t)(pages + 1) * cases[i].page_bytes, cases[i].pages),
            WEFT_E_PAGES);
        assert_null(arena.base);
    }
#endif
    (void)state;
}

/* Only an emulator, which is what AArch64 code may well run under, is excused from telling. */
static void require_known(const struct weft_residency residency)
{
#if defined(__linux__) && defined(__x86_64__)
    assert_true(residency.known);
#endif
    if (!residency.known)
        SKIP_BECAUSE("the system does not tell which pages an arena lies in");
}

static struct weft_residency touched_residency(const size_t size_bytes, const enum weft_pages pages)
{
    struct weft_arena arena;

    assert_int_equal(weft_arena_create(&arena, size_bytes, pages), WEFT_OK);
    memset(arena.base, 1, arena.size_bytes);
    const struct weft_residency residency = weft_residency_read(&arena);
    weft_arena_destroy(&arena);
    return residency;
}

static void base_pages_are_proven_by_residency(void **state)
{
    const struct weft_residency residency = touched_residency(16 * MIB + 1, WEFT_PAGES_4K);

    (void)state;
    require_known(residency);
    assert_int_equal(residency.page_bytes, sysconf(_SC_PAGESIZE));
    assert_true(residency.share == 1);
}

static void transparent_huge_pages_are_proven_by_residency(void **state)
{
    (void)state;
    if (!weft_thp_available())
        SKIP_BECAUSE("transparent huge pages are switched off");
    /* One byte more: the huge page that it lies in is part of the arena too. */
    const struct weft_residency residency = touched_residency(8 * MIB + 1, WEFT_PAGES_THP);
    require_known(residency);
    assert_int_equal(residency.page_bytes, weft_arena_cost_bytes(1, WEFT_PAGES_THP));
    assert_true(residency.share >= WEFT_RESIDENCY_SHARE_MIN && residency.share <= 1);
}

/* What a cell must notice: the pages are not those that its name says. */
static void residency_tells_pages_that_were_not_obtained(void **state)
{
    struct weft_arena arena;

    (void)state;
    assert_int_equal(weft_arena_create(&arena, 8 * MIB, WEFT_PAGES_4K), WEFT_OK);
    memset(arena.base, 1, arena.size_bytes);
    arena.pages = WEFT_PAGES_THP;
    const struct weft_residency residency = weft_residency_read(&arena);
    arena.pages = WEFT_PAGES_2M;
    const struct weft_residency pooled = weft_residency_read(&arena);
    weft_arena_destroy(&arena);
    require_known(residency);
    assert_true(residency.share == 0);
    assert_int_equal(residency.page_bytes, sysconf(_SC_PAGESIZE));
    assert_true(pooled.share == 0);
}

static void residency_tells_neighbouring_arenas_apart(void **state)
{
    struct weft_arena arenas[4];

    (void)state;
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(weft_arena_create(&arenas[i], 4 * MIB, WEFT_PAGES_4K), WEFT_OK);
    memset(arenas[1].base, 1, arenas[1].size_bytes);
    for (size_t i = 0; i < 4; ++i) {
        const struct weft_residency residency = weft_residency_read(&arenas[i]);
        assert_true(!residency.known || i == 1);
        weft_arena_destroy(&arenas[i]);
    }
}

static void untouched_and_destroyed_arenas_have_unknown_residency(void **state)
{
    struct weft_arena arena;

    (void)state;
    assert_int_equal(weft_arena_create(&arena, 4 * MIB, WEFT_PAGES_4K), WEFT_OK);
    assert_false(weft_residency_read(&arena).known);
    weft_arena_destroy(&arena);
    assert_false(weft_residency_read(&arena).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_is_rounded_up_to_the_page_asked_for),
        cmocka_unit_test(page_names_are_those_of_the_flags),
        cmocka_unit_test(arena_is_aligned_zeroed_and_writable_to_its_last_byte),
        cmocka_unit_test(pages_beside_the_arena_are_inaccessible),
        cmocka_unit_test(destroying_gives_all_address_space_back_and_may_be_repeated),
        cmocka_unit_test(sizes_that_cannot_be_are_invalid),
        cmocka_unit_test(more_than_is_available_is_refused_without_mapping),
        cmocka_unit_test(arena_beyond_the_address_space_limit_is_refused),
        cmocka_unit_test(arena_beyond_the_data_limit_is_refused),
        cmocka_unit_test(hugetlb_pages_beyond_the_pool_are_refused),
        cmocka_unit_test(base_pages_are_proven_by_residency),
        cmocka_unit_test(transparent_huge_pages_are_proven_by_residency),
        cmocka_unit_test(residency_tells_pages_that_were_not_obtained),
        cmocka_unit_test(residency_tells_neighbouring_arenas_apart),
        cmocka_unit_test(untouched_and_destroyed_arenas_have_unknown_residency),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
