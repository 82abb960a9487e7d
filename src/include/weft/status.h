/* SPDX-License-Identifier: MIT */
/* What a weft function answers. The library never prints and never exits. */
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum weft_status {
    WEFT_OK = 0,
    WEFT_E_INVALID,     /* an argument is outside what the function's comment allows */
    WEFT_E_NOMEM,       /* the memory cannot be had, or a limit leaves too little of it */
    WEFT_E_PAGES,       /* the asked kind of page cannot be had */
    WEFT_E_SYSTEM,      /* the operating system refused; errno says why */
    WEFT_E_UNSUPPORTED, /* this machine or build cannot do it */
    WEFT_E_MISMATCH,    /* a result differs from its expected value */
    WEFT_E_INTERRUPTED, /* the caller asked to stop */
    WEFT_E_STATE,       /* the object is not in a state that allows the call */
};

/* A constant English sentence fragment for `status`, without a full stop; never NULL. */
const char *weft_status_str(enum weft_status status);

#ifdef __cplusplus
}
#endif
#endif
