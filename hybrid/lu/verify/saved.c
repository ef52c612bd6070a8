/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/verify/carried_private.h"

void hyb_carried_keep(hyb_lu_t *lu, int k)
{
    struct hyb_carried *c = lu->carried;
    hyb_run_t run;

    if (c == NULL)
        return;
    run = hyb_panel_run(lu, k);
    c->panel.k = k;
    memcpy(c->panel.column, &c->column[run.from],
           (size_t)run.count * sizeof(*c->column));
    memcpy(c->panel.weight, hyb_row_weights(lu, k),
           (size_t)lu->mat->mp * sizeof(*c->panel.weight));
}

/* Of a panel that is factored meanwhile: as they were. */
static const hyb_carried_column_t *sums_of(const hyb_lu_t *lu, int64_t column,
                                           int k, const double **weight_p)
{
    const struct hyb_carried *c = lu->carried;
    int64_t block = hyb_ledger_block(&lu->ledger, column);

    *weight_p = hyb_row_weights(lu, k);
    if (c->panel.k != k || hyb_block_panel(lu, block) != k)
        return &c->column[column];
    *weight_p = c->panel.weight;
    return &c->panel.column[column - hyb_ledger_first(&lu->ledger, block)];
}

static bool has_right_u(const hyb_lu_t *lu, int64_t column,
                        const hyb_carried_column_t *c, int64_t rows)
{
    return hyb_is_on_device(lu, column) ||
           hyb_words_of_u(lu, column, rows) == c->stored;
}

bool hyb_carried_is_right(const hyb_lu_t *lu, int64_t column, int k,
                          const double *a)
{
    int64_t from = hyb_lu_rows_above(lu, k), rows = lu->mat->mp - from;
    const hyb_carried_column_t *c;
    const double *weight;
    hyb_check_sums_t sum;
    double squares;

    if (lu->carried == NULL)
        return true;
    c = sums_of(lu, column, k, &weight);
    if (!c->is_known)
        return true;
    lu->means.kernel->sum_column(a, weight + from, rows, &sum);
    squares =
        sum.squares < HYB_MOST_SQUARES || c->huge == 0.0 ? sum.squares : 0.0;
    return has_right_u(lu, column, c, from) &&
           !hyb_sums_differ(
               sum.plain - c->plain, sum.weighted - c->weighted,
               hyb_column_bound(c, 2.0 * hyb_noise_sum(rows, squares)));
}
