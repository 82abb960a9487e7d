/* SPDX-License-Identifier: MIT */
#include "machine/cpu_list.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool take_number(const char **const text, int *const number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    const unsigned long value = strtoul(*text, &end, 10);
    if (value >= INT_MAX)
        return false;
    *number = (int)value;
    *text = end;
    return true;
}

bool weft_cpu_list_next(const char **const list, int *const first, int *const last)
{
    const char *text = *list;

    if (!take_number(&text, first))
        return false;
    *last = *first;
    if (*text == '-') {
        ++text;
        if (!take_number(&text, last) || *last < *first)
            return false;
    }
    if (*text == ',')
        ++text;
    else if (*text && !isspace((unsigned char)*text))
        return false;
    *list = text;
    return true;
}

unsigned weft_cpu_list_count(const char *list)
{
    unsigned count = 0;
    int first;
    int last;

    while (weft_cpu_list_next(&list, &first, &last))
        count += (unsigned)(last - first) + 1;
    return *list && !isspace((unsigned char)*list) ? 0 : count;
}

bool weft_cpu_list_write(char *const list, const size_t capacity, const int *const cpus,
                         const size_t count)
{
    size_t used = 0;

    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && cpus[end] == cpus[end - 1] + 1;)
            ++end;
        const char *const separator = begin > 0 ? "," : "";
        const int length = end - begin == 1 ? snprintf(list + used, capacity - used, "%s%d",
                                                       separator, cpus[begin])
                                            : snprintf(list + used, capacity - used, "%s%d-%d",
                                                       separator, cpus[begin], cpus[end - 1]);
        if (length < 0 || (size_t)length >= capacity - used)
            return false;
        used += (size_t)length;
    }
    return count > 0;
}
