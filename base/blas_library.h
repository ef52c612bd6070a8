/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_BLAS_LIBRARY_H
#define XH_BLAS_LIBRARY_H

#include <stdbool.h>

/*
 * Which BLAS library this program runs with, asked from the library itself.
 * Nothing here needs one to be linked: its functions are weak symbols. Of a
 * static library the linker takes only what something else refers to; the
 * options -Wl,-u,openblas_get_config -Wl,-u,openblas_get_corename, or
 * -Wl,-u,bli_info_get_version_str, let it take the rest.
 */
enum { XH_BLAS_LIBRARY_TEXT = 64 };

typedef struct {
    const char *name;                   /* "OpenBLAS", "BLIS", "MKL", else
                                           "unknown" */
    char version[XH_BLAS_LIBRARY_TEXT]; /* such as "0.3.21"; "" if not told */
    char kernel[XH_BLAS_LIBRARY_TEXT];  /* the processor that it computes
                                           for, in its words; "" if not told */
    int threads;                        /* that one call uses; 0 if not told */
    bool ilp64; /* takes 64-bit integers: useless for this program */
} xh_blas_library_t;

xh_blas_library_t xh_blas_library_identify(void);

/*
 * Let each later BLAS call use threads threads, at least 1.
 *
 * Returns what the library then says it uses, 0 if it does not tell.
 */
int xh_blas_library_set_threads(int threads);

#endif
