/* SPDX-License-Identifier: MIT */
#include "test_interleave.c"
