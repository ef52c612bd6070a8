/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/system/generate.h"

#include "base/memory.h"
#include "hpl_misc.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/huge_pages.h"

/* Bytes that a member fills at a time: a few huge pages. */
enum { RUN_BYTES = 8 << 20 };

typedef struct filling {
    hpl_generator_t generator;
    const hyb_lu_t *lu; /* its columns in host memory; NULL: all */
    const HPL_T_pmat *mat;
    void (*visit)(const struct filling *f, hpl_submatrix_t columns);
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

static double *address(const HPL_T_pmat *mat, hpl_submatrix_t columns)
{
    return Mptr(mat->A, 0, columns.col, mat->ld);
}

static void fill(const filling_t *f, hpl_submatrix_t columns)
{
    hpl_generator_fill(&f->generator, columns, address(f->mat, columns),
                       f->mat->ld);
}

static void touch(const filling_t *f, hpl_submatrix_t columns)
{
    size_t bytes = (size_t)f->mat->ld * (size_t)columns.cols * sizeof(double);

    xh_memory_touch(address(f->mat, columns), bytes, 0, 1);
}

/* Is `column` to be visited? Set *end_p to the end of the columns from there on
 * for which the answer is the same. */
static bool is_visited(const filling_t *f, int64_t column, int64_t *end_p)
{
    int64_t b;

    *end_p = f->mat->nq;
    if (f->lu == NULL)
        return true;
    b = hyb_ledger_block(&f->lu->ledger, column);
    *end_p = hyb_ledger_first(&f->lu->ledger, b + 1);
    return hyb_homes_in_host_memory(&f->lu->homes, b);
}

static void visit_run(const filling_t *f, int64_t from, int64_t to)
{
    int64_t end;

    for (; from < to; from = end) {
        bool visits = is_visited(f, from, &end);

        end = Mmin(end, to);
        if (visits)
            f->visit(f, (hpl_submatrix_t){.col = from,
                                          .rows = f->mat->mp,
                                          .cols = end - from});
    }
}

/* Visit every members-th run. The runs are fixed, so that the place of pages
 * does not depend on speed. */
static void visit(void *argument, int member)
{
    const filling_t *f = argument;
    int64_t from = member * f->width;

    for (; from < f->mat->nq; from += f->members * f->width) {
        visit_run(f, from, Mmin(from + f->width, f->mat->nq));
        hyb_phase_step(f->phase);
    }
}

/* Visit all columns by all members, run by run. */
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
    hyb_phase_begin(&phase, what);
    hyb_team_run(team, visit, f);
    hyb_phase_end(&phase);
}

void hyb_generate(const hyb_resources_t *resources, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed)
{
    filling_t filling = {.generator =
                             hyb_generator(resources->kernel, grid, mat, seed),
                         .mat = mat,
                         .visit = fill};

    visit_all(resources->team, &filling, "generating the matrix");
}

void hyb_generate_touch(hyb_team_t *team, const HPL_T_pmat *mat)
{
    filling_t filling = {.mat = mat, .visit = touch};

    visit_all(team, &filling, "taking memory for the matrix");
}

/* ---- columns at their homes ---------------------------------------------- */

/* Back by pages what the host holds of columns that live on devices: diagonal
 * blocks, and b. The loop writes to them while the devices wait. */
static void touch_diagonals_and_b(const hyb_lu_t *lu)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_map_t cols = hpl_map_columns(lu->grid, mat->nb);

    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        bool is_b = j >= lu->ledger.columns_of_a;
        int panel = (int)(hpl_map_global(&cols, j) / mat->nb);
        int64_t i = is_b ? 0 : hyb_lu_rows_above(lu->grid, lu->mat, panel);
        int64_t end =
            is_b ? mat->mp : hyb_lu_rows_above(lu->grid, lu->mat, panel + 1);

        if (j >= lu->ledger.columns_of_ab ||
            !hyb_homes_in_host_memory(&lu->homes,
                                      hyb_ledger_block(&lu->ledger, j)))
            xh_memory_touch(Mptr(mat->A, i, j, mat->ld),
                            (size_t)(end - i) * sizeof(double), 0, 1);
    }
}

static void begin_memory(const hyb_lu_t *lu)
{
    hyb_huge_pages_prefer(lu);
    touch_diagonals_and_b(lu);
}

void hyb_generate_touch_homes(hyb_lu_t *lu)
{
    filling_t filling = {.lu = lu, .mat = lu->mat, .visit = touch};

    begin_memory(lu);
    visit_all(lu->resources.team, &filling, "taking memory for the matrix");
}

void hyb_generate_on_host(hyb_place_t *host, int seed)
{
    const hyb_lu_t *lu = host->lu;
    filling_t filling = {.generator = hyb_generator(lu->resources.kernel,
                                                    lu->grid, lu->mat, seed),
                         .lu = lu,
                         .mat = lu->mat,
                         .visit = fill};

    visit_all(lu->resources.team, &filling, "generating the matrix");
}

void hyb_generate_homes(hyb_lu_t *lu, int seed)
{
    begin_memory(lu);
    for (int i = 0; i < lu->homes.places; i++)
        lu->homes.place[i]->generate(lu->homes.place[i], seed);
    hyb_check_columns_sum(lu->check, 0);
}
