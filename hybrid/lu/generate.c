/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/generate.h"

#include "base/memory.h"
#include "hpl_misc.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/observe/watchdog.h"

/* Bytes that a member fills at a time: some huge pages. */
enum { RUN_BYTES = 8 << 20 };

typedef struct filling {
    hpl_generator_t generator;
    const HPL_T_pmat *mat;
    void (*visit)(const struct filling *f, hpl_block_t columns);
    int64_t members;
    int64_t width; /* columns of a run */
    hyb_phase_t *phase;
} filling_t;

hpl_generator_t hyb_generator(const hyb_kernel_t *kernel,
                              const HPL_T_grid *grid, const HPL_T_pmat *mat,
                              int seed)
{
    hpl_map_t rows = hpl_map(mat->nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map_columns(grid, mat->nb);
    hpl_generator_t generator =
        hpl_generator(mat->n, (uint32_t)seed, &rows, &columns);

    generator.run = kernel->generate;
    return generator;
}

static double *address(const HPL_T_pmat *mat, hpl_block_t columns)
{
    return Mptr(mat->A, 0, columns.col, mat->ld);
}

static void fill(const filling_t *f, hpl_block_t columns)
{
    hpl_generator_fill(&f->generator, columns, address(f->mat, columns),
                       f->mat->ld);
}

static void touch(const filling_t *f, hpl_block_t columns)
{
    size_t bytes = (size_t)f->mat->ld * (size_t)columns.cols * sizeof(double);

    xh_memory_touch(address(f->mat, columns), bytes, 0, 1);
}

/* Every members-th run: where pages come to lie does not depend on speed. */
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

/* By all members, run by run. */
static void visit_all(hyb_team_t *team, filling_t *f, const char *what)
{
    const HPL_T_pmat *mat = f->mat;
    int64_t members = hyb_team_size(team);
    int64_t fair = xh_units(mat->nq, members);
    int64_t column_bytes = (int64_t)mat->ld * (int64_t)sizeof(double);
    hyb_phase_t phase;

    f->members = members;
    f->width = Mmin(Mmax(RUN_BYTES / column_bytes, 1), Mmax(fair, 1));
    f->phase = &phase;
    hyb_phase_begin(&phase, what, hyb_watchdog_patience());
    hyb_team_run(team, visit, f);
    hyb_phase_end(&phase);
}

void hyb_generate(const hyb_means_t *means, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed)
{
    filling_t filling = {.generator =
                             hyb_generator(means->kernel, grid, mat, seed),
                         .mat = mat,
                         .visit = fill};

    visit_all(means->team, &filling, "generating the matrix");
}

void hyb_generate_touch(hyb_team_t *team, const HPL_T_pmat *mat)
{
    filling_t filling = {.mat = mat, .visit = touch};

    visit_all(team, &filling, "taking memory for the matrix");
}

/* ---- columns at their homes ---------------------------------------------- */

/* Back by pages what the host keeps of columns that live on devices: diagonal
 * blocks, and b. The loop writes them while the devices wait. */
static void touch_kept(const hyb_lu_t *lu, int64_t from)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_map_t cols = hpl_map_columns(lu->grid, mat->nb);

    for (int64_t j = from; j < lu->ledger.columns; j++) {
        bool is_b = j >= lu->ledger.columns_of_a;
        int panel = (int)(hpl_map_global(&cols, j) / mat->nb);
        int64_t i = is_b ? 0 : hyb_lu_rows_above(lu, panel);
        int64_t end = is_b ? mat->mp : hyb_lu_rows_above(lu, panel + 1);

        xh_memory_touch(Mptr(mat->A, i, j, mat->ld),
                        (size_t)(end - i) * sizeof(double), 0, 1);
    }
}

/* The columns in host memory. */
static HPL_T_pmat host_matrix(const hyb_lu_t *lu)
{
    HPL_T_pmat host = *lu->mat;

    host.nq = (int)Mmin(
        hyb_ledger_first(&lu->ledger, hyb_homes_in_host_memory(&lu->homes)),
        lu->ledger.columns_of_ab);
    return host;
}

void hyb_generate_touch_homes(hyb_lu_t *lu)
{
    HPL_T_pmat host = host_matrix(lu);

    touch_kept(lu, host.nq);
    hyb_generate_touch(lu->means.team, &host);
}

void hyb_generate_on_host(hyb_place_t *host, int seed)
{
    HPL_T_pmat mat = host_matrix(host->lu);

    hyb_generate(&host->lu->means, host->lu->grid, &mat, seed);
}

void hyb_generate_homes(hyb_lu_t *lu, int seed)
{
    touch_kept(lu, host_matrix(lu).nq);
    for (int i = 0; i < lu->homes.places; i++)
        lu->homes.place[i]->generate(lu->homes.place[i], seed);
    hyb_check_columns_sum(lu, 0);
}
