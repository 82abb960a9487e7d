/* SPDX-License-Identifier: MIT */
#include "made_up_root.h"

#include "machine/memory_limits.h"
#include "machine/under_root.h"

#define NO_LIMIT UINT64_MAX

static uint64_t available(void)
{
    return weft_memory_available_under(root, NO_LIMIT, NO_LIMIT);
}

static uint64_t minus_a_tenth(uint64_t bytes)
{
    return bytes - bytes / 10;
}

static void put_system_memory(void)
{
    put("/proc/meminfo", "MemTotal:       9000000 kB\nMemFree:          10000 kB\n"
                         "MemAvailable:    1024000 kB\nBuffers:            100 kB\n");
}

static void system_leaves_what_is_available_minus_a_tenth(void **state)
{
    (void)state;
    assert_bytes(available(), UINT64_MAX);
    put_system_memory();
    assert_bytes(available(), minus_a_tenth(1000 * MIB));
}

static void put_version2_groups(void)
{
    put_system_memory();
    put("/proc/self/cgroup", "0::/user/job\n");
    put("/proc/self/mountinfo",
        "20 1 8:1 / / rw - ext4 /dev/root rw\n"
        "31 20 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    put("/sys/fs/cgroup/user/job/memory.max", "max\n");
    put("/sys/fs/cgroup/user/job/memory.high", "max\n");
    put("/sys/fs/cgroup/user/job/memory.current", "10485760\n");
    put("/sys/fs/cgroup/user/memory.max", "max\n");
    put("/sys/fs/cgroup/user/memory.current", "20971520\n");
}

static void version2_group_without_limit_leaves_what_the_system_leaves(void **state)
{
    (void)state;
    put_version2_groups();
    assert_bytes(available(), minus_a_tenth(1000 * MIB));
}

static void version2_limit_counts_without_reclaimable_file_pages(void **state)
{
    (void)state;
    put_version2_groups();
    put("/sys/fs/cgroup/user/job/memory.max", "104857600\n");
    assert_bytes(available(), minus_a_tenth(90 * MIB));
    put("/sys/fs/cgroup/user/job/memory.stat",
        "anon 1\nactive_file 3145728\ninactive_file 4194304\n");
    assert_bytes(available(), minus_a_tenth(94 * MIB));
}

static void version2_limit_of_any_ancestor_counts(void **state)
{
    (void)state;
    put_version2_groups();
    put("/sys/fs/cgroup/user/job/memory.max", "104857600\n");
    put("/sys/fs/cgroup/user/memory.max", "52428800\n");
    assert_bytes(available(), minus_a_tenth(30 * MIB));
    put("/sys/fs/cgroup/memory.max", "1048576\n");
    assert_bytes(available(), minus_a_tenth(MIB));
}

static void version2_throttling_limit_counts(void **state)
{
    (void)state;
    put_version2_groups();
    put("/sys/fs/cgroup/user/job/memory.high", "31457280\n");
    assert_bytes(available(), minus_a_tenth(20 * MIB));
}

static void group_over_its_limit_leaves_nothing(void **state)
{
    (void)state;
    put_version2_groups();
    put("/sys/fs/cgroup/user/job/memory.max", "1048576\n");
    assert_bytes(available(), 0);
}

static void malformed_files_tell_nothing(void **state)
{
    static const char *const contents[] = {"", "\n", "-1\n", "12x\n", "99999999999999999999999\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); ++i) {
        put_version2_groups();
        put("/sys/fs/cgroup/user/job/memory.max", contents[i]);
        assert_bytes(available(), minus_a_tenth(1000 * MIB));
        put("/proc/self/mountinfo", contents[i]);
        assert_bytes(available(), minus_a_tenth(1000 * MIB));
        put("/proc/self/cgroup", contents[i]);
        assert_bytes(available(), minus_a_tenth(1000 * MIB));
        put("/proc/meminfo", contents[i]);
        assert_bytes(available(), UINT64_MAX);
    }
    put("/proc/meminfo", "MemAvailable: 99999999999999999 kB\n");
    assert_bytes(available(), UINT64_MAX);
    put("/proc/self/mountinfo", "31 20 0:28\n31 20 0:28 / /x rw - cgroup2\n - \n");
    put("/proc/self/cgroup", "0::\n:\n0::relative\n0::/../outside\n");
    assert_bytes(available(), UINT64_MAX);
}

/* As a container without a cgroup namespace sees it: its own group is mounted as the top. */
static void version1_limits_count_below_the_mounted_group(void **state)
{
    (void)state;
    put_system_memory();
    put("/proc/self/cgroup",
        "9:name=systemd:/box\n5:cpu,memory:/box/job\n4:hugetlb:/box\n0::/box\n");
    put("/proc/self/mountinfo",
        "30 1 0:40 /box /cg/cpu rw - cgroup cgroup rw,cpu\n"
        "31 1 0:41 /box /cg/my\\040memory rw - cgroup cgroup rw,cpu,memory\n"
        "32 1 0:41 /other /cg/other rw - cgroup cgroup rw,cpu,memory\n"
        "33 1 0:41 /bo /cg/prefix rw - cgroup cgroup rw,cpu,memory\n");
    put("/cg/cpu/memory.limit_in_bytes", "1\n");
    put("/cg/other/memory.limit_in_bytes", "1\n");
    put("/cg/prefixx/job/memory.limit_in_bytes", "1\n");
    put("/cg/my memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    put("/cg/my memory/job/memory.usage_in_bytes", "1048576\n");
    assert_bytes(available(), minus_a_tenth(1000 * MIB));
    put("/cg/my memory/memory.limit_in_bytes", "83886080\n");
    put("/cg/my memory/memory.usage_in_bytes", "41943040\n");
    put("/cg/my memory/memory.stat", "inactive_file 1\ntotal_inactive_file 10485760\n");
    assert_bytes(available(), minus_a_tenth(50 * MIB));
    put("/cg/my memory/job/memory.limit_in_bytes", "2097152\n");
    assert_bytes(available(), minus_a_tenth(MIB));
}

static void resource_limits_count_without_what_is_mapped(void **state)
{
    (void)state;
    put_system_memory();
    put("/proc/self/status", "Name:\tx\nVmSize:\t   20480 kB\nVmData:\t   10240 kB\n");
    assert_bytes(weft_memory_available_under(root, 100 * MIB, NO_LIMIT), minus_a_tenth(80 * MIB));
    assert_bytes(weft_memory_available_under(root, NO_LIMIT, 100 * MIB), minus_a_tenth(90 * MIB));
    assert_bytes(weft_memory_available_under(root, 10 * MIB, NO_LIMIT), 0);
    assert_bytes(weft_memory_available_under(root, 5000 * MIB, 5000 * MIB),
                 minus_a_tenth(1000 * MIB));
}

static void hugetlb_pages_are_free_unless_promised_or_beyond_the_group(void **state)
{
    (void)state;
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 2 * MIB), 0);
    put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "10\n");
    put("/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "3\n");
    put("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "2\n");
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 2 * MIB), 7);
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 1024 * MIB), 2);
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 4 * MIB), 0);
    put_version2_groups();
    put("/sys/fs/cgroup/user/hugetlb.2MB.max", "8388608\n");
    put("/sys/fs/cgroup/user/hugetlb.2MB.current", "2097152\n");
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 2 * MIB), 3);
    assert_bytes(weft_memory_free_hugetlb_pages_under(root, 1024 * MIB), 2);
}

static void this_machine_has_memory_but_not_more_than_all(void **state)
{
#ifdef __linux__
    uint64_t total;

    assert_true(weft_read_field_bytes(&total, "MemTotal", "/proc/meminfo"));
    const uint64_t bytes = weft_memory_available_bytes();
    assert_true(bytes > 0 && bytes < total);
#endif
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(system_leaves_what_is_available_minus_a_tenth),
        WITH_ROOT(version2_group_without_limit_leaves_what_the_system_leaves),
        WITH_ROOT(version2_limit_counts_without_reclaimable_file_pages),
        WITH_ROOT(version2_limit_of_any_ancestor_counts),
        WITH_ROOT(version2_throttling_limit_counts),
        WITH_ROOT(group_over_its_limit_leaves_nothing),
        WITH_ROOT(malformed_files_tell_nothing),
        WITH_ROOT(version1_limits_count_below_the_mounted_group),
        WITH_ROOT(resource_limits_count_without_what_is_mapped),
        WITH_ROOT(hugetlb_pages_are_free_unless_promised_or_beyond_the_group),
        cmocka_unit_test(this_machine_has_memory_but_not_more_than_all),
    };

    return cmocka_run_group_tests_name("memory_limits", tests, NULL, NULL);
}
