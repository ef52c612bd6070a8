/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "base/view.h"

/* Matrices in device memory, and every operation that devices may have.
 * device.h includes this header. */

typedef struct hyb_buffer hyb_buffer_t; /* device memory */
typedef struct hyb_queue hyb_queue_t;

/* ---- matrices in device memory ------------------------------------------ */

/*
 * A matrix in device memory, column-major: element (i, j) is double number
 * offset + i + j * ld of the buffer. No address of device memory exists
 * outside a backend.
 */
typedef struct {
    hyb_buffer_t *buffer; /* may be NULL if there are no elements */
    int64_t offset;       /* in doubles */
    int64_t rows, cols;
    int64_t ld; /* >= max(1, rows) */
} hyb_device_view_t;

/* The rows x cols matrix in `buffer` that begins at `offset` and has no gaps
 * between columns. */
static inline hyb_device_view_t hyb_device_view(hyb_buffer_t *buffer,
                                                int64_t offset, int64_t rows,
                                                int64_t cols)
{
    return (hyb_device_view_t){buffer, offset, rows, cols, rows > 0 ? rows : 1};
}

/* The rows x cols part of `b` whose first element is element (i, j) of `b`. */
static inline hyb_device_view_t hyb_device_view_part(hyb_device_view_t b,
                                                     int64_t i, int64_t j,
                                                     int64_t rows, int64_t cols)
{
    return (hyb_device_view_t){b.buffer, b.offset + i + j * b.ld, rows, cols,
                               b.ld};
}

/* The first `rows` rows and `cols` columns of `b`. */
static inline hyb_device_view_t
hyb_device_view_first(hyb_device_view_t b, int64_t rows, int64_t cols)
{
    return hyb_device_view_part(b, 0, 0, rows, cols);
}

typedef struct { /* one product: C := beta C + alpha op(A) op(B) */
    xh_trans_t trans_a, trans_b;
    double alpha, beta;
    hyb_device_view_t a, b; /* as stored: op(a) is m x k, op(b) is k x n */
    hyb_device_view_t c;    /* m x n; not read if beta is 0 */
} hyb_gemm_t;

static inline int64_t hyb_gemm_depth(const hyb_gemm_t *p) /* k */
{
    return p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;
}

/*
 * How one panel's pivots permute the rows of `columns`. Row numbers count from
 * the first row of `columns`; both assignments read the old rows:
 *
 *     row i of U := row source[i], and then the top rows := U
 *     row to[d] := row from[d], for the rows displaced from the top
 */
typedef struct {
    hyb_device_view_t columns; /* in,out */
    hyb_device_view_t
        u; /* out: nb rows, as many columns as `columns`, without overlap */
    hyb_device_view_t
        source; /* list of nb row numbers, from 0, each an int64_t */
    hyb_device_view_t from, to; /* lists of equal length, like source; `to` is
                                   below the top nb rows */
} hyb_row_swap_t;

/*
 * How rows or columns are dealt to processes: blocks of nb go in turn to
 * `processes` processes. Local index l is global index (l / nb * processes +
 * process) * nb + l % nb.
 */
typedef struct {
    int64_t first; /* local index of a matrix's first row or column */
    int64_t nb, process, processes;
} hyb_dealt_t;

/*
 * A part of HPL's random matrix with `order` rows; its entry (i, j) is
 * 0.5 - x(i + j * order + 1) * 2^-64, where conversion and subtraction each
 * round to nearest, x(0) = seed and
 * x(t + 1) = 6364136223846793005 x(t) + 1 mod 2^64.
 */
typedef struct {
    uint64_t seed;
    int64_t order;
    hyb_dealt_t rows, cols;  /* the rows and columns that `block` holds */
    hyb_device_view_t block; /* out */
} hyb_generate_t;

/*
 * A step of the factorization of a panel, m x nb, to which columns 0 .. first -
 * 1 have been applied. For each of the step's columns c in turn: among rows c
 * and below, the row with the largest magnitude in column c is exchanged with
 * row c, in all columns of the panel; column c below row c is divided by the
 * pivot, and the step's later columns are updated. Ties go to the first row,
 * and a NaN counts as infinite. Nothing is divided by a zero pivot.
 */
typedef struct {
    hyb_device_view_t panel;  /* in,out */
    int64_t first, count;     /* columns first .. first + count - 1 */
    hyb_device_view_t pivots; /* out: a list of nb rows; entry c is the row
                                 exchanged with row c */
} hyb_panel_step_t;

/*
 * One column of a panel step if other processes also hold rows of the panel:
 * between two columns the processes agree on the pivot, in a vector of
 * hyb_pivot_elements(nb) elements. First it holds this process's proposal, then
 * what was agreed:
 *
 *      0 .. nb - 1    the current row, if it is local; agreed: always
 *      nb             magnitude of the best row's element in the column, -1 if
 *                     no row is left, INFINITY for a NaN
 *      nb + 1         number of the best row; agreed: where the current row
 *                     goes, or -1
 *      nb + 2 ..      the best row; agreed: the pivot row, new row `column`
 *
 * If column >= first, its agreed pivot row is stored, the column below is
 * divided by the pivot, and columns column + 1 .. end - 1 are updated. If
 * column + 1 < end, the vector then proposes a pivot for column + 1.
 */
typedef struct {
    hyb_device_view_t panel; /* in,out */
    hyb_device_view_t top; /* in,out: the panel's first nb rows, nb x nb, stored
                              apart from `panel`; no rows: `panel` holds them */
    int64_t first, end, column;
    hyb_device_view_t pivot; /* in,out */
} hyb_panel_column_t;

static inline int64_t hyb_pivot_elements(int64_t nb)
{
    return 2 * nb + 2;
}

enum { HYB_PANEL_STEP = 16 }; /* columns of a step, at most */

/* ---- list of operations -------------------------------------------------- */

/* The operations of a queue; a device may lack all of them except copies. */
#define HYB_OPERATIONS(X)                                                      \
    X(COPY_IN, copy_in)                                                        \
    X(COPY_OUT, copy_out)                                                      \
    X(GEMM, gemm)                                                              \
    X(COPY, copy)                                                              \
    X(SWAP_ROWS, swap_rows)                                                    \
    X(GATHER_ROWS, gather_rows)                                                \
    X(SCATTER_ROWS, scatter_rows)                                              \
    X(TRSM, trsm)                                                              \
    X(GEMV, gemv)                                                              \
    X(GENERATE, generate)                                                      \
    X(CHECKSUM, checksum)                                                      \
    X(PANEL_STEP, panel_step)                                                  \
    X(PANEL_COLUMN, panel_column)

#define HYB_OP(op, name) HYB_OP_##op,
typedef enum { HYB_OPERATIONS(HYB_OP) HYB_OPS } hyb_op_t;

static inline const char *hyb_op_name(hyb_op_t op) /* "gemm" */
{
#define HYB_OP_NAME(op, name) #name,
    static const char *const names[] = {HYB_OPERATIONS(HYB_OP_NAME)};

    return names[op];
}

/* One operation; the public function of its name documents it. */
typedef struct {
    hyb_op_t op;
    union {
        struct {
            xh_view_t host;
            hyb_device_view_t block;
        } link; /* for copy_in and copy_out */
        struct {
            hyb_device_view_t from, to;
        } copy;
        hyb_gemm_t gemm;
        hyb_row_swap_t swap_rows;
        struct {
            hyb_device_view_t columns, packed, rows;
        } pack; /* for gather_rows and scatter_rows */
        struct {
            hyb_device_view_t l1, u;
        } trsm;
        struct {
            hyb_device_view_t a, x, y;
        } gemv;
        hyb_generate_t generate;
        struct {
            hyb_device_view_t of, sums;
        } checksum;
        hyb_panel_step_t panel_step;
        hyb_panel_column_t panel_column;
    };
} hyb_task_t;

/* ---- work --------------------------------------------------------------- */

/*
 * Each of these functions may return before its work has run; until then the
 * caller must not touch the operands. Work on no elements does nothing. No
 * output overlaps an input, unless one operand is in,out.
 *
 * Errors: XH_ERR_ARG: shapes do not conform, ld < rows, a block or list is not
 *         inside a buffer of this device, or the device lacks the operation.
 *         XH_ERR_MEMORY: the backend needs more memory; nothing is queued.
 *         XH_ERR_DEVICE
 * A row number outside its block is the caller's error: emu fails the device
 * when the work runs, other backends need not check.
 */

/* Copy between host memory (best pinned) and device memory; both have equal
 * shapes. */
xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              hyb_device_view_t to);
xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, hyb_device_view_t from,
                               xh_view_t to_host);

/* Copy rows, to.rows numbers in host memory (best pinned), to the device. */
xh_status_t hyb_queue_upload(hyb_queue_t *queue, const int64_t *rows,
                             hyb_device_view_t to);

/* C := beta C + alpha op(A) op(B). Cost: 2 m n k flop */
xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const hyb_gemm_t *product);

/* to := from, of equal shape; `from` is on this device or on a device that it
 * can reach. */
xh_status_t hyb_queue_copy(hyb_queue_t *queue, hyb_device_view_t from,
                           hyb_device_view_t to);

/* Exchange rows as `swap` says, in all columns of swap->columns. */
xh_status_t hyb_queue_swap_rows(hyb_queue_t *queue, const hyb_row_swap_t *swap);

/* Gather: column r of `packed` := row rows[r] of `columns`. Scatter: the
 * reverse. So a message holds one row after another. `packed` is cols x
 * rows.rows. */
xh_status_t hyb_queue_gather_rows(hyb_queue_t *queue, hyb_device_view_t columns,
                                  hyb_device_view_t rows,
                                  hyb_device_view_t packed);
xh_status_t hyb_queue_scatter_rows(hyb_queue_t *queue, hyb_device_view_t packed,
                                   hyb_device_view_t rows,
                                   hyb_device_view_t columns);

/* U := L1^-1 U. Only the part of L1 (nb x nb) below its unit diagonal is read.
 * Cost: nb^2 n flop */
xh_status_t hyb_queue_trsm(hyb_queue_t *queue, hyb_device_view_t l1,
                           hyb_device_view_t u);

/*
 * C := beta C + alpha A A^T on and below C's diagonal, by products. A tile of
 * HYB_SYRK_TILE columns that crosses the diagonal is computed completely.
 * Cost: n (n + HYB_SYRK_TILE) k flop
 */
enum { HYB_SYRK_TILE = 64 };

xh_status_t hyb_queue_syrk(hyb_queue_t *queue, double alpha,
                           hyb_device_view_t a, double beta,
                           hyb_device_view_t c);

/* y := y - A x; A is m x n */
xh_status_t hyb_queue_gemv(hyb_queue_t *queue, hyb_device_view_t a,
                           hyb_device_view_t x, hyb_device_view_t y);

/* Fill a block with its part of the random matrix, bit for bit as hpl/matgen
 * does. */
xh_status_t hyb_queue_generate(hyb_queue_t *queue, const hyb_generate_t *part);

/*
 * Column j of `sums`, 2 x of.cols, := the two sums of xh_checksum
 * (base/checksum.h) over column j of `of`, each an integer stored in the place
 * of a double. All devices and the host compute equal sums.
 */
xh_status_t hyb_queue_checksum(hyb_queue_t *queue, hyb_device_view_t of,
                               hyb_device_view_t sums);

/* Factor a step. Cost: m w nb of the panel's m nb^2 flop, for w columns. */
xh_status_t hyb_queue_panel_step(hyb_queue_t *queue,
                                 const hyb_panel_step_t *step);
xh_status_t hyb_queue_panel_column(hyb_queue_t *queue,
                                   const hyb_panel_column_t *column);
