/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/update/pack.h"
#include "base/view.h"

/*
 * A run: a few columns of the trailing matrix that one thread brings up to date
 * with a panel while they are in its cache: rows swapped, U solved, C updated.
 * Nothing here is shared; several threads work on several runs.
 *
 * The run's rows of U are kept packed, as the kernel reads B: strips of
 * kernel->cols columns, each nb rows of kernel->cols numbers, the last strip
 * filled up with zeros. They take hyb_run_u_size(nb, cols) doubles, 64-byte
 * aligned.
 *
 *     hyb_run_swap(kernel, &swap, columns, u);      or hyb_run_unpack_rows
 *     hyb_run_solve(&factors, cols, u);
 *     hyb_run_store(&factors, u, top);
 *     hyb_run_multiply(&factors, u, c, NULL);
 */
typedef struct { /* what an iteration applies to all runs */
    const hyb_kernel_t *kernel;
    hyb_tiles_t l1; /* nb x nb: L1 below its diagonal, zeros elsewhere */
    hyb_tiles_t l2; /* this process's rows below the top, nb columns */
} hyb_factors_t;

/* How rows change places where all rows of a column are on this process. */
typedef struct {
    int nb;
    const int *source; /* nb: U's row i is the columns' row source[i] */
    int displaced;     /* top rows that go below the top */
    const int *from;   /* displaced: rows in the top that they leave */
    const int *to;     /* displaced: rows that they go to */
} hyb_swap_t;

/* Rows of U that have come from other processes. */
typedef struct {
    int nb;
    const int *place; /* nb: the row of U that each row is */
    double *data;     /* column j of the run in row r: data[r * ld + j] */
    int64_t ld;
} hyb_arrived_t;

int64_t hyb_run_u_size(const hyb_kernel_t *kernel, int64_t nb, int64_t cols);

/* l1 := the part of the nb x nb matrix `v` below its diagonal, zeros
 * elsewhere. */
void hyb_factors_pack_l1(xh_view_t v, hyb_tiles_t *l1);

/* u := the rows of U of `columns`, by `swap`; displaced rows move to their new
 * places. */
void hyb_run_swap(const hyb_kernel_t *kernel, const hyb_swap_t *swap,
                  xh_view_t columns, double *u);

/* u := rows, `cols` columns wide. */
void hyb_run_unpack_rows(const hyb_kernel_t *kernel, const hyb_arrived_t *rows,
                         int64_t cols, double *u);

/* rows := u, in the layout that hyb_run_unpack_rows reads. */
void hyb_run_return_rows(const hyb_kernel_t *kernel, const double *u,
                         int64_t cols, const hyb_arrived_t *rows);

/* u := - L1^-1 u; the kernel needs the negative. */
void hyb_run_solve(const hyb_factors_t *factors, int64_t cols, double *u);

/* matrix (nb x cols, host) := U, from the - U that hyb_run_solve left. */
void hyb_run_store(const hyb_factors_t *factors, const double *u,
                   xh_view_t matrix);

/* Columns of each part where nb columns are cut evenly into parts of at most
 * `most`. */
int64_t hyb_run_part(const hyb_kernel_t *kernel, int64_t nb, int64_t most);

/*
 * Columns of a run for panels of width nb: as many as leave half of the L2
 * cache free, 128 to 256, and no more than nb, which is divided evenly.
 */
int64_t hyb_run_cols(const hyb_kernel_t *kernel, int64_t nb);

/* A function to be called now and then, many times a millisecond. */
typedef struct {
    void (*poll)(void *context);
    void *context;
} hyb_run_poll_t;

/*
 * C := C - L2 U with the first c.rows rows of L2.
 *
 * u     in      as hyb_run_solve left it
 * c     in,out  c.cols columns of the run
 * poll  in      NULL: nothing is called
 *
 * Cost: 2 c.rows c.cols nb flop.
 */
void hyb_run_multiply(const hyb_factors_t *factors, const double *u,
                      xh_view_t c, const hyb_run_poll_t *poll);
