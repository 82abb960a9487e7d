/* SPDX-License-Identifier: MIT */
/* How much memory can be taken before the process is refused or killed. */
#ifndef WEFT_MACHINE_MEMORY_LIMITS_H
#define WEFT_MACHINE_MEMORY_LIMITS_H

#include <stdint.h>

/* The least of what the system (MemAvailable), every control group above the process (v1 and v2,
 * limit minus usage with reclaimable file pages given back; memory.high is a limit too) and the
 * resource limits (RLIMIT_AS, RLIMIT_DATA, minus what is mapped) leave, minus a tenth. UINT64_MAX
 * when nothing tells. */
uint64_t weft_memory_available_bytes(void);

/* Hugetlb pages of `page_bytes` (2 MiB or 1 GiB) that are free, not promised to another mapping and
 * within the limits of the control groups; 0 when there is no such pool. */
uint64_t weft_memory_free_hugetlb_pages(uint64_t page_bytes);

#endif
