/* SPDX-License-Identifier: MIT */
#include "test_technique.c"
