/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <stdlib.h>
#include "hpl.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/cpu/update/pack.h"
#include "sim/model.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"

/* Replacements for the computations of the host's place and of panels. */

/* Charge the packing of U; the time of a panel's factorization includes its
 * packing. */
void __wrap_hyb_pack(xh_view_t v, xh_trans_t op, double scale, int height,
                     double *packed)
{
    if (op == XH_TRANS)
        sim_charge_move(16.0 * (double)(v.rows * v.cols));
}

void __wrap_hyb_factors_pack_l1(xh_view_t v, hyb_tiles_t *l1)
{
    l1->rows = v.rows;
    l1->cols = v.cols;
    sim_charge_move(16.0 * (double)(v.rows * v.cols));
}

/* ---- a run of columns ---------------------------------------------------- */

void __wrap_hyb_run_swap(const hyb_kernel_t *kernel, const hyb_swap_t *swap,
                         xh_view_t columns, double *u)
{
    sim_charge_move(16.0 *
                    (double)((swap->nb + swap->displaced) * columns.cols));
}

void __wrap_hyb_run_unpack_rows(const hyb_kernel_t *kernel,
                                const hyb_arrived_t *rows, int64_t cols,
                                double *u)
{
    sim_charge_move(16.0 * (double)(rows->nb * cols));
}

void __wrap_hyb_run_return_rows(const hyb_kernel_t *kernel, const double *u,
                                int64_t cols, const hyb_arrived_t *rows)
{
    sim_charge_move(16.0 * (double)(rows->nb * cols));
}

void __wrap_hyb_run_solve(const hyb_factors_t *factors, int64_t cols, double *u)
{
    sim_charge_solve((double)factors->l1.rows, (double)cols);
}

/* Nothing to charge: the time of the solve includes it. */
void __wrap_hyb_run_store(const hyb_factors_t *factors, const double *u,
                          xh_view_t matrix)
{
    sim_event();
}

/* Charge a product in parts, between which the leader polls. */
void __wrap_hyb_run_multiply(const hyb_factors_t *factors, const double *u,
                             xh_view_t c, const hyb_run_poll_t *poll)
{
    const sim_model_t *s = sim_model();
    double k = (double)factors->l2.cols, part = (double)c.rows;
    int parts = 1;

    if (poll != NULL)
        parts = (int)Mmin(s->polls, 1.0 + 2.0 * part * (double)c.cols * k /
                                              s->rate / s->poll);
    for (int i = 0; i < parts; i++) {
        sim_charge_product(part / parts, (double)c.cols, k);
        if (poll != NULL)
            poll->poll(poll->context);
    }
}

/* ---- panels -------------------------------------------------------------- */

/* Charge a column: its search, and its part of the updates, m nb^2 flop in all.
 */
static void charge_column(const hyb_panel_t *panel)
{
    const sim_model_t *s = sim_model();
    double rows = (double)(panel->body.rows + panel->top.rows);

    sim_charge(SIM_PANELS, s->column +
                               rows * (double)panel->l1.cols / s->panel +
                               8.0 * rows / s->search);
}

void __wrap_hyb_panel_factor(hyb_panel_scratch_t *scratch,
                             const hyb_panel_t *panel, int member, int members)
{
    int nb = (int)panel->l1.cols;
    double *rows = calloc(2 * (size_t)nb + 1, sizeof(double));

    *panel->zero_p = 0;
    for (int c = 0; c < nb; c++) {
        hyb_pivot_t pivot = {.key = 0,
                             .row = c,
                             .mine = true,
                             .candidate = rows,
                             .current = rows + nb};

        charge_column(panel);
        if (panel->agree != NULL)
            panel->agree(panel->context, &pivot);
        panel->pivot[c] = pivot.row;
    }
    free(rows);
}

xh_status_t __real_hyb_panels_create(hyb_lu_t *lu);
void __real_hyb_panels_destroy(hyb_lu_t *lu);

/* Allocate real memory for proposals, which the leader reads and writes. */
xh_status_t __wrap_hyb_panels_create(hyb_lu_t *lu)
{
    size_t doubles = hpl_proposal_doubles(Mmin(lu->mat->nb, lu->mat->n));
    hyb_panel_workspace_t *s;

    XH_TRY(__real_hyb_panels_create(lu));
    s = hyb_lu_panel(lu, 0)->workspace;
    s->proposal = calloc(doubles, sizeof(double));
    s->others_proposal = calloc(HPL_PIVOT_PEERS * doubles, sizeof(double));
    return s->proposal != NULL && s->others_proposal != NULL ? XH_OK
                                                             : XH_ERR_MEMORY;
}

void __wrap_hyb_panels_destroy(hyb_lu_t *lu)
{
    const hyb_panel_workspace_t *s = hyb_lu_panel(lu, 0)->workspace;

    if (s != NULL) {
        free(s->proposal);
        free(s->others_proposal);
    }
    __real_hyb_panels_destroy(lu);
}

void __real_hyb_factor_run(hyb_lu_t *lu);

void __wrap_hyb_factor_run(hyb_lu_t *lu)
{
    if (sim_report_begins())
        __real_hyb_factor_run(lu);
}

/* Return false, as there are no numbers to compare. */
bool __wrap_hyb_check_columns_wanted(const hyb_resources_t *resources,
                                     int64_t n, int nprow)
{
    return false;
}
