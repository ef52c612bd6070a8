/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHECK_COLUMNS_H
#define HYB_CHECK_COLUMNS_H

#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/place.h"
#include "hybrid/lu/worker.h"

/*
 * Each place - the team, each device - has two more columns on this process:
 * c1, the sums of its columns of [ A | b ], and c2, the same weighted by
 * 1 + j / N, j being a column's number in the whole matrix. They are swapped,
 * solved and multiplied like b; no operation knows of them. So wherever all
 * columns of a place have met the same panels, c - A w is rounding in each row:
 * of columns that are factored only U counts. Rows are compared
 *
 *   in an iteration now and then: below U;
 *   P > 1, as they leave for other processes: so nobody else is blamed;
 *   at the end: all of U, as the back-substitution has read it.
 *
 * A wrong row tells the process and the place, and where one element is wrong
 * the ratio of both differences tells its column. What this cannot see is a
 * copy of L2 that is wrong for all columns of a place alike, which has a seal.
 */
struct hyb_check_columns {
    int every;         /* iterations */
    double *weight[2]; /* by local column, of both; of check columns -1 */
    double *work;      /* rows: working memory */
    double *swept;     /* by member, for two iterations: rows of both */
    double *panel[HYB_IN_FLIGHT]; /* P > 1, or on devices: - A w of panel k's
                                     columns alone, before it is factored; rows
                                     of both */
    double *made;   /* on devices: L2 U w of these; rows of both */
    double *packed; /* P > 1, by member and place: of 2 nb rows that leave,
                       both: those of U, then displaced ones */
    int *swept_in, *packed_in; /* by member: iterations of these, or -1 */
    struct {
        double scale; /* mean magnitude of c1 as it was at first */
        double
            ratio;   /* of what rounding made of late and is expected to make */
        int64_t end; /* of the whole matrix: from this row on c is not kept */
        int since;   /* all was right before this iteration */
        bool wrong;  /* it was said: no more of it */
    } place[HYB_EXECUTORS];
    bool summed;
    bool spoilt; /* other processes' numbers are none, and came here */
    hyb_alarms_t found;
    double *memory;
    size_t bytes;
};

/* Are they wanted, of N and P, where there is room behind b? */
bool hyb_check_columns_wanted(const hyb_means_t *means, int64_t n, int nprow);

/* lu->check; NULL where means has none. Needs lu's means, grid, mat, ledger,
 * homes. Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_check_columns_create(hyb_lu_t *lu);
void hyb_check_columns_destroy(hyb_lu_t *lu);

/* Bytes that it takes on a process of shape where so many places have them,
 * beside the columns. */
uint64_t hyb_check_columns_bytes(const hyb_means_t *means,
                                 const hpl_shape_t *shape, int places);

/* They become the sums of all columns, which have met panels 0 .. met - 1. By
 * the thread that has the team. */
void hyb_check_columns_sum(hyb_lu_t *lu, int met);

/* In the same state: compare all rows. */
void hyb_check_columns_compare(hyb_lu_t *lu, int met);

/* The loop begins; x is known. */
void hyb_check_columns_begin(hyb_lu_t *lu);
void hyb_check_columns_end(hyb_lu_t *lu);

/* The back-substitution has computed p on the device at home, and once more to
 * again: are both alike? */
void hyb_check_columns_same(hyb_lu_t *lu, const hyb_place_t *home,
                            const hpl_product_t *p, const double *again);

/* ---- in the loop --------------------------------------------------------- */

/* Are rows compared once all columns have met panel k? */
bool hyb_check_columns_due(const hyb_lu_t *lu, int k);

/* The host's run has met panel k: its part of the rows. */
void hyb_check_columns_seen(hyb_worker_t *me, int k, hyb_run_t run);

/* Iteration k opens: iteration k - 2 is over. The leader. */
void hyb_check_columns_open(hyb_lu_t *lu, int k);

/*
 * Rows of place, as all its columns have met panel k: c - A w.
 *
 * first, row  in  the local number of the first one; or of each
 * z           in  of c1, and ld behind these of c2
 */
typedef struct {
    int place, k;
    int64_t first, rows;
    const int64_t *row;
    const double *z;
    int64_t ld;
    bool by_panel; /* it is what panel k made of them, in its columns */
} hyb_compared_t;

void hyb_check_columns_judge(hyb_lu_t *lu, const hyb_compared_t *rows);

/* ---- panels ---------------------------------------------------------------
 */

/* Panel k's columns are here, from its first row on, before it is factored: a
 * member's share of them. */
void hyb_check_columns_panel(hyb_lu_t *lu, int k, xh_view_t columns, int member,
                             int members);

/*
 * The team factors panel k, which lives on a device: so that not this is to be
 * blamed, all rows of the panel are compared with what they were. Some rows of
 * L2 are there, by any member; the panel is known here. Elsewhere nothing is
 * done.
 */
void hyb_check_columns_made(hyb_lu_t *lu, int k, int64_t from, int64_t to);
void hyb_check_columns_factored(hyb_lu_t *lu, int k);

/* ---- P > 1 ----------------------------------------------------------------
 */

/* Rows of some columns, from one of x on, were packed. */
void hyb_check_columns_packed(hyb_lu_t *lu, int member, const hpl_exchange_t *x,
                              int from, int columns, int64_t column);

/* Rows of blocks leave: are those right whose check columns are among these? If
 * not they leave with sums that are those of the row. The leader. */
void hyb_check_columns_leave(hyb_lu_t *lu, const hpl_exchange_t *x,
                             hyb_blocks_t blocks);

/* They have come: a row without numbers is the fault of who sent it. */
void hyb_check_columns_come(hyb_lu_t *lu, const hpl_exchange_t *x,
                            hyb_blocks_t blocks);

#endif
