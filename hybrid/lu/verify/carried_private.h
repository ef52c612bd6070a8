/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CARRIED_PRIVATE_H
#define HYB_CARRIED_PRIVATE_H

#include <math.h>
#include <string.h>
#include "base/integers.h"
#include "hpl/panel/panel.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/verify/carried.h"
#include "hybrid/lu/verify/sums.h"

/* What the files of the online check share. */

/* The sums of a panel's L. */
typedef struct {
    double *plain, *weighted; /* by column, of L1 and L2 */
    double *l1;               /* plain, of L1 alone */
    double square;            /* mean, of L2's elements and 1 */
    bool by_device;           /* summed up there */
    double *lanes, *squares;  /* of units of L2, as kernels sum them */
    double *came;   /* nb x nb, P > 1: rows of L2 that the top lost to here */
    double *agreed; /* by column: the rows that were agreed on, whole */
    hyb_units_t units;
    _Atomic bool ready;
    double *weight;        /* of local rows, once panel k has swapped them */
    hyb_units_t sealing;   /* of the owner's L2 before it travels */
    _Atomic uint64_t bits; /* of L2, summed over units */
} hyb_factor_sums_t;

/* Of larger sums of squares no bound is made. */
#define HYB_MOST_SQUARES 1e100

typedef struct { /* of one column */
    double plain, weighted, variance;
    double huge;     /* the largest number of those that are huge, or 0 */
    uint64_t stored; /* words of the rows of U that stay in the matrix here */
    bool is_known;   /* false: it is not checked */
} hyb_carried_column_t;

/* A guest may have missed so many panels, and some may be on their way. */
enum { HYB_PANELS_OF_GUESTS = 4 * HYB_GUEST_PANELS };

struct hyb_carried {
    hyb_carried_column_t *column; /* local ones */
    hyb_factor_sums_t factor[HYB_IN_FLIGHT];
    struct { /* of tiles of a product of panel k, that devices stream */
        int k;
        hyb_tiling_t tiling;
        const xh_gemm_t *product;
        int64_t column, from;   /* of its first element, here */
        const int16_t *owner;   /* of each tile: 0, cores, or 1 + a device */
        hyb_check_sums_t *sums; /* by strip and column, as they were, and then
                                   as they are; NULL: none */
        size_t room;
    } tiles;
    struct {   /* P > 1: of sums of a panel's columns, in a process column */
        int k; /* below 0: none is under way */
        double *over; /* by column: a difference and its variance; L1's bits */
        MPI_Request request;
    } left;
    struct {   /* a panel's columns that are saved while it is factored */
        int k; /* below 0: none */
        hyb_carried_column_t *column; /* nb, before */
        double *weight;               /* of local rows, as they were then */
    } panel;
    struct { /* sums of a panel's L, with guests */
        _Atomic int k;
        double square, *plain;
    } l[HYB_PANELS_OF_GUESTS];
    struct { /* with devices: of U's rows of a column that stay on one */
        double plain, weighted, variance, read, read_weighted;
    } * kept;
    double *top;   /* weights of rows of U, P > 1 */
    double *sent;  /* sums of the bits of rows that travel, P > 1; */
    int *home;     /* by process row and block: its place, P > 1 */
    int64_t exact; /* plain ones from this column on, which live on devices of
                      some process of the process column */
    _Atomic double square;  /* mean, of elements on devices: the largest */
    int every;              /* iterations that see all columns once */
    _Atomic uint64_t *read; /* words of U as it was read in the end */
    bool repairs;           /* columns of a panel before it is factored, too */
    bool summed;            /* the columns as they are */
    struct {                /* what was found here; any thread */
        _Atomic int count, repaired;
        _Atomic int64_t compared; /* columns */
        _Atomic double closest;   /* the largest difference, in parts of its
                                     bound */
        hyb_alarm_t first;
    } found;
    double *memory;
    size_t bytes;
};

static inline hyb_factor_sums_t *hyb_factor_sums(const hyb_lu_t *lu, int k)
{
    return &lu->carried->factor[k % HYB_IN_FLIGHT];
}

/* Weights of local rows, once columns have met panels 0 .. k - 1. */
static inline const double *hyb_row_weights(const hyb_lu_t *lu, int k)
{
    return hyb_factor_sums(lu, k + HYB_IN_FLIGHT - 1)->weight;
}

/* The columns of panel k, which are here. */
static inline hyb_run_t hyb_panel_run(const hyb_lu_t *lu, int k)
{
    int64_t b = hyb_lu_panel_block(lu, k);

    return hyb_ledger_columns(&lu->ledger, hyb_one_block(b));
}

/* Say it and count it. With on_error=stop, or if it was to be repaired and was
 * not, the job ends. */
void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm);

/* Of the local column, or below 0 of none; by cores; all else unknown. */
hyb_alarm_t hyb_alarm_at(const hyb_lu_t *lu, int found, int k, int64_t column);

/* The number of a local row in the whole matrix; -1 stays. */
int64_t hyb_global_row(const hyb_lu_t *lu, int64_t row);

/* A NaN does, and what no bound is known of: then numbers are not, or huge. */
static inline bool hyb_sums_differ(double plain, double weighted, double bound)
{
    return !(fabs(plain) <= bound && fabs(weighted) <= 2.0 * bound &&
             isfinite(bound));
}

/* Remember the largest difference. */
void hyb_note_closeness(hyb_lu_t *lu, double plain, double weighted,
                        double bound);

/* What the sums of a column may differ by, and what of it now adds to that. */
double hyb_column_bound(const hyb_carried_column_t *c, double variance);

/* What goes on from here is no fault of these columns: what they got is. */
void hyb_forget_columns(hyb_lu_t *lu, int64_t from, int64_t count);

/* So many columns' sums change; squares are of their U of panel k. */
void hyb_carry(hyb_lu_t *lu, int k, int64_t column, int64_t count,
               const hyb_check_sums_t *change);

/* The sums of a column's trailing rows a, once it has met panels 0 .. k - 1. */
hyb_check_sums_t hyb_sums_now(const hyb_lu_t *lu, const double *a, int k);

/* These, of so many rows, are those that are carried on; begin here: then it is
 * also told whether the column can be checked. */
void hyb_carry_on(const hyb_lu_t *lu, int64_t column,
                  const hyb_check_sums_t *sum, int64_t rows);
void hyb_begin_column(hyb_lu_t *lu, int64_t column, const hyb_check_sums_t *sum,
                      int64_t rows);

/* The panels that column has met when the loop begins: none, or after a restart
 * some. */
int hyb_met_at_first(const hyb_lu_t *lu, int64_t column);

/* Do the column's sums begin once it has met panels 0 .. k - 1? After a
 * restart with P = 1 those that are ahead cannot begin before: nobody knows the
 * weights of their rows. */
bool hyb_begins_late(const hyb_lu_t *lu, int64_t column, int k);

/* Words of rows 0 .. rows - 1, which are U's. */
uint64_t hyb_words_of_u(const hyb_lu_t *lu, int64_t column, int64_t rows);

/* The column's trailing rows, which differ from its sums, are in a, once it met
 * panels 0 .. k - 1: if one is wrong it gets the value that the sums ask for.
 * Returns the row, or -1. */
int64_t hyb_repair_column(hyb_lu_t *lu, int64_t column, int k, double *a);

/* The sums of rows of a block's columns that live on a device. */
void hyb_carry_rows(hyb_lu_t *lu, const hyb_device_sums_of_run_t *sums);

/* Twice what rounding makes of a sum of so many rows there. */
double hyb_noise_of_rows(const hyb_lu_t *lu, int64_t rows);

/* Does column live on a device? */
bool hyb_is_on_device(const hyb_lu_t *lu, int64_t column);

/* Do panel k's sums come from the device that factored it, as the host has no
 * L2? */
bool hyb_sums_come(const hyb_lu_t *lu, int k);

/* Sum of L1's column p and its diagonal. */
hyb_check_sums_t hyb_l1_sum(const hyb_lu_t *lu, int k, int p);

/* Diagonal block k stays in the matrix. */
void hyb_note_diagonal(hyb_lu_t *lu, int k);

/* Keep rows of L2, as the panel's tiles are the next one's, too. */
void hyb_keep_displaced(hyb_lu_t *lu, int k);

/* The panel's sums are ready: nothing is left of those of its columns. */
void hyb_check_panel(hyb_lu_t *lu, int k);

/* L of the row that is number i of those that the top of panel k lost, and that
 * came here. A device that factored it may have it alone. */
void hyb_displaced_row(hyb_lu_t *lu, int k, int i, int count, double *l);

/* The process row whose L of panel k is not what the rows give that were agreed
 * on; -1: nobody's. Collective over the process column. */
int hyb_who_disagrees(hyb_lu_t *lu, int k);

/* With guests: keep the sums of L of panel k, which are known. */
void hyb_keep_l(hyb_lu_t *lu, int k);

/* Is too much left of the sums of a column of a panel that was factored? By how
 * much goes to alarm. */
bool hyb_is_left_over(hyb_lu_t *lu, int64_t column, hyb_alarm_t *alarm);

/* The sums that were left over of a panel are known on its process column. */
void hyb_finish_left_over(hyb_lu_t *lu);

/* Of local row, by its place, as devices weigh rows. */
static inline double hyb_place_weight(const hyb_lu_t *lu, int64_t row)
{
    return 1.0 + (double)row / (double)Mmax(lu->mat->mp, 1);
}

/* Of what is wrong with two sums. */
static inline double hyb_size_of(double plain, double weighted)
{
    return fmax(fabs(plain), 0.5 * fabs(weighted));
}

#endif
