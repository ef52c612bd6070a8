/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_TRUST_H
#define HPL_TRUST_H

#include <stddef.h>
#include "base/exact.h"
#include "hpl_types.h"

/*
 * What is tried before the matrix is filled, in the shapes of a run. The first
 * wrong result of a process is said.
 */

/*
 * The routines of the BLAS library that this folder's solver calls, on the
 * calling thread.
 *
 * rows, nb  in  of the local matrix, and of a panel; few of them are used
 */
void hpl_trust_blas(xh_exact_t *checks, int64_t rows, int64_t nb);

/*
 * Messages to and from both neighbours in my process row and column, from 8
 * bytes up to `most` doubles or 2 MiB; collective over the grid.
 */
void hpl_trust_messages(xh_exact_t *checks, const HPL_T_grid *grid,
                        size_t most);

/*
 * Memory of another kind that MPI takes: HPL_TRUST_MOST doubles at out and at
 * each of in, which are written and read by way of the host; false: it failed,
 * which was said.
 */
enum { HPL_TRUST_MOST = 1 << 18, HPL_TRUST_SIDES = 2 };
typedef struct {
    double *out, *in[HPL_TRUST_SIDES];
    bool (*store)(void *context, const double *from_host, size_t count);
    bool (*load)(void *context, int side, double *to_host, size_t count);
    void *context;
} hpl_trust_memory_t;

/* The same in such memory, to and from neighbours in my process column. */
void hpl_trust_messages_in(xh_exact_t *checks, const HPL_T_grid *grid,
                           size_t most, const hpl_trust_memory_t *memory);

/* Doubles of the longest panel of an n x (n + 1) matrix on this process. */
size_t hpl_trust_panel(const HPL_T_grid *grid, int n, int nb);

/* Both, and the arithmetic, for a test of order n; true if all is right. */
bool hpl_trust(const HPL_T_grid *grid, int n, int nb);

/* "core 3": where the calling thread runs. */
enum { HPL_TRUST_WHERE = 32 };
void hpl_trust_core(char where[HPL_TRUST_WHERE]);

#endif
