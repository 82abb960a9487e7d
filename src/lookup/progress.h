/* SPDX-License-Identifier: MIT */
/* How a long build tells how far it is. */
#ifndef WEFT_LOOKUP_PROGRESS_H
#define WEFT_LOOKUP_PROGRESS_H

#include <stdbool.h>

/* Called about every 64 MiB with the share that is built, 0 to 1; false stops the build. */
typedef bool weft_build_progress_fn(double share, void *argument);

#endif
