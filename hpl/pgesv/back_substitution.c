/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/comm/waits.h"
#include "hpl/pauxil/map.h"
#include "hpl/pgesv/back_substitution.h"

/*
 * Back-substitution by blocks of nb, from the last. Every process column keeps
 * partial sums y - U x over its own finished columns. For block k they are
 * added up along the block's process row, the owner of the diagonal block
 * solves, and x is broadcast in its process column, whose processes then
 * subtract U x from the rows above. This subtraction is delayed until the next
 * block's sums are in flight, so that it overlaps the next solve.
 */
typedef struct {
    const HPL_T_grid *grid;
    HPL_T_pmat *mat;
    const hpl_subtract_t *how;
    hpl_map_t rows, columns;
    double *sum; /* mp: y (on b's process column) minus U x so far */
} solve_t;

/* The position of block k. */
typedef struct {
    int first, size;   /* global indices */
    int prow, pcol;    /* owner of the diagonal block */
    int above, column; /* number of my local rows above it; its local column */
} block_t;

static block_t block(const solve_t *s, int k)
{
    block_t b = {.first = k * s->mat->nb};

    b.size = Mmin(s->mat->nb, s->mat->n - b.first);
    b.prow = hpl_map_owner(&s->rows, b.first);
    b.pcol = hpl_map_owner(&s->columns, b.first);
    b.above = (int)hpl_map_count(&s->rows, b.first);
    b.column = (int)hpl_map_count(&s->columns, b.first);
    return b;
}

/* sum -= U x for the columns of b and my rows from .. to - 1. */
static void subtract(solve_t *s, const block_t *b, int from, int to)
{
    hpl_product_t product;

    if (s->grid->mycol != b->pcol || from >= to)
        return;
    product = (hpl_product_t){.m = to - from,
                              .n = b->size,
                              .a = Mptr(s->mat->A, from, b->column, s->mat->ld),
                              .lda = s->mat->ld,
                              .x = s->mat->X + b->column,
                              .y = s->sum + from};
    s->how->subtract(s->how->context, &product);
}

/* Begin a wait for the other processes of comm, in the step of block b. */
static void begin_wait(const solve_t *s, const block_t *b, MPI_Comm comm,
                       const char *what)
{
    hpl_wait_begin(&(hpl_wait_t){.what = what,
                                 .iteration = b->first / s->mat->nb,
                                 .bytes = b->size * (double)sizeof(double),
                                 .whom = hpl_waits_ranks(comm, -1)});
}

/*
 * x := the sum of block b's partial sums, on the owner of its diagonal block.
 * The reduction is not in place, which fails in MPICH 4.0 for more than 2048
 * bytes.
 */
static void collect(solve_t *s, const block_t *b)
{
    const double *sum = s->sum + b->above;
    bool mine = s->grid->mycol == b->pcol;
    double *x = mine ? s->mat->X + b->column : NULL;

    if (s->grid->myrow != b->prow)
        return;
    if (s->grid->npcol == 1) {
        memcpy(x, sum, (size_t)b->size * sizeof(double));
        return;
    }
    begin_wait(s, b, s->grid->row_comm, "sums of a block");
    MPI_Reduce(sum, x, b->size, MPI_DOUBLE, MPI_SUM, b->pcol,
               s->grid->row_comm);
    hpl_wait_end();
}

/* Solve the diagonal block and broadcast x in its process column. */
static void solve_block(solve_t *s, const block_t *b)
{
    double *x = s->mat->X + b->column;

    if (s->grid->mycol != b->pcol)
        return;
    if (s->grid->myrow == b->prow)
        HPL_dtrsv(HplColumnMajor, HplUpper, HplNoTrans, HplNonUnit, b->size,
                  Mptr(s->mat->A, b->above, b->column, s->mat->ld), s->mat->ld,
                  x, 1);
    if (s->grid->nprow == 1)
        return;
    begin_wait(s, b, s->grid->col_comm, "x of a block");
    MPI_Bcast(x, b->size, MPI_DOUBLE, b->prow, s->grid->col_comm);
    hpl_wait_end();
}

static void run(solve_t *s)
{
    int blocks = (int)(((int64_t)s->mat->n + s->mat->nb - 1) / s->mat->nb);
    block_t current, next, late = {.pcol = -1}; /* none yet */

    for (int k = blocks - 1; k >= 0; k--) {
        current = block(s, k);
        collect(s, &current);
        subtract(s, &late, 0, current.above);
        solve_block(s, &current);
        next = block(s, Mmax(k - 1, 0));
        subtract(s, &current, next.above, current.above);
        late = current;
    }
}

void hpl_back_substitution(HPL_T_grid *grid, HPL_T_pmat *mat,
                           const hpl_subtract_t *how)
{
    solve_t s = {.grid = grid,
                 .mat = mat,
                 .how = how,
                 .rows = hpl_map(mat->nb, grid->nprow, grid->myrow),
                 .columns = hpl_map_columns(grid, mat->nb)};
    int y = (int)hpl_map_local(&s.columns, mat->n); /* local column of b */

    s.sum = calloc((size_t)mat->mp + 1, sizeof(double));
    if (s.sum == NULL)
        HPL_pabort(__LINE__, "HPL_pdtrsv", "out of memory");
    HPL_ptimer(HPL_TIMING_PTRSV);
    if (grid->mycol == hpl_map_owner(&s.columns, mat->n))
        memcpy(s.sum, Mptr(mat->A, 0, y, mat->ld),
               (size_t)mat->mp * sizeof(double));
    run(&s);
    HPL_ptimer(HPL_TIMING_PTRSV);
    free(s.sum);
}

static void subtract_by_blas(void *context, const hpl_product_t *p)
{
    (void)context;
    HPL_dgemv(HplColumnMajor, HplNoTrans, p->m, p->n, -1.0, p->a, p->lda, p->x,
              1, 1.0, p->y, 1);
}

void HPL_pdtrsv(HPL_T_grid *GRID, HPL_T_pmat *AMAT)
{
    static const hpl_subtract_t by_blas = {.subtract = subtract_by_blas};

    hpl_back_substitution(GRID, AMAT, &by_blas);
}
