/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/*
 * The BLAS library of this program, as it describes itself. No library must be
 * linked, because its functions are weak symbols. From a static library the
 * linker takes only functions that something refers to; the options
 * -Wl,-u,openblas_get_config -Wl,-u,openblas_get_corename, or
 * -Wl,-u,bli_info_get_version_str, make it take these functions, too.
 */
enum { XH_BLAS_LIBRARY_TEXT = 64 };

typedef struct {
    const char *name; /* "OpenBLAS", "BLIS", "MKL" or "unknown" */
    char version[XH_BLAS_LIBRARY_TEXT]; /* such as "0.3.21"; "": unknown */
    char kernel[XH_BLAS_LIBRARY_TEXT];  /* processor that its kernels are for;
                                           "": unknown */
    int threads;                        /* threads per call; 0: unknown */
    bool ilp64; /* it takes 64-bit integers, so this program cannot use it */
} xh_blas_library_t;

xh_blas_library_t xh_blas_library_identify(void);

/*
 * Is there enough memory for the library's first call? OpenBLAS repeats a
 * failing allocation for ever, so check before.
 * Errors: XH_ERR_MEMORY, logged
 */
xh_status_t xh_blas_library_try_room(void);

/*
 * Let each later BLAS call use `threads` threads, at least 1.
 * Returns the number that the library then reports, 0 if none.
 */
int xh_blas_library_set_threads(int threads);
