/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <stdlib.h>
#include "hpl.h"
#include "hpl/matgen/generator.h"
#include "hpl/panel/panel.h"
#include "hpl/panel/pivots.h"
#include "hpl/pauxil/map.h"
#include "hpl/pfact/pivot.h"
#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "sim/model.h"

/* Replacements for functions of hpl/ on matrices, for the reference solver and
 * for functions that the solver of xhpl uses. */

void __wrap_hpl_generator_fill(const hpl_generator_t *generator,
                               hpl_submatrix_t block, double *a, int64_t ld)
{
}

void __wrap_HPL_pdmatgen(const HPL_T_grid *grid, int m, int n, int nb,
                         double *a, int lda, int seed)
{
}

/* ---- pivots -------------------------------------------------------------- */

const hpl_pivots_t *__real_hpl_panel_pivots(HPL_T_panel *panel);
void __real_hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                            const hpl_pivot_wait_t *wait);

/* Fill in modelled pivots, whatever the panel's message had. */
const hpl_pivots_t *__wrap_hpl_panel_pivots(HPL_T_panel *panel)
{
    if (panel->pivots == NULL) {
        sim_report_panel(hpl_panel_number(panel));
        for (int i = 0; i < panel->jb; i++)
            panel->DPIV[i] =
                (double)sim_pivot(panel->pmat->n, (int64_t)panel->ja + i);
    }
    return __real_hpl_panel_pivots(panel);
}

/* Order of the matrix; for a panel measured by the planner, the panel's rows.
 */
static int64_t order_of(const HPL_T_panel *panel)
{
    return panel->pmat != NULL ? panel->pmat->n
                               : (int64_t)panel->nb * panel->grid->nprow;
}

/* Propose the pivot of column number `column`, counted from agreements so far,
 * as a proposal does not tell it. The owner of the pivot has the largest entry.
 */
static void propose(const HPL_T_panel *panel, int column, double *proposal)
{
    hpl_map_t rows = hpl_map(panel->nb, panel->grid->nprow, panel->grid->myrow);
    int64_t row = sim_pivot(order_of(panel), (int64_t)panel->ja + column);
    bool mine = hpl_map_owner(&rows, row) == rows.me;

    proposal[HPL_PROPOSAL_KEY] = mine ? 1.0 : -1.0;
    proposal[HPL_PROPOSAL_ROW] = mine ? (double)row : -1.0;
    proposal[HPL_PROPOSAL_OWNER] = rows.me;
    proposal[HPL_PROPOSAL_HAS_CURRENT] = hpl_panel_top_rows(panel) > 0;
}

/* Agree on a pivot, and report the time in which this process does nothing
 * else. */
static void agree(HPL_T_panel *panel, double *proposal,
                  const hpl_pivot_wait_t *wait)
{
    double began = sim_now(), busy = sim_report_busy();

    __real_hpl_pivot_agree(panel, proposal, wait);
    sim_report_spent(SIM_PIVOTS,
                     sim_now() - began - (sim_report_busy() - busy));
}

static struct { /* per process */
    int ja, columns;
} agreed = {-1, 0};

void __wrap_hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                            const hpl_pivot_wait_t *wait)
{
    if (panel->ja != agreed.ja || agreed.columns == panel->jb) {
        agreed.ja = panel->ja;
        agreed.columns = 0;
    }
    propose(panel, agreed.columns++, proposal);
    agree(panel, proposal, wait);
}

void __real_HPL_pdfact(HPL_T_panel *panel);

void __wrap_HPL_pdfact(HPL_T_panel *panel)
{
    sim_panel_begin();
    __real_HPL_pdfact(panel);
    sim_panel_end();
}

/* Charge the search, the copy of the row to L1, and the division. */
void __wrap_hpl_pivot_column(HPL_T_panel *panel, int m, int c, hpl_matrix_t l1,
                             double *work)
{
    static double *scratch;

    if (scratch == NULL)
        scratch = malloc(hpl_pivot_scratch_doubles(panel->nb) * sizeof(double));
    sim_charge_search(8.0 * m + 32.0 * panel->jb);
    propose(panel, c, work);
    if (panel->grid->nprow > 1)
        agree(panel, work, &(hpl_pivot_wait_t){.scratch = scratch});
    sim_charge_search(16.0 * m);
}

/* ---- rows ---------------------------------------------------------------- */

/* rows_packed: rows that this process packs for U or for others. rows_settled:
 * rows that it puts in their places. */
static int rows_packed(const hpl_pivots_t *p)
{
    const int *mine = p->gather_offset + p->me;

    int first;

    return mine[1] - mine[0] + hpl_pivots_displaced_from(p, p->me, &first);
}

static int rows_settled(const hpl_pivots_t *p)
{
    int count = 0, first;

    for (int source = 0; source < p->sources; source++)
        count += hpl_pivots_between(p, source, p->me, &first);
    return count;
}

void __wrap_hpl_local_swap(HPL_T_panel *panel, int columns)
{
    const hpl_pivots_t *p = __wrap_hpl_panel_pivots(panel);

    sim_charge_move(16.0 * (2.0 * panel->jb + p->displace_offset[1]) * columns);
}

void __wrap_hpl_exchange_pack(const hpl_exchange_t *x, int from, int columns)
{
    sim_charge_move(16.0 * rows_packed(x->panel->pivots) * columns);
}

void __wrap_hpl_exchange_settle(const hpl_exchange_t *x, int from, int columns)
{
    sim_charge_move(16.0 * rows_settled(x->panel->pivots) * columns);
}

void __wrap_hpl_exchange_order(const hpl_exchange_t *x, hpl_matrix_t u)
{
    sim_charge_move(16.0 * x->panel->jb * x->columns);
}

void __real_hpl_factor_matrix(HPL_T_grid *grid, HPL_T_palg *algo,
                              HPL_T_pmat *mat);

void __wrap_hpl_factor_matrix(HPL_T_grid *grid, HPL_T_palg *algo,
                              HPL_T_pmat *mat)
{
    if (sim_report_begins())
        __real_hpl_factor_matrix(grid, algo, mat);
}

/* ---- back-substitution --------------------------------------------------- */

void __real_hpl_back_substitution(HPL_T_grid *grid, HPL_T_pmat *mat,
                                  const hpl_subtract_t *how);

static void subtract(void *context, const hpl_product_t *p)
{
    sim_charge_move(8.0 * p->m * p->n);
}

/* Substitute with real memory for x and b only. */
void __wrap_hpl_back_substitution(HPL_T_grid *grid, HPL_T_pmat *mat,
                                  const hpl_subtract_t *how)
{
    static const hpl_subtract_t model = {.subtract = subtract};
    size_t rows = (size_t)mat->mp + 1, columns = (size_t)mat->nq + 1;
    double *vectors = calloc(rows + columns, sizeof(double));
    HPL_T_pmat real = *mat;

    if (vectors == NULL)
        HPL_pabort(__LINE__, "hpl_back_substitution", "out of memory");
    real.X = vectors + rows;
    /* chosen so that b, the last column, begins at `vectors` */
    real.A = (double *)((uintptr_t)vectors - (uintptr_t)(mat->nq - 1) *
                                                 (uintptr_t)mat->ld *
                                                 sizeof(double));
    __real_hpl_back_substitution(grid, &real, &model);
    free(vectors);
}

void __wrap_HPL_pdtrsv(HPL_T_grid *grid, HPL_T_pmat *mat)
{
    __wrap_hpl_back_substitution(grid, mat, NULL);
}
