/* SPDX-License-Identifier: MIT */
#include "weft/status.h"

const char *weft_status_str(const enum weft_status status)
{
    static const char *const text[] = {
        [WEFT_OK] = "success",
        [WEFT_E_INVALID] = "invalid argument",
        [WEFT_E_NOMEM] = "not enough memory",
        [WEFT_E_PAGES] = "the asked pages cannot be had",
        [WEFT_E_SYSTEM] = "the operating system refused",
        [WEFT_E_UNSUPPORTED] = "not supported on this machine",
        [WEFT_E_MISMATCH] = "a result differs from its expected value",
        [WEFT_E_INTERRUPTED] = "interrupted",
        [WEFT_E_STATE] = "not possible in this state",
    };
    const unsigned index = (unsigned)status;

    if (index >= sizeof(text) / sizeof(text[0]))
        return "unknown status";
    return text[index];
}
