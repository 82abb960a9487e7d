/* SPDX-License-Identifier: MIT */
/* A made-up machine: files below a directory of its own, removed after the test. */
#ifndef WEFT_TESTS_UNIT_MADE_UP_ROOT_H
#define WEFT_TESTS_UNIT_MADE_UP_ROOT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkdtemp, nftw */
#endif
#include "cmocka_main.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/read_file.h"

#define MIB ((uint64_t)1 << 20)
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/weft-machine-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *content)
{
    char whole[WEFT_PATH_MAX];

    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
    }
    FILE *const file = fopen(whole, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void assert_bytes(uint64_t found, uint64_t expected)
{
    if (found != expected)
        fail_msg("found %llu, expected %llu", (unsigned long long)found,
                 (unsigned long long)expected);
}

#endif
