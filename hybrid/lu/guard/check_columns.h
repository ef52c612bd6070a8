/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pauxil/map.h"
#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

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
 *
 * Without check columns `check` is NULL, and the functions do nothing; only
 * judge and compare_products need check columns.
 */
typedef struct hyb_check_columns {
    /* What the columns belong to; borrowed. */
    const HPL_T_grid *grid;
    const HPL_T_pmat *mat;
    const hyb_resources_t *resources;
    const hyb_range_t *range;
    const hyb_groups_t *groups;
    const hyb_ledger_t *ledger;
    const hyb_homes_t *homes;
    hpl_map_t rows, columns;

    int64_t nb;        /* columns of the widest panel */
    int64_t moved;     /* 2 nb: rows that a panel swaps, at most */
    int every;         /* iterations between comparisons */
    double *weight[2]; /* w for c1 and c2, by local column */
    double *work;      /* room for c - A w of all rows, for c1 and c2, twice */
    double *sweeps; /* by member and iteration: - A w over the columns that the
                       member swept, by row, for c1 and c2 */
    double *panel[HYB_IN_FLIGHT]; /* P > 1, or devices: - A w over panel k's
                                     columns before they are factored, by row,
                                     for c1 and c2 */
    double *pivot_rows[HYB_IN_FLIGHT]; /* P > 1: by pivot of panel k, the
                                          pivot's row and the row of the top
                                          that it displaced */
    double *u_sums;  /* for one panel: products of rows of U with w over columns
                        up to j, by j, for c1 and c2 */
    double *l2_sums; /* devices: L2 U w over panel k's columns, by row, for c1
                        and c2 */
    double *parts;   /* P > 1, by member and place: part of c - A w of 2 nb rows
                        that leave: rows of U, then the rows that they displace */
    int *sweep_iteration, *part_iteration; /* by member: iteration of its sweeps
                                              and of its parts; -1: none */
    struct hyb_checked_place {
        double scale; /* mean magnitude of c1 when it was computed */
        double ratio; /* rounding / expected rounding, from the newest rows */
        int64_t end;  /* global number of the first row whose check columns are
                         no longer maintained */
        int right_until; /* no row was wrong before this iteration */
        bool has_alarm; /* an alarm was raised: rows of this place are no longer
                           judged */
    } place[HYB_EXECUTORS];
    bool has_sums;
    hyb_alarms_t alarms;
    double *memory;
    size_t bytes;
} hyb_check_columns_t;

/* Without devices, verify=auto checks online from this many rows per process
 * on. */
enum { HYB_CHECK_ROWS = 12000 };

/* Does the setting `verify` ask for check columns in a test of order `n` on
 * `nprow` process rows? */
bool hyb_check_columns_wanted(const hyb_resources_t *resources, int64_t n,
                              int nprow);

/* Create lu->check from lu's resources, grid, mat, ledger and homes. If
 * resources->checked is false, lu->check stays NULL. Errors: XH_ERR_MEMORY; the
 * caller must call destroy even then. */
xh_status_t hyb_check_columns_create(hyb_lu_t *lu);
void hyb_check_columns_destroy(hyb_check_columns_t *check);

/* Return the bytes of lu->check on a process of this shape with check columns
 * for `places` places. The check columns themselves are not counted. */
uint64_t hyb_check_columns_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape, int places);

/* Set all check columns to the sums of the columns, to which the first `panels`
 * panels have been applied. Begin: do so unless it has been done. Called by the
 * thread that runs the team. */
void hyb_check_columns_sum(hyb_check_columns_t *check, int panels);
void hyb_check_columns_begin(hyb_check_columns_t *check, int panels);

/* Compare all rows once the first `panels` panels have been applied to all
 * columns; after the last panel, once the back-substitution is over. */
void hyb_check_columns_compare(hyb_check_columns_t *check, int panels);

/* The device of place number `place` has computed product `p` of the
 * back-substitution twice; the second result is in `again`. Raise an alarm if
 * the results differ by more than rounding. */
void hyb_check_columns_compare_products(hyb_check_columns_t *check, int place,
                                        const hpl_product_t *p,
                                        const double *again);

/* Write what was found to `work`. */
void hyb_check_columns_report(const hyb_check_columns_t *check,
                              hpl_work_t *work);

/* Return the first alarm, or NULL if there was none. */
const hyb_alarm_t *hyb_check_columns_alarm(const hyb_check_columns_t *check);

/* ---- in the loop --------------------------------------------------------- */

/* Are rows compared once panel k has been applied to all columns? */
bool hyb_check_columns_due(const hyb_check_columns_t *check, int k);

/* Add - A w over a run of the team's columns, to which `member` has just
 * applied panel k, to its sweep of iteration k. Not called where columns visit
 * devices, as no thread has them in cache. */
void hyb_check_columns_add_run(hyb_check_columns_t *check, int member, int k,
                               hyb_run_t run);

/* When iteration k opens, iteration k - 2 is complete: judge the rows that the
 * members swept in iteration k - 2. Called by the leader. */
void hyb_check_columns_open(hyb_check_columns_t *check, int k);

/*
 * c - A w of rows of one place, once panel k has been applied to all its
 * columns.
 *
 * row    in  local number of each row, -1: unknown; NULL: rows are consecutive
 * first  in  local number of the first row, if `row` is NULL
 * z      in  c - A w for c1, and for c2 at an offset of `ld` elements
 */
typedef struct {
    int place, k;
    int64_t first, rows;
    const int64_t *row;
    const double *z;
    int64_t ld;
    const hyb_lu_panel_t *panel; /* panel k, if z covers its columns only and
                                    tests how it was factored; else NULL */
    int process_row; /* if `panel`: process row that computed the rows */
} hyb_compared_t;

/* Raise an alarm if c - A w of a row is larger than rounding explains. */
void hyb_check_columns_judge(hyb_check_columns_t *check,
                             const hyb_compared_t *rows);

/* ---- panels -------------------------------------------------------------- */

/* Compute one member's rows of - A w over the columns of `panel` before they
 * are factored. `columns` begins at the panel's first row. */
void hyb_check_columns_panel(hyb_check_columns_t *check,
                             const hyb_lu_panel_t *panel, xh_view_t columns,
                             int member, int members);

/* Save the rows of pivot `c` of `panel`, which all processes know: the pivot's
 * `candidate` and `current`. P > 1; called by the leader. */
void hyb_check_columns_save_pivot_row(hyb_check_columns_t *check,
                                      const HPL_T_panel *panel, int c,
                                      const hyb_pivot_t *pivot);

/*
 * If the team factors a panel that lives on a device, compare all rows of the
 * panel with A w from before the factorization, so that the device is not
 * blamed for an error of the team. Otherwise do nothing.
 *
 * Add_l2_rows computes L2 U w of rows from .. to - 1 of L2; any member calls
 * it. Factored compares, once the panel is known on this process.
 */
void hyb_check_columns_add_l2_rows(hyb_check_columns_t *check,
                                   const hyb_lu_panel_t *panel, int64_t from,
                                   int64_t to);
void hyb_check_columns_factored(hyb_check_columns_t *check,
                                const hyb_lu_panel_t *panel);

/* ---- P > 1 --------------------------------------------------------------- */

/* Compute the part of - A w over `columns` columns that `member` has just
 * packed of rows that leave. `from` is the first column's number in `x`,
 * `column` its local number. */
void hyb_check_columns_packed(hyb_check_columns_t *check, int member,
                              const hpl_exchange_t *x, int from, int columns,
                              int64_t column);

/* Judge the rows that leave, for places whose check columns are among `blocks`.
 * Correct the check columns of a wrong row, so that its receiver is not blamed.
 * Called by the leader. */
void hyb_check_columns_judge_leaving(hyb_lu_t *lu, const hpl_exchange_t *x,
                                     hyb_block_range_t blocks);

/* Raise an alarm that names the sender if check columns of received rows have a
 * NaN or an infinity. */
void hyb_check_columns_check_received(hyb_check_columns_t *check,
                                      const hpl_exchange_t *x,
                                      hyb_block_range_t blocks);
