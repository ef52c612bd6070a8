/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * Each place - the team, each device - has two more columns on this process:
 * c1, the sums of its columns of [ A | b ], and c2, the same sums with weights
 * 1 + j / N, where j is a column's number in the whole matrix. Check columns
 * are swapped, solved and multiplied like b; no operation knows of them. Once
 * the same panels have been applied to all columns of a place, c - A w is
 * rounding in each row; of factored columns only U counts. Rows are compared
 *
 *   below U, after one iteration in verify_every;
 *   if P > 1, as they leave for other processes, so that no receiver is blamed;
 *   all, at the end, after the back-substitution has read U.
 *
 * A wrong row tells the process and the place. If one element is wrong, the
 * ratio of both differences tells its column. Check columns cannot see a copy
 * of L2 that is wrong for all columns of a place alike; L2 has a seal (seal.h).
 */
struct hyb_check_columns {
    int every;         /* iterations from one comparison to the next */
    double *weight[2]; /* w for c1 and c2, by local column */
    double *work;      /* memory for twice c - A w of all rows */
    double *swept;     /* by member and iteration: - A w of the columns that the
                          member swept, by row, for c1 and c2 */
    double *panel[HYB_IN_FLIGHT];  /* P > 1, or devices: - A w of panel k's
                                      columns before it is factored, likewise */
    double *chosen[HYB_IN_FLIGHT]; /* P > 1: by pivot of panel k, its row and
                                      the top's row that took its place */
    double *until;  /* of a panel: rows of U times w over columns up to column
                       j, by j, for c1 and c2 */
    double *made;   /* devices: L2 U w of these columns, likewise */
    double *packed; /* P > 1, by member and place: c - A w of 2 nb rows that
                       leave: rows of U, then those that they displace */
    int *swept_in, *packed_in; /* by member: iteration of swept and packed, -1:
                                  none */
    struct {
        double scale; /* mean magnitude of c1 when it was summed */
        double ratio; /* of the newest rows: rounding / expected rounding */
        int64_t end;  /* number, in the whole matrix, of the row from which c
                         is not kept */
        int since;    /* all rows were right before this iteration */
        bool wrong;   /* an alarm was raised: its rows are judged no more */
    } place[HYB_EXECUTORS];
    bool summed;
    bool spoilt; /* a NaN was found, and spreads: nothing is judged any more */
    hyb_alarms_t found;
    double *memory;
    size_t bytes;
};

/* Rows per process from which verify=auto checks online, without devices. */
enum { HYB_CHECK_ROWS = 12000 };

/* Are check columns wanted in a test of order n on nprow process rows? */
bool hyb_check_columns_wanted(const hyb_resources_t *resources, int64_t n,
                              int nprow);

/* Create lu->check, from lu's resources, grid, mat, ledger and homes; if
 * resources does not ask for it, lu->check stays NULL. Errors: XH_ERR_MEMORY;
 * call destroy all the same */
xh_status_t hyb_check_columns_create(hyb_lu_t *lu);
void hyb_check_columns_destroy(hyb_lu_t *lu);

/* Return the bytes that lu->check takes, beside the check columns themselves,
 * on a process of shape whose check columns are of so many places. */
uint64_t hyb_check_columns_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape, int places);

/* Set all check columns to the sums of columns to which panels 0 .. met - 1
 * have been applied. Called by the thread that has the team. */
void hyb_check_columns_sum(hyb_lu_t *lu, int met);

/* Compare all rows, in the same state. */
void hyb_check_columns_compare(hyb_lu_t *lu, int met);

/* Begin the loop: sum up unless that is done. End: compare after x is known. */
void hyb_check_columns_begin(hyb_lu_t *lu);
void hyb_check_columns_end(hyb_lu_t *lu);

/* The device at home has computed p of the back-substitution twice, the second
 * time to again: raise an alarm if the results differ by more than rounding. */
void hyb_check_columns_same(hyb_lu_t *lu, const hyb_place_t *home,
                            const hpl_product_t *p, const double *again);

/* ---- in the loop --------------------------------------------------------- */

/* Are rows compared once panel k has been applied to all columns? */
bool hyb_check_columns_due(const hyb_lu_t *lu, int k);

/* Have all columns met the same panels before k, and meet panel k alone? It is
 * a group of its own then, and guests, which come by turns, are factored. */
bool hyb_check_columns_alike(const hyb_lu_t *lu, int k);

/* Sweep a run of the team's columns, to which panel k has just been applied. */
void hyb_check_columns_seen(hyb_worker_t *me, int k, hyb_run_t run);

/* As iteration k opens, iteration k - 2 is over: judge the rows that members
 * swept in it. The leader. */
void hyb_check_columns_open(hyb_lu_t *lu, int k);

/*
 * c - A w of rows of place, once panel k has been applied to all its columns.
 *
 * row    in  local number of each row, -1: unknown; NULL: the rows follow each
 *            other
 * first  in  local number of the first row, if row is NULL
 * z      in  c - A w for c1 and, ld elements behind, for c2
 */
typedef struct {
    int place, k;
    int64_t first, rows;
    const int64_t *row;
    const double *z;
    int64_t ld;
    bool by_panel;   /* z is what factoring panel k changed, over its columns */
    int process_row; /* if so: that changed it */
} hyb_compared_t;

/* Raise an alarm if a row's c - A w is larger than rounding makes it. */
void hyb_check_columns_judge(hyb_lu_t *lu, const hyb_compared_t *rows);

/* ---- panels -------------------------------------------------------------- */

/* Compute a member's rows of - A w over panel k's columns, which are given from
 * the panel's first row on, before they are factored. */
void hyb_check_columns_panel(hyb_lu_t *lu, int k, xh_view_t columns, int member,
                             int members);

/* Note the rows that were chosen as pivot c of panel k, as all processes know
 * them: pivot's candidate and current. P > 1; the leader. */
void hyb_check_columns_chosen(hyb_lu_t *lu, int k, int c,
                              const hyb_pivot_t *pivot);

/*
 * If the team factors panel k, which lives on a device, compare all rows of the
 * panel with A w from before, so that the device is not blamed for the team's
 * fault. Otherwise do nothing.
 *
 * made:     compute L2 U w of rows from .. to - 1 of L2; any member
 * factored: compare, once the panel is known here
 */
void hyb_check_columns_made(hyb_lu_t *lu, int k, int64_t from, int64_t to);
void hyb_check_columns_factored(hyb_lu_t *lu, int k);

/* ---- P > 1 --------------------------------------------------------------- */

/* Weigh columns that member has just packed of rows that leave: columns of
 * them, from number from of x and local number column on. */
void hyb_check_columns_packed(hyb_lu_t *lu, int member, const hpl_exchange_t *x,
                              int from, int columns, int64_t column);

/* Judge the rows that leave, of places whose check columns are among blocks. If
 * a row is wrong, it leaves with check columns that match it. The leader. */
void hyb_check_columns_leave(hyb_lu_t *lu, const hpl_exchange_t *x,
                             hyb_block_range_t blocks);

/* Raise an alarm, which names the sender, if the check columns of a row that
 * has come have a NaN. */
void hyb_check_columns_come(hyb_lu_t *lu, const hpl_exchange_t *x,
                            hyb_block_range_t blocks);
