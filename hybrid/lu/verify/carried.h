/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CARRIED_H
#define HYB_CARRIED_H

#include <stdatomic.h>
#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hpl_solver.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/device/product.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/place.h"
#include "hybrid/lu/step.h"

/*
 * The online check: sums of the trailing rows of each local column, plain and
 * weighted, which are carried through all iterations beside the columns, and
 * compared with them in turn. NULL in lu: there is no such check. Devices sum
 * up what lives there.
 *
 * With P = 1 a row's weight goes with it when rows are swapped, so swaps change
 * no sum. An update takes (e^T L) U from them, L being L1 and L2: so what is
 * wrong with a swap, with U, L2 or C is found by the same comparison. With
 * P > 1 weights belong to places. Rows that leave and enter are taken from the
 * sums and added, and e^T R - (e^T L1) U of the rows R that U was solved from.
 */

/* lu->carried. Needs lu's means, grid, mat, ledger. Errors: XH_ERR_MEMORY;
 * destroy then all the same */
xh_status_t hyb_carried_create(hyb_lu_t *lu);
void hyb_carried_destroy(hyb_lu_t *lu);

/* Bytes that it takes on a process of shape. */
uint64_t hyb_carried_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

/* The sums of the matrix as it is: once it is generated, else at the begin. */
void hyb_carried_sum(hyb_lu_t *lu);
void hyb_carried_begin(hyb_lu_t *lu);

/* The host's function sum of places. */
void hyb_carried_sum_on_host(hyb_place_t *host);

/* Over a process column panel k - 1 is checked once its sums are known: are
 * they, so that iteration k can be opened? It is: the check begins. The leader.
 */
bool hyb_carried_can_open(hyb_lu_t *lu, int k);
void hyb_carried_open(hyb_lu_t *lu, int k);

/* Panel k is to be factored here, and gets a seal before it travels: the bits
 * of its parts are summed up by all who factored it; are all; it is written. */
void hyb_carried_begin_seal(hyb_lu_t *lu, int k);
void hyb_carried_sum_bits(hyb_lu_t *lu, int k);
bool hyb_carried_has_bits(hyb_lu_t *lu, int k);
void hyb_carried_seal(hyb_lu_t *lu, int k);

/* P > 1: the rows, whole, that all agreed on as the device that factors panel k
 * had come to column. The leader. */
void hyb_carried_agreed(hyb_lu_t *lu, int k, int column,
                        const hyb_pivot_t *pivot);

/* Panel k came: before its pivots are used. The leader. */
void hyb_carried_arrive(hyb_lu_t *lu, int k);

/* Panel k is here, and its rows are known: sums of L can be taken. The leader.
 */
void hyb_carried_receive(hyb_lu_t *lu, int k);

/* Sum parts of panel k's L until none is left; any number of threads. */
void hyb_carried_fill(hyb_lu_t *lu, int k);

/* Are all summed up? Without such a check, too. Then it is known whether panel
 * k is right; until then nobody else is blamed. */
bool hyb_carried_is_filled(hyb_lu_t *lu, int k);

/* They are. U of run is solved, packed: its sums are taken from those of the
 * run. */
void hyb_carried_update(hyb_lu_t *lu, int k, hyb_run_t run, const double *u);

/* Are wrong elements put right? Then a block goes on once it was compared. */
bool hyb_carried_repairs(const hyb_lu_t *lu);

/* The run has met the panel of step: compare it if it is its turn. */
void hyb_carried_compare(hyb_lu_t *lu, const hyb_step_t *step, hyb_run_t run);

/* P > 1: rows of some columns of x have been packed; have come and been put
 * into place. column is the first one's number here. */
void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column);
void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column);

/* Where sums of rows that travel are kept, from a column on; NULL: none. */
double *hyb_carried_sent(const hyb_lu_t *lu, int64_t column);

/* The back-substitution reads U; reads rows of cols columns of the matrix from
 * a on, any thread; has read all but the diagonal blocks. */
void hyb_carried_begin_read(hyb_lu_t *lu);
void hyb_carried_read(hyb_lu_t *lu, const double *a, int64_t rows,
                      int64_t cols);
void hyb_carried_end_read(hyb_lu_t *lu);

/* All iterations are over: the last columns. */
void hyb_carried_end(hyb_lu_t *lu);

/* ---- stored.c: columns that a checkpoint holds ------------------------------
 *
 * After a restart sums begin with the columns as they were saved. So what is
 * saved is compared before.
 */

/* The team is about to factor panel k: its sums are kept. The leader. */
void hyb_carried_keep(hyb_lu_t *lu, int k);

/* Is this the local column that has met panels 0 .. k - 1, and is held there?
 * Its trailing rows are in a, those of U where it lives. Any thread. */
bool hyb_carried_is_right(const hyb_lu_t *lu, int64_t column, int k,
                          const double *a);

/* ---- tiles that devices stream ------------------------------------------- */

/* The watch of panel k's product, cut as tiling says, whose first column is
 * column here. */
hyb_product_watch_t hyb_carried_watch(hyb_lu_t *lu, int k,
                                      const xh_gemm_t *product,
                                      const hyb_tiling_t *tiling,
                                      int64_t column);

/* A tile of it, C's part c, is to be computed on cores, or has been. */
enum { HYB_TILE_BEFORE, HYB_TILE_AFTER };
void hyb_carried_sum_tile(hyb_lu_t *lu, const hyb_tile_t *tile, int moment,
                          xh_view_t c);

/* All tiles of run's columns have landed, by these executors. */
void hyb_carried_compare_tiles(hyb_lu_t *lu, hyb_run_t run,
                               const int16_t *owner);

/* ---- devices.c: columns that live on devices -------------------------------
 *
 * Devices sum up by products with columns of weights, so each sum of a column
 * comes with scalar products with random signs, of which bounds are made.
 */
enum {
    HYB_SUM_PLAIN,
    HYB_SUM_WEIGHTED,
    HYB_SUM_SIGNS, /* the first of so many: */
    HYB_SIGNS = 4,
    HYB_SUMS_OF_C = HYB_SUM_SIGNS + HYB_SIGNS,
    HYB_SUM_KEPT = HYB_SUMS_OF_C, /* of U's rows, plain; by place */
    HYB_SUM_KEPT_WEIGHTED,
    HYB_SUMS_OF_U
};

/* Are sums of columns on devices carried? */
bool hyb_carried_on_devices(const hyb_means_t *means, int nprow);

/* Weights of the first rows: rows x HYB_SUMS_OF_C, as none has been moved. */
void hyb_carried_weights(const hyb_lu_t *lu, int64_t rows, double *weights);

/* Those of panel k: of its rows from its first one on, once it has moved them;
 * L1's sums, plain and weighted: jb x 2, ld nb; those of its rows of U, by
 * place. */
void hyb_carried_panel_weights(const hyb_lu_t *lu, int k, double *weights,
                               double *l1, double *kept);

/* The rows before block's trailing ones, and of its U, as the loop begins: 0,
 * or what a restart found. */
int64_t hyb_carried_first_row(const hyb_lu_t *lu, int64_t block, int64_t *u_p);

/* HYB_SUMS_OF_C sums of each column of run, a block, then: of its trailing
 * rows, and of U after that. */
void hyb_carried_start(hyb_lu_t *lu, hyb_run_t run, const double *sums);
void hyb_carried_start_u(hyb_lu_t *lu, hyb_run_t run, const double *sums);

/* Is block to be compared in step's iteration? */
bool hyb_carried_is_due(const hyb_lu_t *lu, const hyb_step_t *step,
                        int64_t block);

/*
 * P > 1: what is summed up of the rows that leave, and of those that enter, a
 * number of each column. This process's own are the rows of U that leave it and
 * the displaced ones that enter; all are those that leave the top, and the rows
 * of U that enter.
 */
enum {
    HYB_ROWS_PLAIN,        /* its own */
    HYB_ROWS_WEIGHTED,     /* likewise */
    HYB_ROWS_ALL_WEIGHTED, /* all */
    HYB_ROWS_OF_MEMBER     /* all, plain, by member: the first of P numbers */
};

static inline int hyb_rows_sums(int nprow)
{
    return HYB_ROWS_OF_MEMBER + nprow;
}

/* Weights of the packed rows that panel k moves, nb x hyb_rows_sums each. */
void hyb_carried_row_weights(const hyb_lu_t *lu, int k, double *leave,
                             double *enter);

/* Rows have left count columns of x, from one on: their sums travel, too. By
 * column, each sum ld numbers behind the one before. */
void hyb_carried_left(const hpl_exchange_t *x, int from, int count,
                      const double *sums, int64_t ld);

typedef struct {
    int k, device;
    hyb_run_t run;               /* of a block */
    const double *l;             /* sums of L: jb x 2, ld nb */
    const double *u, *c;         /* of each column; c: NULL if it is not due */
    const double *leave, *enter; /* P > 1: of rows, as above, */
    int64_t ld;
    const hpl_exchange_t *x; /* that these came with; */
    int at;                  /* the run's first column in it */
} hyb_device_sums_of_run_t;

/* The run has met panel k on the device. */
void hyb_carried_met(hyb_lu_t *lu, const hyb_device_sums_of_run_t *sums);

/* Can sums of L, jb x 2, ld nb, be compared that device has of panel k? They
 * are. */
bool hyb_carried_can_take(hyb_lu_t *lu, int k, int device);
void hyb_carried_take_l(hyb_lu_t *lu, int k, int device, const double *l);

/* With such a check: columns of panel k that came down from a device to the
 * team: some of them, of each member. */
void hyb_carried_came_down(hyb_lu_t *lu, int k, int member, int members,
                           xh_view_t columns);

/* y := y - A x on a device, with HYB_SUMS_OF_C sums of A's n columns, from a
 * local row and column on, by place: before y is changed, and after. */
hyb_check_sums_t hyb_carried_sum_y(const hyb_lu_t *lu, const double *y,
                                   int64_t row, int64_t rows);
void hyb_carried_subtracted(hyb_lu_t *lu, const hpl_product_t *product,
                            int device, const hyb_check_sums_t *before,
                            const double *sums);

/* ---- guests.c: columns that come to a device for some panels ------------- */

/* Is L of panel k summed up? Until then no visit that met it is over. */
bool hyb_carried_knows_guests(const hyb_lu_t *lu, int k);

/* A block has met panels first .. last there, if there are any, and all rows
 * that it had there, or of U, are in host memory. by_team: if it is the next
 * panel, the team factored that. */
void hyb_carried_guest_left(hyb_lu_t *lu, int64_t block, int first, int last,
                            bool by_team);

/* ---- what was found --------------------------------------------- */

typedef struct { /* what a check of sums found */
    enum {
        HYB_FOUND_UPDATE, /* a column of C, or of what made it: U, sums */
        HYB_FOUND_PANEL,  /* the factors of a panel */
        HYB_FOUND_PANEL_MESSAGE,
        HYB_FOUND_ROWS_MESSAGE,
        HYB_FOUND_U, /* U in memory, after the last iteration */
        HYB_FOUND_KINDS
    } found;
    int iteration;
    int64_t block;       /* of columns of the whole matrix; -1: none */
    int64_t column, row; /* likewise; -1: unknown */
    int from;            /* the process that sent it; -1: none */
    int device;          /* that computed it; -1: cores */
    double size;         /* of the difference */
    double expected;     /* at most, by rounding */
    bool is_repaired;
} hyb_alarm_t;

/* What was found on this process in a factorization, if there is a check; the
 * first of it, NULL: nothing. */
void hyb_carried_report(const hyb_lu_t *lu, hpl_work_t *work);
const hyb_alarm_t *hyb_carried_first(const hyb_lu_t *lu);

#endif
