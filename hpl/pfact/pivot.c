/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include "hpl.h"
#include "hpl/grid/peers.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "hpl/pfact/pivot.h"

enum {
    KEY = HPL_PROPOSAL_KEY,
    PIVOT_ROW = HPL_PROPOSAL_ROW,
    OWNER = HPL_PROPOSAL_OWNER,
    HAS_CURRENT = HPL_PROPOSAL_HAS_CURRENT,
    ROWS = HPL_PROPOSAL_ROWS
};

static void merge(const double *in, double *inout, int jb)
{
    if (in[KEY] > inout[KEY] ||
        (in[KEY] == inout[KEY] && in[OWNER] < inout[OWNER])) {
        inout[KEY] = in[KEY];
        inout[PIVOT_ROW] = in[PIVOT_ROW];
        inout[OWNER] = in[OWNER];
        memcpy(inout + ROWS, in + ROWS, (size_t)jb * sizeof(double));
    }
    if (in[HAS_CURRENT] != 0.0) {
        inout[HAS_CURRENT] = in[HAS_CURRENT];
        memcpy(inout + ROWS + jb, in + ROWS + jb, (size_t)jb * sizeof(double));
    }
}

static hpl_map_t rows_of(const HPL_T_panel *panel)
{
    return hpl_map(panel->nb, panel->grid->nprow, panel->grid->myrow);
}

static void wait_for(MPI_Request *requests, int count,
                     const hpl_pivot_wait_t *wait)
{
    int done = 0;

    if (wait->poll == NULL)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    else
        while (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) ==
                   MPI_SUCCESS &&
               !done)
            wait->poll(wait->context);
}

/* Doubles of a proposal that carry data: the current row comes last. */
static int length_of(const double *proposal, int jb)
{
    return ROWS + (proposal[HAS_CURRENT] != 0.0 ? 2 * jb : jb);
}

typedef struct { /* who proposed, to which panel */
    const HPL_T_panel *panel;
    int from;
} origin_t;

/* End the job unless x is a whole number from least to most. */
static void require(origin_t origin, const char *what, double x, double least,
                    double most)
{
    if (!hpl_is_index(x, least, most))
        hpl_peer_refuse(origin.panel->grid, HPL_IN_MY_COLUMN, origin.from, what,
                        x, least, most);
}

/* The values of another process's proposal do not lead out of the panel. */
static void check(const HPL_T_panel *panel, const double *proposal, int from)
{
    const origin_t origin = {panel, from};
    hpl_map_t rows = rows_of(panel);
    double first = panel->ia, last = first + panel->m - 1, owner;

    require(origin, "a row of processes", proposal[OWNER], 0,
            panel->grid->nprow - 1);
    require(origin, "the number of current rows", proposal[HAS_CURRENT], 0, 1);
    if (proposal[KEY] == -1.0) /* it has no candidate */
        return;
    require(origin, "the magnitude of a pivot", floor(proposal[KEY]), 0,
            INFINITY);
    require(origin, "the row of a pivot", proposal[PIVOT_ROW], first, last);
    owner = hpl_map_owner(&rows, (int64_t)proposal[PIVOT_ROW]);
    require(origin, "the row of processes of a pivot", proposal[OWNER], owner,
            owner);
}

/*
 * Send a proposal and receive one, in pieces so short that MPI sends them
 * eagerly. The first piece shows how long the other proposal is.
 */
static void trade(const HPL_T_panel *panel, const double *proposal, int to,
                  int from, const hpl_pivot_wait_t *wait)
{
    enum { PIECE = 500, TAG = 0 };
    int jb = panel->jb, most = (int)hpl_proposal_doubles(jb),
        out = length_of(proposal, jb);
    int in = most;
    MPI_Comm comm = panel->grid->col_comm;
    MPI_Request requests[2];

    for (int at = 0; at < Mmax(in, out); at += PIECE) {
        requests[0] = requests[1] = MPI_REQUEST_NULL;
        if (at < in)
            MPI_Irecv(wait->scratch + at, Mmin(PIECE, most - at), MPI_DOUBLE,
                      from, TAG, comm, &requests[0]);
        if (at < out)
            MPI_Isend(proposal + at, Mmin(PIECE, out - at), MPI_DOUBLE, to, TAG,
                      comm, &requests[1]);
        wait_for(requests, 2, wait);
        if (at == 0)
            check(panel, wait->scratch, from);
        in = length_of(wait->scratch, jb);
    }
}

/*
 * In round r each process merges what the process 2^r before has merged so far.
 * Merging a proposal twice changes nothing, so this works for any number of
 * processes in the fewest rounds.
 */
void hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait)
{
    int nprow = panel->grid->nprow, me = panel->grid->myrow;

    HPL_ptimer(HPL_TIMING_MXSWP);
    for (int step = 1; step < nprow; step *= 2) {
        trade(panel, proposal, (me + step) % nprow, (me + nprow - step) % nprow,
              wait);
        merge(wait->scratch, proposal, panel->jb);
    }
    if (proposal[KEY] < 0.0)
        HPL_pabort(__LINE__, "hpl_pivot_agree",
                   "no process proposed a pivot for a panel at row %d",
                   panel->ia);
    HPL_ptimer(HPL_TIMING_MXSWP);
}

/* My candidate of column c among m rows from local row first on. */
static void propose(const HPL_T_panel *panel, int m, int first, int c,
                    double *proposal)
{
    const double *column = Mptr(panel->top, first, c, panel->lda);
    hpl_map_t rows = rows_of(panel);
    int best = m > 0 ? HPL_idamax(m, column, 1) : 0;
    int64_t local = (int64_t)panel->ii + first + best;

    proposal[KEY] = m > 0 ? fabs(column[best]) : -1.0;
    if (isnan(proposal[KEY])) /* larger than any number: all choose alike */
        proposal[KEY] = INFINITY;
    proposal[PIVOT_ROW] = m > 0 ? (double)hpl_map_global(&rows, local) : -1.0;
    proposal[OWNER] = panel->grid->myrow;
    if (m > 0)
        HPL_dcopy(panel->jb, Mptr(panel->top, first + best, 0, panel->lda),
                  panel->lda, proposal + ROWS, 1);
    proposal[HAS_CURRENT] = panel->grid->myrow == panel->prow;
    if (proposal[HAS_CURRENT] != 0.0)
        HPL_dcopy(panel->jb, Mptr(panel->top, c, 0, panel->lda), panel->lda,
                  proposal + ROWS + panel->jb, 1);
}

/* Row c of L1 is the pivot row; its old place takes the current row. */
static void interchange(HPL_T_panel *panel, int c, hpl_matrix_t l1,
                        double *proposal)
{
    hpl_map_t rows = rows_of(panel);
    int64_t pivot = (int64_t)proposal[PIVOT_ROW];
    int64_t place = hpl_map_local(&rows, pivot) - panel->ii;
    hpl_matrix_t row = {proposal + ROWS, panel->jb, HplTrans};

    panel->DPIV[c] = (double)pivot;
    hpl_matrix_copy(1, panel->jb, row, hpl_matrix_at(l1, c, 0));
    if (panel->grid->myrow == (int)proposal[OWNER])
        HPL_dcopy(panel->jb, proposal + ROWS + panel->jb, 1,
                  Mptr(panel->top, place, 0, panel->lda), panel->lda);
}

/* Divide the column below by its pivot, whose inverse may not be a number. */
static void divide(HPL_T_panel *panel, int m, int first, int c, double pivot)
{
    double *column = Mptr(panel->top, first, c, panel->lda);

    if (pivot == 0.0) {
        if (*panel->DINFO == 0.0)
            *panel->DINFO = (double)panel->ja + c + 1;
    } else if (fabs(pivot) < DBL_MIN) {
        for (int i = 0; i < m; i++)
            column[i] /= pivot;
    } else if (m > 0) {
        HPL_dscal(m, 1.0 / pivot, column, 1);
    }
}

void hpl_pivot_column(HPL_T_panel *panel, int m, int c, hpl_matrix_t l1,
                      double *work)
{
    int top = panel->grid->myrow == panel->prow ? 1 : 0;
    int first = top ? c : 0;

    propose(panel, m, first, c, work);
    if (panel->grid->nprow > 1) {
        hpl_panel_reserve_u(panel, hpl_proposal_doubles(panel->jb));
        hpl_pivot_agree(panel, work, &(hpl_pivot_wait_t){.scratch = panel->U});
    }
    interchange(panel, c, l1, work);
    divide(panel, m - top, first + top, c, work[ROWS + c]);
}
