/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/driver/generate.h"

#include "hpl_misc.h"
#include "hybrid/driver/phase.h"

/* Bytes that a member fills at a time: some huge pages. */
enum { CHUNK_BYTES = 8 << 20 };

typedef struct {
    hpl_generator_t generator;
    const HPL_T_pmat *mat;
    int64_t members;
    int64_t width; /* columns of a chunk */
    hyb_phase_t *phase;
} filling_t;

hpl_generator_t hyb_generator(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                              int seed)
{
    hpl_random_t matrix = {
        .m = mat->n, .n = (int64_t)mat->n + 1, .seed = (uint32_t)seed};
    hpl_map_t rows = hpl_map(mat->nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map(mat->nb, grid->npcol, grid->mycol);

    return hpl_generator(&matrix, &rows, &columns);
}

/* Every members-th chunk: where pages come to lie does not depend on speed. */
static void fill(void *argument, int member)
{
    const filling_t *f = argument;
    const HPL_T_pmat *mat = f->mat;
    hpl_block_t block = {.rows = mat->mp};

    for (block.col = member * f->width; block.col < mat->nq;
         block.col += f->members * f->width) {
        block.cols = Mmin(f->width, mat->nq - block.col);
        hpl_generator_fill(&f->generator, block,
                           Mptr(mat->A, 0, block.col, mat->ld), mat->ld);
        hyb_phase_step(f->phase);
    }
}

void hyb_generate(hyb_team_t *team, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed)
{
    int64_t members = hyb_team_size(team);
    int64_t fair = (mat->nq + members - 1) / members;
    int64_t column_bytes = (int64_t)mat->ld * (int64_t)sizeof(double);
    hyb_phase_t phase;
    filling_t filling = {.generator = hyb_generator(grid, mat, seed),
                         .mat = mat,
                         .members = members,
                         .phase = &phase};

    filling.width = Mmin(Mmax(CHUNK_BYTES / column_bytes, 1), Mmax(fair, 1));
    hyb_phase_begin(&phase, "generating the matrix");
    hyb_team_run(team, fill, &filling);
    hyb_phase_end(&phase);
}
