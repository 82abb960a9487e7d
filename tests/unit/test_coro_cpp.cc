/* SPDX-License-Identifier: MIT */
#include "test_coro.c"
