/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/*
 * The BLAS library that this program runs with, by its own account. None needs
 * to be linked: its functions are weak symbols. From a static library the
 * linker takes only what something else refers to; the options
 * -Wl,-u,openblas_get_config -Wl,-u,openblas_get_corename, or
 * -Wl,-u,bli_info_get_version_str, make it take these functions, too.
 */
enum { XH_BLAS_LIBRARY_TEXT = 64 };

typedef struct {
    const char *name; /* "OpenBLAS", "BLIS", "MKL", else "unknown" */
    char version[XH_BLAS_LIBRARY_TEXT]; /* such as "0.3.21"; "": unknown */
    char kernel[XH_BLAS_LIBRARY_TEXT];  /* of which processor; "": unknown */
    int threads;                        /* of one call; 0: unknown */
    bool ilp64; /* takes 64-bit integers: useless for this program */
} xh_blas_library_t;

xh_blas_library_t xh_blas_library_identify(void);

/*
 * Is there room for what the library allocates at its first call? OpenBLAS
 * repeats an allocation that fails for ever: ask before.
 * Errors: XH_ERR_MEMORY  said
 */
xh_status_t xh_blas_library_try_room(void);

/*
 * Let each later BLAS call use `threads` threads, at least 1.
 * Returns the number that the library then reports, 0 if none.
 */
int xh_blas_library_set_threads(int threads);
