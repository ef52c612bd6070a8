/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The result of a call. The function that detects an error reports it with
 * xh_log_error; its callers only pass the status on.
 */
typedef enum {
    XH_OK = 0,
    XH_ERR_ARG,      /* an argument is outside its documented range */
    XH_ERR_INPUT,    /* the user's file or option is not acceptable */
    XH_ERR_MEMORY,   /* not enough memory */
    XH_ERR_IO,       /* a file could not be read or written */
    XH_ERR_DEVICE,   /* an accelerator or its library failed */
    XH_ERR_INTERNAL, /* a state that should not exist */
    XH_STATUS_COUNT
} xh_status_t;

/* Exit status of the programs. */
enum {
    XH_EXIT_PASSED = 0, /* every test passed */
    XH_EXIT_FAILED = 1, /* a residual failed */
    XH_EXIT_INPUT = 2,  /* bad input, not enough memory, a skipped test */
    XH_EXIT_RUNTIME = 3 /* a run-time failure */
};

/* s in a few words, such as "not enough memory"; never NULL. */
const char *xh_status_text(xh_status_t s);

/* Return call's status from this function unless it is XH_OK. */
#define XH_TRY(call)                                                           \
    do {                                                                       \
        const xh_status_t tried_status_ = (call);                              \
        if (tried_status_ != XH_OK)                                            \
            return tried_status_;                                              \
    } while (0)
