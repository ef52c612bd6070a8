/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/matgen/generator.h"

#include "base/integers.h"
#include "hpl.h"

hpl_generator_t hpl_generator(int64_t m, uint64_t seed, const hpl_map_t *rows,
                              const hpl_map_t *cols)
{
    xh_jump_t over_block = xh_jump_power(xh_jump_step, (uint64_t)rows->nb);

    return (hpl_generator_t){
        .m = m,
        .first = xh_jump_apply(xh_jump_step, seed),
        .rows = *rows,
        .cols = *cols,
        .lanes = xh_lanes(),
        .run = xh_sequence_run,
        .over_column = xh_jump_power(xh_jump_step, (uint64_t)m),
        .over_round = xh_jump_power(over_block, (uint64_t)rows->nprocs)};
}

/* How the rows of a block form runs of consecutive global rows. */
typedef struct {
    xh_jump_t to_start;   /* from a column's first entry to its run */
    xh_jump_t to_first;   /* from that entry to the block's first entry */
    int64_t skipped, end; /* the block's rows, counted from the run's start */
    int64_t run;          /* rows per run */
} rows_t;

static rows_t plan_rows(const hpl_generator_t *g, const hpl_submatrix_t *block)
{
    rows_t r = {.run = g->rows.nprocs == 1 ? g->m : g->rows.nb};
    int64_t start;

    r.skipped = block->row % r.run;
    r.end = r.skipped + block->rows;
    start = hpl_map_global(&g->rows, block->row - r.skipped);
    r.to_start = xh_jump_power(xh_jump_step, (uint64_t)start);
    r.to_first = xh_jump_power(xh_jump_step, (uint64_t)r.skipped);
    return r;
}

/* Fill a column; x is the member for the first entry of the whole column. */
static void fill_column(const hpl_generator_t *g, const rows_t *r, uint64_t x,
                        double *a)
{
    x = xh_jump_apply(r->to_start, x);
    g->run(&g->lanes, xh_jump_apply(r->to_first, x),
           xh_smaller(r->run, r->end) - r->skipped, a);
    for (int64_t i = r->run; i < r->end; i += r->run) {
        x = xh_jump_apply(g->over_round, x);
        g->run(&g->lanes, x, xh_smaller(r->run, r->end - i),
               a + i - r->skipped);
    }
}

void hpl_generator_fill(const hpl_generator_t *g, hpl_submatrix_t block,
                        double *a, int64_t ld)
{
    int64_t column, previous = -2;
    uint64_t x = 0;
    rows_t r;

    if (block.rows <= 0)
        return;
    r = plan_rows(g, &block);
    for (int64_t j = 0; j < block.cols; j++) {
        column = hpl_map_global(&g->cols, block.col + j);
        if (column != previous + 1)
            x = xh_jump_apply(xh_jump_power(g->over_column, (uint64_t)column),
                              g->first);
        else
            x = xh_jump_apply(g->over_column, x);
        fill_column(g, &r, x, a + j * ld);
        previous = column;
    }
}

void HPL_pdmatgen(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int ISEED)
{
    hpl_map_t rows = hpl_map(NB, GRID->nprow, GRID->myrow);
    hpl_map_t cols = hpl_map_columns(GRID, NB);
    hpl_generator_t g;

    if (M <= 0 || N <= 0)
        return;
    g = hpl_generator(M, (uint32_t)ISEED, &rows, &cols);
    hpl_generator_fill(&g,
                       (hpl_submatrix_t){.rows = hpl_map_count(&rows, M),
                                         .cols = hpl_map_count(&cols, N)},
                       A, LDA);
}

void HPL_dmatgen(int M, int N, double *A, int LDA, int ISEED)
{
    HPL_T_grid alone = {.nprow = 1, .npcol = 1};

    HPL_pdmatgen(&alone, M, N, 1, A, LDA, ISEED);
}
