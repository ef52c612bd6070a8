/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

/* U that stays in the matrix until the back-substitution reads it. A word's
 * number is that of its row, so that all may be read in any pieces. */

static uint64_t words(const hyb_lu_t *lu, int64_t row, int64_t column,
                      int64_t rows)
{
    return lu->means.kernel->sum_words(
        Mptr(lu->mat->A, row, column, lu->mat->ld), rows, (uint32_t)row);
}

uint64_t hyb_words_of_u(const hyb_lu_t *lu, int64_t column, int64_t rows)
{
    return words(lu, 0, column, rows);
}

/* The panel that a local column is of, and its rows here before that. */
static int64_t rows_above(const hyb_lu_t *lu, int64_t column, int64_t *end_p)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    int panel = (int)(hpl_map_global(&map, column) / lu->mat->nb);

    *end_p = hyb_lu_rows_above(lu, panel + 1);
    return hyb_lu_rows_above(lu, panel);
}

/* b, and the diagonal blocks, which are read otherwise. */
void hyb_carried_begin_read(hyb_lu_t *lu)
{
    int64_t from, end;

    if (lu->carried == NULL)
        return;
    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        if (hyb_is_on_device(lu, j)) {
            if (j >= lu->ledger.columns_of_a)
                hyb_read_kept(lu, j);
            continue;
        }
        from = rows_above(lu, j, &end);
        if (j >= lu->ledger.columns_of_a) {
            from = 0;
            end = lu->mat->mp;
        }
        atomic_store(&lu->carried->read[j], words(lu, from, j, end - from));
    }
}

void hyb_carried_read(hyb_lu_t *lu, const double *a, int64_t rows, int64_t cols)
{
    int64_t at = a - lu->mat->A;
    int64_t row = at % lu->mat->ld, column = at / lu->mat->ld;

    for (int64_t j = column; j < column + cols; j++)
        atomic_fetch_add(&lu->carried->read[j], words(lu, row, j, rows));
}

void hyb_carried_end_read(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        hyb_alarm_t alarm =
            hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, j);

        if (!hyb_is_on_device(lu, j) && lu->carried->column[j].is_known &&
            atomic_load(&lu->carried->read[j]) != lu->carried->column[j].stored)
            hyb_alarm_raise(lu, &alarm);
    }
    hyb_check_kept(lu);
}
