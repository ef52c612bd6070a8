/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/pgesv/exchange.h"

/* One update: a panel, the forms of L1 and U, and the broadcast to poll. */
typedef struct {
    HPL_T_panel *panel;
    enum HPL_TRANS l1_form, u_form;
    HPL_T_panel *broadcast;
    int *state;
} update_t;

static bool broadcast_runs(const update_t *u)
{
    return u->broadcast != NULL && *u->state == HPL_KEEP_TESTING;
}

static void poll_broadcast(const update_t *u)
{
    if (broadcast_runs(u))
        HPL_bcast(u->broadcast, u->state);
}

/* Interchange rows in the next `columns` columns, and return U there. */
static hpl_matrix_t interchange(const update_t *u, int columns)
{
    HPL_T_panel *panel = u->panel;
    hpl_exchange_t exchange;

    if (panel->grid->nprow == 1) {
        hpl_local_swap(panel, columns);
        return (hpl_matrix_t){panel->A, panel->lda, HplNoTrans};
    }
    hpl_panel_reserve_u(panel, hpl_exchange_doubles(panel->jb, columns));
    hpl_exchange_begin(&exchange, panel, columns);
    while (!hpl_schedule_poll(exchange.schedule))
        poll_broadcast(u);
    return hpl_exchange_end(&exchange, u->u_form);
}

/* U := L1^-1 U and C := C - L2 U on columns from .. from + n - 1. */
static void solve_and_multiply(const update_t *u, hpl_matrix_t rows, int from,
                               int n)
{
    HPL_T_panel *panel = u->panel;
    int top = hpl_panel_top_rows(panel);
    hpl_matrix_t l1 = {panel->L1, panel->jb, u->l1_form};
    hpl_matrix_t l2 = {panel->L2, panel->ldl2, HplNoTrans};
    hpl_matrix_t c = {Mptr(panel->A, top, from, panel->lda), panel->lda,
                      HplNoTrans};

    rows = hpl_matrix_at(rows, 0, from);
    hpl_matrix_trsm_unit_lower(panel->jb, n, l1, rows);
    hpl_matrix_gemm(panel->mp - top, n, panel->jb, l2, rows, c);
}

static void update_columns(const update_t *u, int columns)
{
    HPL_T_panel *panel = u->panel;
    hpl_matrix_t rows, top = {panel->A, panel->lda, HplNoTrans};
    int n;

    HPL_ptimer(HPL_TIMING_LASWP);
    rows = interchange(u, columns);
    HPL_ptimer(HPL_TIMING_LASWP);
    for (int from = 0; from < columns; from += n) {
        n = columns - from;
        if (broadcast_runs(u))
            n = Mmin(n, panel->nb);
        solve_and_multiply(u, rows, from, n);
        poll_broadcast(u);
    }
    /* On the owner of the top, U becomes the matrix's top rows. */
    if (rows.data != panel->A && hpl_panel_top_rows(panel) > 0)
        hpl_matrix_copy(panel->jb, columns, rows, top);
}

static void update(update_t u, int columns)
{
    HPL_T_panel *panel = u.panel;
    int n, width = hpl_exchange_width(panel->jb, panel->nb);

    HPL_ptimer(HPL_TIMING_UPDATE);
    poll_broadcast(&u);
    for (columns = Mmin(columns, panel->nq); columns > 0; columns -= n) {
        n = panel->grid->nprow == 1 ? columns : Mmin(columns, width);
        update_columns(&u, n);
        panel->A = Mptr(panel->A, 0, n, panel->lda);
        panel->jj += n;
        panel->nq -= n;
    }
    HPL_ptimer(HPL_TIMING_UPDATE);
}

#define UPDATE(name, l1_form, u_form)                                          \
    void name(HPL_T_panel *PBCST, int *IFLAG, HPL_T_panel *PANEL, int NN)      \
    {                                                                          \
        update((update_t){PANEL, l1_form, u_form, PBCST, IFLAG}, NN);          \
    }

UPDATE(HPL_pdupdateNN, HplNoTrans, HplNoTrans)
UPDATE(HPL_pdupdateNT, HplNoTrans, HplTrans)
UPDATE(HPL_pdupdateTN, HplTrans, HplNoTrans)
UPDATE(HPL_pdupdateTT, HplTrans, HplTrans)
