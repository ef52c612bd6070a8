/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pauxil/map.h"
#include "hpl_solver.h"

/* A system of equations whose local matrix lies in host memory. */
struct hpl_system {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat mat;
    void *memory;
    size_t bytes;
    void *prepared; /* more data of its solver; NULL: none */
};

/* The share of an n x n system that a process of grid has; depth and align are
 * 0. */
hpl_shape_t hpl_system_shape(const HPL_T_grid *grid, int n, int nb);

/* Who has which columns. */
hpl_map_t hpl_system_column_map(const hpl_shape_t *shape);

/* Local rows of A, and local columns of [ A | b ]. */
int64_t hpl_system_rows(const hpl_shape_t *shape);
int64_t hpl_system_columns(const hpl_shape_t *shape);

/* The local matrix of shape: sizes and ld; no memory yet. */
HPL_T_pmat hpl_system_matrix(const hpl_shape_t *shape);

/* Bytes of the matrix with so many more columns behind it, x, and slack to
 * align the first column. */
size_t hpl_system_matrix_bytes(const HPL_T_pmat *mat, int spare, int align);

/* create and destroy as hpl_solver_t describes them; the matrix, with so many
 * spare columns for its solver behind it, is in memory of allocate, a function
 * of base/memory.h. */
typedef xh_status_t hpl_allocate_t(size_t bytes, void **memory_p);
xh_status_t hpl_system_create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                              int spare, hpl_allocate_t *allocate,
                              hpl_system_t **system_p);
void hpl_system_destroy(hpl_system_t *system);

/*
 * The norms of the system that mat holds, of x = mat->X and of the residual
 * A x - b; collective, equal on every process. A NaN is never lost.
 */
void hpl_system_norms(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                      hpl_norms_t *norms_p);
