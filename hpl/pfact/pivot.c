/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include "hpl.h"
#include "hpl/comm/waits.h"
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

typedef struct { /* messages with a peer */
    MPI_Request *requests;
    int count;
    hpl_wait_t whom; /* it is waited for */
} messages_t;

static void wait_for(const messages_t *m, const hpl_pivot_wait_t *wait)
{
    int done = 0;

    if (wait->poll == NULL) {
        hpl_wait_begin(&m->whom);
        MPI_Waitall(m->count, m->requests, hpl_no_statuses);
        hpl_wait_end();
        return;
    }
    while (MPI_Testall(m->count, m->requests, &done, hpl_no_statuses) ==
               MPI_SUCCESS &&
           !done) {
        wait->poll(wait->context);
        if (hpl_waits_are_wanted())
            hpl_waits_note(&m->whom);
    }
}

/* Is the current row's owner among the merged processes up to this row? */
static bool has_current(const HPL_T_panel *panel, int row, int merged)
{
    int nprow = panel->grid->nprow;

    return (row + nprow - panel->prow) % nprow < merged;
}

/* Doubles of a proposal that carry data: the current row comes last. */
static int length_of(const HPL_T_panel *panel, int row, int merged)
{
    return ROWS + (has_current(panel, row, merged) ? 2 : 1) * panel->jb;
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

/*
 * The values of another process's proposal, of as many processes as merged, do
 * not lead out of the panel.
 */
static void check(const HPL_T_panel *panel, const double *proposal, int from,
                  int merged)
{
    const origin_t origin = {panel, from};
    hpl_map_t rows = rows_of(panel);
    double first = panel->ia, last = first + panel->m - 1, owner;
    bool current = has_current(panel, from, merged);

    require(origin, "a row of processes", proposal[OWNER], 0,
            panel->grid->nprow - 1);
    require(origin, "the number of current rows", proposal[HAS_CURRENT],
            current, current);
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
 * Send my proposal, which covers as many processes as merged, as far on, and
 * receive one from as far back; in pieces so short that MPI sends them eagerly,
 * many at a time.
 */
static void trade(const HPL_T_panel *panel, const double *proposal, int merged,
                  const hpl_pivot_wait_t *wait)
{
    enum { PIECE = 500, AT_ONCE = 32, TAG = 0 };
    int nprow = panel->grid->nprow, me = panel->grid->myrow;
    int to = (me + merged) % nprow, from = (me + nprow - merged) % nprow;
    int out = length_of(panel, me, merged), in = length_of(panel, from, merged);
    MPI_Comm comm = panel->grid->col_comm;
    MPI_Request requests[AT_ONCE];
    messages_t m = {
        .requests = requests,
        .whom = {
            .what = "pivot",
            .iteration = panel->ja / panel->nb,
            .bytes = (double)in * sizeof(double),
            .whom = {HPL_pnum(panel->grid, from, panel->grid->mycol), 0, 1}}};

    for (int at = 0; at < Mmax(in, out); at += PIECE) {
        if (at < in)
            MPI_Irecv(wait->scratch + at, Mmin(PIECE, in - at), MPI_DOUBLE,
                      from, TAG, comm, &requests[m.count++]);
        if (at < out)
            MPI_Isend(proposal + at, Mmin(PIECE, out - at), MPI_DOUBLE, to, TAG,
                      comm, &requests[m.count++]);
        if (m.count > AT_ONCE - 2) {
            wait_for(&m, wait);
            m.count = 0;
        }
    }
    wait_for(&m, wait);
    check(panel, wait->scratch, from, merged);
}

/*
 * In round r each process merges what the process 2^r before has merged so far.
 * Merging a proposal twice changes nothing, so this works for any number of
 * processes in the fewest rounds.
 */
void hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait)
{
    HPL_ptimer(HPL_TIMING_MXSWP);
    for (int merged = 1; merged < panel->grid->nprow; merged *= 2) {
        trade(panel, proposal, merged, wait);
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
