/* SPDX-License-Identifier: MIT */
/* cmocka with the standard headers it needs before it. */
#ifndef WEFT_TESTS_CMOCKA_MAIN_H
#define WEFT_TESTS_CMOCKA_MAIN_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
/* clang-format on */

#endif
