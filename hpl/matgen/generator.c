/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/matgen/generator.h"
#include "hpl/matgen/run.h"

/* What all columns share. */
typedef struct {
    hpl_lanes_t lanes;
    hpl_run_fn_t run;
    int64_t mp;             /* local rows */
    int64_t block;          /* rows of a run; only the last may be shorter */
    hpl_jump_t to_first;    /* from a column's first entry to my first one */
    hpl_jump_t to_next_run; /* from a run's first entry to the next run's */
} column_t;

static column_t plan_column(const hpl_random_t *matrix, const hpl_map_t *rows)
{
    column_t c = {.lanes = hpl_lanes(),
                  .run = hpl_run(xh_cpu_isa()),
                  .mp = hpl_map_count(rows, matrix->m),
                  .block = rows->nprocs == 1 ? matrix->m : rows->nb};

    c.to_first =
        hpl_jump_power(hpl_jump_step, (uint64_t)hpl_map_global(rows, 0));
    c.to_next_run =
        hpl_jump_power(hpl_jump_power(hpl_jump_step, (uint64_t)rows->nb),
                       (uint64_t)rows->nprocs);
    return c;
}

/* x belongs to the first entry of the whole column. */
static void fill_column(const column_t *c, uint64_t x, double *a)
{
    int64_t i, left;

    x = hpl_jump_apply(c->to_first, x);
    for (i = 0; i < c->mp; i += c->block) {
        left = c->mp - i;
        c->run(&c->lanes, x, left < c->block ? left : c->block, a + i);
        x = hpl_jump_apply(c->to_next_run, x);
    }
}

void hpl_generate(const hpl_random_t *matrix, const hpl_map_t *rows,
                  const hpl_map_t *cols, double *a, int64_t ld)
{
    column_t c = plan_column(matrix, rows);
    hpl_jump_t over_column = hpl_jump_power(hpl_jump_step, (uint64_t)matrix->m);
    uint64_t first = hpl_jump_apply(hpl_jump_step, matrix->seed);
    int64_t j, g, nq = hpl_map_count(cols, matrix->n);
    hpl_jump_t to_column;

    for (j = 0; j < nq; j++) {
        g = hpl_map_global(cols, j);
        to_column = hpl_jump_power(over_column, (uint64_t)g);
        fill_column(&c, hpl_jump_apply(to_column, first), a + j * ld);
    }
}
