/* SPDX-License-Identifier: MIT */
/* Small files of the system (proc, sysfs, cgroup), whose paths are made printf-fashion. Every
 * function returns false, and leaves its result alone, when the file does not tell. */
#ifndef WEFT_MACHINE_READ_FILE_H
#define WEFT_MACHINE_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_PATH_MAX 4096

/* The unsigned decimal number that `text` begins with, if it is followed by white space or the end;
 * false for anything else, also for one beyond 64 bits. */
bool weft_parse_number(uint64_t *value, const char *text);

/* The first `capacity` - 1 bytes of the file, without the white space at the end. An empty file
 * tells nothing. */
__attribute__((format(printf, 3, 4))) bool weft_read_text(char *text, size_t capacity,
                                                          const char *path_format, ...);

/* The number that the file begins with. */
__attribute__((format(printf, 2, 3))) bool weft_read_number(uint64_t *value,
                                                            const char *path_format, ...);

/* From the first line "key: value" or "key value", the value, cut to `capacity` - 1 bytes. */
__attribute__((format(printf, 4, 5))) bool
weft_read_field(char *value, size_t capacity, const char *key, const char *path_format, ...);

/* As weft_read_field(), for a number of bytes, or of kibibytes when "kB" follows. */
__attribute__((format(printf, 3, 4))) bool weft_read_field_bytes(uint64_t *bytes, const char *key,
                                                                 const char *path_format, ...);

#endif
