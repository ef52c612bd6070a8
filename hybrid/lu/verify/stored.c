/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

/* U that stays in the matrix until the back-substitution reads it. */

static uint64_t words_in_matrix(const hyb_lu_t *lu, int64_t column)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->npcol, lu->grid->mycol);
    bool is_b = column >= lu->ledger.columns_of_a;
    int64_t panel = hpl_map_global(&map, column) / lu->mat->nb;
    int64_t end = is_b ? lu->mat->mp : hyb_rows_before(lu, (int)panel + 1);
    const double *a = Mptr(lu->mat->A, 0, column, lu->mat->ld);
    uint64_t sum = 0;

    for (int64_t i = 0; i < end; i += lu->mat->nb)
        sum += lu->means.kernel->sum_words(a + i, Mmin(lu->mat->nb, end - i));
    return sum;
}

void hyb_check_stored(void *context, int member)
{
    hyb_lu_t *lu = context;
    int members = hyb_team_size(lu->means.team);

    for (int64_t j = member; j < lu->ledger.columns; j += members) {
        hyb_alarm_t alarm;

        if (words_in_matrix(lu, j) == lu->carried->column[j].stored)
            continue;
        alarm = hyb_alarm_at(lu, HYB_FOUND_U, lu->panels - 1, j);
        hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
    }
}
