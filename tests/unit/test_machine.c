/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "made_up_root.h"

#include <ctype.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "machine/affinity.h"
#include "machine/cpu_list.h"
#include "machine/cpu_model.h"
#include "machine/description.h"
#include "machine/topology.h"
#include "machine/under_root.h"
#include "machine/usage.h"

static void fields_are_found_by_their_whole_key(void **state)
{
    char value[16];
    uint64_t number;

    (void)state;
    put("/f", "MemFree: 1 kB\nMem: 2 kB\ncpu  3 4\nempty:\nlong 0123456789abcdefgh\n");
    assert_true(weft_read_field(value, sizeof(value), "Mem", "%s/f", root));
    assert_string_equal(value, "2 kB");
    assert_true(weft_read_field(value, sizeof(value), "cpu", "%s/f", root));
    assert_string_equal(value, "3 4");
    assert_true(weft_read_field(value, sizeof(value), "long", "%s/f", root));
    assert_string_equal(value, "0123456789abcde");
    assert_false(weft_read_field(value, sizeof(value), "empty", "%s/f", root));
    assert_false(weft_read_field(value, sizeof(value), "absent", "%s/f", root));
    assert_false(weft_read_field(value, sizeof(value), "Mem", "%s/absent", root));
    assert_true(weft_read_field_bytes(&number, "MemFree", "%s/f", root));
    assert_bytes(number, 1024);
    assert_true(weft_read_text(value, sizeof(value), "%s/f", root));
    assert_string_equal(value, "MemFree: 1 kB\nM");
}

static void numbers_are_plain_decimals_of_64_bits(void **state)
{
    static const char *const malformed[] = {
        "", " 1", "-1", "+1", "0x1", "1k", "18446744073709551616"};
    uint64_t number = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); ++i)
        assert_false(weft_parse_number(&number, malformed[i]));
    assert_bytes(number, 7);
    assert_true(weft_parse_number(&number, "18446744073709551615\n"));
    assert_bytes(number, UINT64_MAX);
}

static void processor_lists_are_read_as_the_kernel_writes_them(void **state)
{
    static const char *const malformed[] = {"", "x", "1-", "3-1", "1,,2", "1;2", "99999999999"};
    const int cpus[] = {0, 1, 2, 5, 8, 9};
    char list[32];

    (void)state;
    assert_int_equal(weft_cpu_list_count("0\n"), 1);
    assert_int_equal(weft_cpu_list_count("0-3,8,10-11"), 7);
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); ++i)
        assert_int_equal(weft_cpu_list_count(malformed[i]), 0);
    assert_true(weft_cpu_list_write(list, sizeof(list), cpus, 6));
    assert_string_equal(list, "0-2,5,8-9");
    assert_false(weft_cpu_list_write(list, 9, cpus, 6));
    assert_false(weft_cpu_list_write(list, sizeof(list), cpus, 0));
}

/* Two sockets of two cores of two hardware threads; threads n and n + 4 share a core. */
static void put_processors(void)
{
    for (int cpu = 0; cpu < 8; ++cpu) {
        char path[128];
        char text[32];

        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpu);
        snprintf(text, sizeof(text), "%d,%d\n", cpu % 4, cpu % 4 + 4);
        put(path, text);
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/core_siblings_list",
                 cpu);
        put(path, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
    }
    put("/sys/devices/system/cpu/online", "0-7\n");
    put("/sys/devices/system/node/online", "0-1\n");
}

static void order_takes_every_core_from_the_highest_before_second_threads(void **state)
{
    int cpus[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int expected[] = {3, 2, 1, 0, 7, 6, 5, 4};
    int some[] = {0, 2, 4, 5};
    const int expected_some[] = {2, 5, 0, 4};

    (void)state;
    put_processors();
    assert_true(weft_affinity_sort_under(root, cpus, 8));
    assert_memory_equal(cpus, expected, sizeof(cpus));
    assert_true(weft_affinity_sort_under(root, some, 4));
    assert_memory_equal(some, expected_some, sizeof(some));
}

static void order_without_topology_begins_with_the_highest(void **state)
{
    int cpus[] = {0, 2, 3};
    const int expected[] = {3, 2, 0};

    (void)state;
    assert_true(weft_affinity_sort_under(root, cpus, 3));
    assert_memory_equal(cpus, expected, sizeof(cpus));
}

static void topology_counts_threads_cores_sockets_and_nodes(void **state)
{
    (void)state;
    const struct weft_topology nothing = weft_topology_read_under(root);
    assert_int_equal(nothing.threads + nothing.cores + nothing.sockets + nothing.numa_nodes, 0);
    put_processors();
    const struct weft_topology topology = weft_topology_read_under(root);
    assert_int_equal(topology.threads, 8);
    assert_int_equal(topology.cores, 4);
    assert_int_equal(topology.sockets, 2);
    assert_int_equal(topology.numa_nodes, 2);
}

static void caches_are_told_by_level_and_never_the_one_for_instructions(void **state)
{
    static const struct {
        const char *level, *type, *size, *sharers;
    } caches[] = {
        {"1", "Instruction", "64K", "2"},
        {"1", "Data", "48K", "2,6"},
        {"2", "Unified", "2048K", "2,6"},
        {"3", "Unified", "36M", "0-7"},
    };
    char path[128];

    (void)state;
    for (int i = 0; i < 4; ++i) {
        const int length =
            snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu2/cache/index%d/", i);
        strcpy(path + length, "level");
        put(path, caches[i].level);
        strcpy(path + length, "type");
        put(path, caches[i].type);
        strcpy(path + length, "size");
        put(path, caches[i].size);
        strcpy(path + length, "shared_cpu_list");
        put(path, caches[i].sharers);
    }
    assert_bytes(weft_cache_read_under(root, 2, 1).bytes, 48 * 1024);
    assert_int_equal(weft_cache_read_under(root, 2, 1).shared_by, 2);
    assert_bytes(weft_cache_read_under(root, 2, 2).bytes, 2 * MIB);
    assert_bytes(weft_cache_read_under(root, 2, 3).bytes, 36 * MIB);
    assert_int_equal(weft_cache_read_under(root, 2, 3).shared_by, 8);
    assert_bytes(weft_cache_read_under(root, 2, 4).bytes, 0);
    assert_bytes(weft_cache_read_under(root, 0, 1).bytes, 0);
}

static void last_level_cache_is_the_highest_known(void **state)
{
    uint64_t highest = 0;

    (void)state;
    for (unsigned level = 1; level <= WEFT_CACHE_LEVEL_MAX; ++level)
        if (weft_cache_bytes(level) > 0)
            highest = weft_cache_bytes(level);
    assert_bytes(weft_last_level_cache_bytes(), highest);
    assert_bytes(weft_cache_bytes(0), 0);
    assert_bytes(weft_cache_bytes(WEFT_CACHE_LEVEL_MAX + 1), 0);
}

#ifdef __linux__
static void order_is_a_permutation_of_the_allowed_mask(void **state)
{
    cpu_set_t mask;
    int cpus[CPU_SETSIZE];

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
    const size_t count = weft_affinity_order(cpus, CPU_SETSIZE);
    assert_int_equal(count, CPU_COUNT(&mask));
    assert_int_equal(weft_affinity_order(NULL, 0), count);
    for (size_t i = 0; i < count; ++i) {
        assert_true(weft_affinity_allows(cpus[i]));
        assert_true(CPU_ISSET((size_t)cpus[i], &mask));
        CPU_CLR((size_t)cpus[i], &mask);
    }
    assert_int_equal(CPU_COUNT(&mask), 0);
    assert_false(weft_affinity_allows(-1));
    assert_false(weft_affinity_allows(1 << 22));
}

static void order_obeys_a_narrowed_mask_and_the_room_given(void **state)
{
    cpu_set_t former;
    cpu_set_t narrow;
    int cpus[CPU_SETSIZE];
    int two[2] = {-1, -1};

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(former), &former), 0);
    const size_t count = weft_affinity_order(cpus, CPU_SETSIZE);
    for (size_t i = 0; i < count; ++i) {
        CPU_ZERO(&narrow);
        CPU_SET((size_t)cpus[i], &narrow);
        assert_int_equal(sched_setaffinity(0, sizeof(narrow), &narrow), 0);
        assert_int_equal(weft_affinity_order(two, 2), 1);
        assert_int_equal(two[0], cpus[i]);
        assert_int_equal(two[1], -1);
        for (size_t k = 0; k < count; ++k)
            assert_int_equal(weft_affinity_allows(cpus[k]), k == i);
    }
    assert_int_equal(sched_setaffinity(0, sizeof(former), &former), 0);
    assert_int_equal(weft_affinity_order(two, 1), count);
    assert_int_equal(two[0], cpus[0]);
    assert_int_equal(two[1], -1);
}
#endif

static void arm_cores_are_named_by_their_register(void **state)
{
    char name[64];

    (void)state;
    weft_midr_name(name, sizeof(name), 0x413fd0c1);
    assert_string_equal(name, "Arm Neoverse-N1");
    weft_midr_name(name, sizeof(name), 0x410ffff0);
    assert_string_equal(name, "Arm part 0xfff");
    weft_midr_name(name, sizeof(name), 0x990f1230);
    assert_string_equal(name, "implementer 0x99 part 0x123");
}

struct seen {
    char keys[64][32];
    size_t count;
    char allowed_cpus[WEFT_PATH_MAX];
};

static void check_entry(const char *key, const char *value, void *argument)
{
    struct seen *const seen = argument;

    for (const char *at = key; *at; ++at)
        assert_true(islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_');
    for (size_t i = 0; i < seen->count; ++i)
        assert_string_not_equal(key, seen->keys[i]);
    assert_true(seen->count < 64 && strlen(key) < sizeof(seen->keys[0]));
    strcpy(seen->keys[seen->count++], key);
    assert_true(value[0] != '\0');
    for (const char *at = value; *at; ++at)
        assert_true(*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\');
    if (strcmp(key, "allowed_cpus") == 0)
        strcpy(seen->allowed_cpus, value);
}

static void description_tells_every_key_once_with_a_plain_value(void **state)
{
    static const char *const keys[] = {
        "cpu_model",
        "cpu_id",
        "arch",
        "cores",
        "threads",
        "sockets",
        "numa_nodes",
        "smt",
        "allowed_cpus",
        "l1d_bytes",
        "l1d_shared_by",
        "l2_bytes",
        "l2_shared_by",
        "l3_bytes",
        "l3_shared_by",
        "memory_bytes",
        "memory_available_bytes",
        "swap_total_bytes",
        "swap_used_bytes",
        "base_page_bytes",
        "thp_enabled",
        "thp_defrag",
        "hugetlb_2m_free",
        "hugetlb_1g_free",
        "kernel",
        "hypervisor",
        "governor",
        "turbo",
        "load_average",
        "steal_share_since_boot",
    };
    static struct seen seen;

    (void)state;
    weft_machine_describe(check_entry, &seen);
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k) {
        bool found = false;
        for (size_t i = 0; i < seen.count; ++i)
            found = found || strcmp(keys[k], seen.keys[i]) == 0;
        if (!found)
            fail_msg("no key %s", keys[k]);
    }
#ifdef __linux__
    assert_int_equal(weft_cpu_list_count(seen.allowed_cpus), weft_affinity_order(NULL, 0));
#endif
}

static void usage_counts_the_faults_and_time_of_fresh_memory(void **state)
{
    const size_t size_bytes = 64 * MIB;

    (void)state;
    unsigned char *const memory =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    const struct weft_usage before = weft_usage_read();
    memset(memory, 1, size_bytes);
    const struct weft_usage after = weft_usage_read();
    memset(memory, 2, size_bytes);
    const struct weft_usage again = weft_usage_read();
    munmap(memory, size_bytes);
    /* At most a fault per 2 MiB is saved by huge pages; a second pass has none to speak of. */
    assert_true(after.minor_faults - before.minor_faults >= size_bytes / (2 * MIB));
    assert_true(again.minor_faults - after.minor_faults < 16);
    assert_true(after.wall_ns > before.wall_ns);
    assert_true(after.cpu_ns > before.cpu_ns);
    assert_true(after.involuntary_switches >= before.involuntary_switches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(fields_are_found_by_their_whole_key),
        cmocka_unit_test(numbers_are_plain_decimals_of_64_bits),
        cmocka_unit_test(processor_lists_are_read_as_the_kernel_writes_them),
        WITH_ROOT(order_takes_every_core_from_the_highest_before_second_threads),
        WITH_ROOT(order_without_topology_begins_with_the_highest),
        WITH_ROOT(topology_counts_threads_cores_sockets_and_nodes),
        WITH_ROOT(caches_are_told_by_level_and_never_the_one_for_instructions),
        cmocka_unit_test(last_level_cache_is_the_highest_known),
#ifdef __linux__
        cmocka_unit_test(order_is_a_permutation_of_the_allowed_mask),
        cmocka_unit_test(order_obeys_a_narrowed_mask_and_the_room_given),
#endif
        cmocka_unit_test(arm_cores_are_named_by_their_register),
        cmocka_unit_test(description_tells_every_key_once_with_a_plain_value),
        cmocka_unit_test(usage_counts_the_faults_and_time_of_fresh_memory),
    };

    return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
