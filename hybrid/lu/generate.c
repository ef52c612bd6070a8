/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/generate.h"

#include "base/memory.h"
#include "hpl_misc.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/observe/watchdog.h"

/* Bytes that a member fills at a time: some huge pages. */
enum { CHUNK_BYTES = 8 << 20 };

typedef struct filling {
    hpl_generator_t generator;
    const HPL_T_pmat *mat;
    void (*visit)(const struct filling *f, hpl_block_t columns);
    int64_t members;
    int64_t width; /* columns of a chunk */
    hyb_phase_t *phase;
} filling_t;

hpl_generator_t hyb_generator(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                              int seed)
{
    hpl_map_t rows = hpl_map(mat->nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map_columns(grid, mat->nb);
    hpl_generator_t generator =
        hpl_generator(mat->n, (uint32_t)seed, &rows, &columns);

    generator.run = hyb_kernel_widest()->generate;
    return generator;
}

static double *chunk(const HPL_T_pmat *mat, hpl_block_t columns)
{
    return Mptr(mat->A, 0, columns.col, mat->ld);
}

static void fill(const filling_t *f, hpl_block_t columns)
{
    hpl_generator_fill(&f->generator, columns, chunk(f->mat, columns),
                       f->mat->ld);
}

static void touch(const filling_t *f, hpl_block_t columns)
{
    size_t bytes = (size_t)f->mat->ld * (size_t)columns.cols * sizeof(double);

    xh_memory_touch(chunk(f->mat, columns), bytes, 0, 1);
}

/* Every members-th chunk: where pages come to lie does not depend on speed. */
static void visit(void *argument, int member)
{
    const filling_t *f = argument;
    const HPL_T_pmat *mat = f->mat;
    hpl_block_t columns = {.rows = mat->mp};

    for (columns.col = member * f->width; columns.col < mat->nq;
         columns.col += f->members * f->width) {
        columns.cols = Mmin(f->width, mat->nq - columns.col);
        f->visit(f, columns);
        hyb_phase_step(f->phase);
    }
}

/* By all members, chunk by chunk. */
static void visit_all(hyb_team_t *team, filling_t *f, const char *what)
{
    const HPL_T_pmat *mat = f->mat;
    int64_t members = hyb_team_size(team);
    int64_t fair = (mat->nq + members - 1) / members;
    int64_t column_bytes = (int64_t)mat->ld * (int64_t)sizeof(double);
    hyb_phase_t phase;

    f->members = members;
    f->width = Mmin(Mmax(CHUNK_BYTES / column_bytes, 1), Mmax(fair, 1));
    f->phase = &phase;
    hyb_phase_begin(&phase, what, hyb_watchdog_patience());
    hyb_team_run(team, visit, f);
    hyb_phase_end(&phase);
}

void hyb_generate(hyb_team_t *team, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed)
{
    filling_t filling = {
        .generator = hyb_generator(grid, mat, seed), .mat = mat, .visit = fill};

    visit_all(team, &filling, "generating the matrix");
}

void hyb_generate_touch(hyb_team_t *team, const HPL_T_pmat *mat)
{
    filling_t filling = {.mat = mat, .visit = touch};

    visit_all(team, &filling, "taking memory for the matrix");
}
