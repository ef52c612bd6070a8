/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/update/pack.h"
#include "base/view.h"

/*
 * A run is a few columns of the trailing matrix, to which one thread applies a
 * panel while they are in its cache: it swaps rows, solves U, and updates C.
 * Runs share nothing, so several threads work on several runs.
 *
 * The run's rows of U are kept packed, as the kernel reads B: strips of
 * kernel->cols columns, each nb rows of kernel->cols numbers; the last strip is
 * padded with zeros. U has hyb_run_u_size(kernel, nb, cols) doubles, 64-byte
 * aligned.
 *
 *     hyb_run_swap(kernel, &swap, columns, u);      or hyb_run_unpack_rows
 *     hyb_run_solve(&factors, cols, u);
 *     hyb_run_store(&factors, u, top);
 *     hyb_run_multiply(&factors, u, c, NULL);
 */
typedef struct { /* the parts of a panel applied to all runs */
    const hyb_kernel_t *kernel;
    hyb_tiles_t l1; /* nb x nb: L1 below its diagonal, zeros elsewhere */
    hyb_tiles_t l2; /* this process's rows below the top, nb columns */
} hyb_factors_t;

/* How rows are exchanged if this process has all rows of a column. */
typedef struct {
    int nb;
    const int *source; /* nb: U's row i is row source[i] of the columns */
    int displaced;     /* top rows that go below the top */
    const int *from;   /* displaced: rows of the top that move */
    const int *to;     /* displaced: their new rows */
} hyb_swap_t;

/* Rows of U received from other processes. */
typedef struct {
    int nb;
    const int *place; /* nb: number in U of each row */
    double *data;     /* column j of the run in row r: data[r * ld + j] */
    int64_t ld;
} hyb_arrived_t;

int64_t hyb_run_u_size(const hyb_kernel_t *kernel, int64_t nb, int64_t cols);

/* l1 := the part of the nb x nb matrix `v` below its diagonal, and zeros
 * elsewhere. */
void hyb_factors_pack_l1(xh_view_t v, hyb_tiles_t *l1);

/* u := the rows of U in `columns`, chosen by `swap`; displaced rows move to
 * their new places in `columns`. */
void hyb_run_swap(const hyb_kernel_t *kernel, const hyb_swap_t *swap,
                  xh_view_t columns, double *u);

/* u := rows, for `cols` columns. */
void hyb_run_unpack_rows(const hyb_kernel_t *kernel, const hyb_arrived_t *rows,
                         int64_t cols, double *u);

/* rows := u, in the layout that hyb_run_unpack_rows reads. */
void hyb_run_return_rows(const hyb_kernel_t *kernel, const double *u,
                         int64_t cols, const hyb_arrived_t *rows);

/* u := -L1^-1 u; the kernel for updates needs -U. */
void hyb_run_solve(const hyb_factors_t *factors, int64_t cols, double *u);

/* matrix (nb x cols, host) := U, from the -U that hyb_run_solve stored. */
void hyb_run_store(const hyb_factors_t *factors, const double *u,
                   xh_view_t matrix);

/* Columns per part if nb columns are cut evenly into parts of at most `most`.
 */
int64_t hyb_run_part(const hyb_kernel_t *kernel, int64_t nb, int64_t most);

/*
 * Columns of a run for panels of width nb: as many as leave half of the L2
 * cache free, within 128 to 256, at most nb, and so that nb is divided evenly.
 */
int64_t hyb_run_cols(const hyb_kernel_t *kernel, int64_t nb);

/* A function to call regularly, many times per millisecond. */
typedef struct {
    void (*poll)(void *context);
    void *context;
} hyb_run_poll_t;

/*
 * C := C - L2 U with the first c.rows rows of L2.
 *
 * u     in      -U, as stored by hyb_run_solve
 * c     in,out  c.cols columns of the run
 * poll  in      may be NULL
 *
 * Cost: 2 c.rows c.cols nb flop.
 */
void hyb_run_multiply(const hyb_factors_t *factors, const double *u,
                      xh_view_t c, const hyb_run_poll_t *poll);
