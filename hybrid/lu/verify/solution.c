/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

/*
 * The back-substitution: what devices subtract from y must be A x by their sums
 * of A, and these, of all columns that they have kept, what they were when the
 * columns were last met.
 */

hyb_check_sums_t hyb_carried_sum_y(const hyb_lu_t *lu, const double *y,
                                   int64_t row, int64_t rows)
{
    hyb_check_sums_t sum = {0.0, 0.0, 0.0};

    for (int64_t i = 0; i < rows; i++) {
        sum.plain += y[i];
        sum.weighted += hyb_place_weight(lu, row + i) * y[i];
        sum.squares += y[i] * y[i];
    }
    return sum;
}

/* Is what y lost A x? */
static void compare_y(hyb_lu_t *lu, const hpl_product_t *p, int64_t row,
                      int device, const hyb_check_sums_t *before,
                      const double *sums)
{
    hyb_check_sums_t after = hyb_carried_sum_y(lu, p->y, row, p->m);
    double plain = before->plain - after.plain, squares = 0.0;
    double weighted = before->weighted - after.weighted;
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, -1);

    for (int64_t j = 0; j < p->n; j++, sums += HYB_SUMS_OF_C) {
        plain -= sums[HYB_SUM_PLAIN] * p->x[j];
        weighted -= sums[HYB_SUM_WEIGHTED] * p->x[j];
        squares += p->x[j] * p->x[j];
    }
    if (!(squares < HYB_MOST_SQUARES && before->squares < HYB_MOST_SQUARES))
        return; /* who made x or y so has said it */
    squares *= p->m * lu->carried->square;
    squares = 2.0 * squares + before->squares + after.squares;
    alarm.device = device;
    alarm.size = hyb_size_of(plain, weighted);
    alarm.expected =
        hyb_noise_bound(hyb_noise_device_sum(p->m + p->n, 2.0 * squares));
    if (hyb_sums_differ(plain, weighted, alarm.expected))
        hyb_alarm_raise(lu, &alarm);
}

void hyb_carried_subtracted(hyb_lu_t *lu, const hpl_product_t *product,
                            int device, const hyb_check_sums_t *before,
                            const double *sums)
{
    int64_t at = product->a - lu->mat->A;
    int64_t column = at / lu->mat->ld;
    struct hyb_carried *c = lu->carried;

    compare_y(lu, product, at % lu->mat->ld, device, before, sums);
    for (int64_t j = column; j < column + product->n; j++) {
        c->kept[j].read += sums[HYB_SUM_PLAIN];
        c->kept[j].read_weighted += sums[HYB_SUM_WEIGHTED];
        c->kept[j].variance +=
            hyb_noise_device_sum(product->m, (double)product->m * c->square);
        sums += HYB_SUMS_OF_C;
    }
}

void hyb_read_kept(hyb_lu_t *lu, int64_t column)
{
    hyb_check_sums_t sum = hyb_carried_sum_y(
        lu, Mptr(lu->mat->A, 0, column, lu->mat->ld), 0, lu->mat->mp);

    lu->carried->kept[column].read = sum.plain;
    lu->carried->kept[column].read_weighted = sum.weighted;
    lu->carried->kept[column].variance +=
        hyb_noise_device_sum(lu->mat->mp, sum.squares);
}

void hyb_check_kept(hyb_lu_t *lu)
{
    const struct hyb_carried *c = lu->carried;

    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        double plain = c->kept[j].read - c->kept[j].plain;
        double weighted = c->kept[j].read_weighted - c->kept[j].weighted;
        hyb_alarm_t alarm =
            hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, j);
        int64_t block = hyb_ledger_block(&lu->ledger, j);

        alarm.size = hyb_size_of(plain, weighted);
        alarm.expected = hyb_noise_bound(c->kept[j].variance);
        alarm.device = hyb_home_number(&lu->homes, block) - 1;
        /* with no bound, who made what has none has said it */
        if (hyb_is_on_device(lu, j) && lu->carried->column[j].is_known &&
            isfinite(alarm.expected) &&
            hyb_sums_differ(plain, weighted, alarm.expected))
            hyb_alarm_raise(lu, &alarm);
    }
}
