/* SPDX-License-Identifier: MIT */
/* All of weft's C API. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include "weft/coro.h"
#include "weft/fiber.h"
#include "weft/interleave.h"
#include "weft/prefetch.h"
#include "weft/status.h"
#include "weft/technique.h"

#endif
