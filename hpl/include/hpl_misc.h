/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_MISC_H
#define HPL_MISC_H

#include "hpl_types.h"

#define STDC_HEADERS
#define STDC_ARGS(p) p

#define HPL_rone 1.0
#define HPL_rtwo 2.0
#define HPL_rzero 0.0
#define HPL_LINE_MAX 256
#define HPL_MAX_PARAM 20
#define HPL_ISEED 100

#define Mabs(a) (((a) < 0) ? -(a) : (a))
#define Mmin(a, b) (((a) < (b)) ? (a) : (b))
#define Mmax(a, b) (((a) > (b)) ? (a) : (b))

/* address of element (i, j) of a column-major array */
#define Mptr(a, i, j, lda) ((a) + (size_t)(i) + (size_t)(j) * (size_t)(lda))

/* ptr rounded up to a multiple of align bytes */
#define HPL_PTR(ptr, align)                                                    \
    ((void *)((((size_t)(ptr) + (align)-1) / (align)) * (align)))

#define Mindxg2p(ig, inb, nb, proc, src, nprocs)                               \
    ((proc) = HPL_indxg2p((ig), (inb), (nb), (src), (nprocs)))
#define Mnumroc(np, n, inb, nb, proc, src, nprocs)                             \
    ((np) = HPL_numroc((n), (inb), (nb), (proc), (src), (nprocs)))

#endif
