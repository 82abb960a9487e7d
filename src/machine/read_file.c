/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getline */
#endif
#include "machine/read_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *const path_format, va_list arguments)
{
    char path[WEFT_PATH_MAX];
    const int length = vsnprintf(path, sizeof(path), path_format, arguments);

    if (length < 0 || (size_t)length >= sizeof(path))
        return NULL;
    return fopen(path, "re");
}

static size_t length_without_space(const char *const text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        --length;
    return length;
}

bool weft_parse_number(uint64_t *const value, const char *const text)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno || (*end && !isspace((unsigned char)*end)))
        return false;
    *value = number;
    return true;
}

static bool read_text(char *const text, const size_t capacity, FILE *const file)
{
    if (!file)
        return false;
    const size_t length = length_without_space(text, fread(text, 1, capacity - 1, file));
    fclose(file);
    text[length] = '\0';
    return length > 0;
}

bool weft_read_text(char *const text, const size_t capacity, const char *const path_format, ...)
{
    va_list arguments;

    va_start(arguments, path_format);
    FILE *const file = open_file(path_format, arguments);
    va_end(arguments);
    return read_text(text, capacity, file);
}

bool weft_read_number(uint64_t *const value, const char *const path_format, ...)
{
    char text[64];
    va_list arguments;

    va_start(arguments, path_format);
    FILE *const file = open_file(path_format, arguments);
    va_end(arguments);
    return read_text(text, sizeof(text), file) && weft_parse_number(value, text);
}

/* Where the value begins in a line that has this key, else NULL. */
static const char *value_in_line(const char *line, const char *const key)
{
    const size_t key_length = strlen(key);

    if (strncmp(line, key, key_length) != 0)
        return NULL;
    line += key_length;
    if (*line != ':' && !isspace((unsigned char)*line))
        return NULL; /* a longer key */
    while (*line == ':' || isspace((unsigned char)*line))
        ++line;
    return line;
}

static bool read_field(char *const value, const size_t capacity, const char *const key,
                       FILE *const file)
{
    char *line = NULL;
    size_t line_capacity = 0;
    bool found = false;

    if (!file)
        return false;
    while (!found && getline(&line, &line_capacity, file) >= 0) {
        const char *const text = value_in_line(line, key);
        if (!text)
            continue;
        const size_t whole = length_without_space(text, strlen(text));
        const size_t length = whole < capacity ? whole : capacity - 1;
        memcpy(value, text, length);
        value[length] = '\0';
        found = true;
    }
    free(line);
    fclose(file);
    return found && *value;
}

bool weft_read_field(char *const value, const size_t capacity, const char *const key,
                     const char *const path_format, ...)
{
    va_list arguments;

    va_start(arguments, path_format);
    FILE *const file = open_file(path_format, arguments);
    va_end(arguments);
    return read_field(value, capacity, key, file);
}

bool weft_read_field_bytes(uint64_t *const bytes, const char *const key,
                           const char *const path_format, ...)
{
    char text[64];
    uint64_t number;
    va_list arguments;

    va_start(arguments, path_format);
    FILE *const file = open_file(path_format, arguments);
    va_end(arguments);
    if (!read_field(text, sizeof(text), key, file) || !weft_parse_number(&number, text))
        return false;
    const char *const unit = strchr(text, ' ');
    if (unit && strcmp(unit, " kB") == 0) {
        if (number > UINT64_MAX / 1024)
            return false;
        number *= 1024;
    }
    *bytes = number;
    return true;
}
