/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl.h"

/*
 * What tests of the distributed algorithm share: a small matrix that every
 * process knows as a whole, its distribution over a grid, and the textbook's
 * way of working on it. Whole matrices are column-major with ld = rows.
 */

/* The next number of a fixed random sequence, in [0, below). */
int small_random(uint64_t *state, int below);

/* Fill a with count values in [-0.5, 0.5). */
void small_fill(uint64_t *state, double *a, size_t count);

/* The first nprow * npcol processes as a grid; false on those outside it. */
bool small_grid_open(HPL_T_grid *grid, int nprow, int npcol);
void small_grid_close(HPL_T_grid *grid);

/* The local part of the n x (n+1) matrix whole on grid; X is NaN. */
HPL_T_pmat small_distribute(const HPL_T_grid *grid, int n, int nb,
                            const double *whole);
void small_release(HPL_T_pmat *mat);

/* All n values of mat->X, in x on every process; collective. */
void small_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat, double *x);

/*
 * Largest difference of mat from the n x (n+1) matrix whole in its rows and
 * columns from first on; infinite if either has a NaN there.
 */
double small_distance(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                      const double *whole, int first);

/* what decides between equal magnitudes: how rows are dealt */
typedef struct {
    int nb, nprow;
} small_order_t;

/*
 * The textbook's LU of the columns ia .. ia + jb - 1 of a, rows x columns, from
 * row ia on, with whole rows of these columns interchanged. Of equal
 * magnitudes the row of the lowest process row wins, there the first one.
 *
 * pivot   out  jb: row interchanged with row ia + i, or ia + i
 * returns      0, or 1 + the first column whose pivot is zero
 */
int small_factor_panel(double *a, int rows, int ia, int jb,
                       const small_order_t *order, int *pivot);

/* Interchange rows ia + i and pivot[i] in columns first .. last - 1. */
void small_interchange(double *a, int rows, int ia, int jb, const int *pivot,
                       int first, int last);

/* Algorithm of the given forms and variants; the rest as HPL.dat's defaults. */
typedef enum { SMALL_L1_N, SMALL_L1_T } small_l1_t;
HPL_T_palg small_algorithm(small_l1_t l1, HPL_T_FACT pfact, HPL_T_FACT rfact);
