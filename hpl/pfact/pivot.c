/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include "base/checksum.h"
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
    SEAL = HPL_PROPOSAL_SEAL,
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

/* Do the merged proposals of process row `row` include that of the current
 * row's owner? */
static bool has_current(const HPL_T_panel *panel, int row, int merged)
{
    int nprow = panel->grid->nprow;

    return (row + nprow - panel->prow) % nprow < merged;
}

/* Doubles of a proposal that are sent; the current row is last, if it is known.
 */
static int length_of(const HPL_T_panel *panel, int row, int merged)
{
    return ROWS + (has_current(panel, row, merged) ? 2 : 1) * panel->jb;
}

typedef struct { /* the sender and the panel of a proposal */
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

/* Compute a proposal's checksum. If a wrong but valid row number were accepted,
 * the processes would diverge. */
static double seal_of(const double *proposal)
{
    uint64_t sums[2];
    double seal;

    xh_checksum(proposal, SEAL, sums);
    memcpy(&seal, &sums[1], sizeof(seal));
    return seal;
}

static void require_seal(origin_t origin, const double *proposal)
{
    double seal = seal_of(proposal);
    char name[HPL_PEER_SIZE];

    if (memcmp(&seal, proposal + SEAL, sizeof(seal)) == 0)
        return;
    hpl_peer_name(origin.panel->grid, HPL_IN_MY_COLUMN, origin.from, name);
    HPL_pabort(0, "hpl_pivot_agree",
               "%s sent a pivot whose bits do not match their checksum: a "
               "message or that process's memory was damaged",
               name);
}

static void check_candidate(origin_t origin, const double *proposal)
{
    const HPL_T_panel *panel = origin.panel;
    hpl_map_t rows = rows_of(panel);
    double first = panel->ia, last = first + panel->m - 1, owner;

    require(origin, "the magnitude of a pivot", floor(proposal[KEY]), 0,
            INFINITY);
    require(origin, "the row of a pivot", proposal[PIVOT_ROW], first, last);
    owner = hpl_map_owner(&rows, (int64_t)proposal[PIVOT_ROW]);
    require(origin, "the row of processes of a pivot", proposal[OWNER], owner,
            owner);
}

/*
 * Check the proposal that another process merged from `merged` processes: its
 * row numbers are inside the panel, and its checksum is right.
 */
static void check(const HPL_T_panel *panel, const double *proposal, int from,
                  int merged)
{
    const origin_t origin = {panel, from};
    bool current = has_current(panel, from, merged);

    require(origin, "a row of processes", proposal[OWNER], 0,
            panel->grid->nprow - 1);
    require(origin, "the number of current rows", proposal[HAS_CURRENT],
            current, current);
    if (proposal[KEY] != -1.0) /* else there is no candidate */
        check_candidate(origin, proposal);
    require_seal(origin, proposal);
}

/* ---- messages ------------------------------------------------------------ */

enum { PIECE = 500, PIECES = 16, TAG = 0 };

typedef struct {
    int to, from;   /* process rows */
    double *theirs; /* the received proposal */
    int length;     /* its length in doubles */
} peer_t;

enum { MESSAGES = 2 * PIECES * HPL_PIVOT_PEERS };

typedef struct { /* messages in flight, so short that MPI sends them eagerly */
    MPI_Request requests[MESSAGES];
    hpl_open_t with[MESSAGES];
    int count;
} pieces_t;

/* Find the peers of a round in which each proposal covers `merged` processes;
 * the peers' distances are multiples of `merged`. */
static int find_peers(const HPL_T_panel *panel, int merged, double *scratch,
                      peer_t *peers)
{
    int nprow = panel->grid->nprow, me = panel->grid->myrow, count = 0;

    for (int d = merged; d < nprow && count < HPL_PIVOT_PEERS; d += merged) {
        peer_t *p = &peers[count];

        p->to = (me + d) % nprow;
        p->from = (me + nprow - d) % nprow;
        p->theirs = scratch + (size_t)count++ * hpl_proposal_doubles(panel->jb);
        p->length = length_of(panel, p->from, merged);
    }
    return count;
}

/* Add a request for one more piece, and return its place. */
static MPI_Request *add(pieces_t *pieces, int peer, int doubles)
{
    pieces->with[pieces->count] =
        (hpl_open_t){peer, (double)doubles * sizeof(double)};
    return &pieces->requests[pieces->count++];
}

/* Begin to exchange pieces of proposals, from double `at` on; my proposal has
 * `length` doubles. */
static void begin(MPI_Comm comm, const double *proposal, int length, int at,
                  const peer_t *p, pieces_t *pieces)
{
    int end = at + PIECES * PIECE, size;

    for (; at < end; at += PIECE) {
        size = Mmin(PIECE, p->length - at);
        if (size > 0)
            MPI_Irecv(p->theirs + at, size, MPI_DOUBLE, p->from, TAG, comm,
                      add(pieces, p->from, size));
        size = Mmin(PIECE, length - at);
        if (size > 0)
            MPI_Isend(proposal + at, size, MPI_DOUBLE, p->to, TAG, comm,
                      add(pieces, p->to, size));
    }
}

static bool have_come(void *messages)
{
    return hpl_messages_test(messages);
}

static void wait_for(const HPL_T_panel *panel, pieces_t *pieces,
                     const hpl_pivot_wait_t *wait)
{
    hpl_messages_t messages = {panel->grid->col_comm,   "pivot",
                               hpl_panel_number(panel), pieces->count,
                               pieces->requests,        pieces->with};

    if (wait->until != NULL)
        wait->until(have_come, &messages, wait->context);
    else
        hpl_messages_wait(&messages);
}

/* Exchange proposals with the peers of one round, many pieces at a time. */
static void trade(const HPL_T_panel *panel, double *proposal, int merged,
                  const hpl_pivot_wait_t *wait)
{
    int longest = (int)hpl_proposal_doubles(panel->jb);
    int length = length_of(panel, panel->grid->myrow, merged), i;
    peer_t peers[HPL_PIVOT_PEERS];
    int count = find_peers(panel, merged, wait->scratch, peers);
    pieces_t pieces;

    proposal[SEAL] = seal_of(proposal);
    for (int at = 0; at < longest; at += PIECES * PIECE) {
        pieces.count = 0;
        for (i = 0; i < count; i++)
            begin(panel->grid->col_comm, proposal, length, at, &peers[i],
                  &pieces);
        wait_for(panel, &pieces, wait);
    }
    for (i = 0; i < count; i++) {
        check(panel, peers[i].theirs, peers[i].from, merged);
        merge(peers[i].theirs, proposal, panel->jb);
    }
}

/*
 * In each round a process merges what HPL_PIVOT_PEERS other processes have
 * merged so far. Merging a proposal twice changes nothing, so this works for
 * any number of processes, in the fewest rounds.
 */
void hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait)
{
    int merged = 1;

    HPL_ptimer(HPL_TIMING_MXSWP);
    for (int r = hpl_pivot_rounds(panel->grid->nprow); r > 0; r--) {
        trade(panel, proposal, merged, wait);
        merged *= HPL_PIVOT_PEERS + 1;
    }
    if (proposal[KEY] < 0.0)
        HPL_pabort(__LINE__, "hpl_pivot_agree",
                   "no process proposed a pivot for a panel at row %d",
                   panel->ia);
    HPL_ptimer(HPL_TIMING_MXSWP);
}

/* Propose my candidate in column c, among m rows from local row `first` on. */
static void propose(const HPL_T_panel *panel, int m, int first, int c,
                    double *proposal)
{
    const double *column = Mptr(panel->top, first, c, panel->lda);
    hpl_map_t rows = rows_of(panel);
    int best = m > 0 ? HPL_idamax(m, column, 1) : 0;
    int64_t local = (int64_t)panel->ii + first + best;

    proposal[KEY] = m > 0 ? fabs(column[best]) : -1.0;
    if (isnan(proposal[KEY])) /* so that all processes choose alike */
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

/* Put the pivot row into row c of L1, and the current row into its old place.
 */
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

/* Divide the column below the pivot. The inverse of a tiny pivot may overflow.
 */
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
        hpl_panel_reserve_u(panel, hpl_pivot_scratch_doubles(panel->jb));
        hpl_pivot_agree(panel, work, &(hpl_pivot_wait_t){.scratch = panel->U});
    }
    interchange(panel, c, l1, work);
    divide(panel, m - top, first + top, c, work[ROWS + c]);
}
