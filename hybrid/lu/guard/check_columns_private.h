/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/panel/panel.h"
#include "hybrid/lu/guard/check_columns.h"

/* What the files of the online check share; `c` has check columns. Rows are
 * local rows of this process. */

/* Compute z -= A w for c1 and, at an offset of mp elements, for c2. `a` has the
 * columns from local column `first` on. */
void hyb_check_columns_subtract(const hyb_check_columns_t *c, xh_view_t a,
                                int64_t first, double *z);

/* Set z to c - A w, likewise, of all rows and all columns of `place`, to which
 * the first `panels` panels have been applied. `z` has room for twice the
 * result. */
void hyb_check_columns_difference(const hyb_check_columns_t *c, int place,
                                  int panels, double *z);

enum { HYB_SWEEPS = 2 }; /* iterations whose sweeps are stored */

/* Return the sum of the sweeps of all members in iteration k, likewise, or NULL
 * if there are none. The result is in c->work. */
const double *hyb_check_columns_swept(const hyb_check_columns_t *c, int k);

/* Have the same panels been applied to all columns before panel k, and will
 * panel k alone be applied to all of them next? True if panel k is a group of
 * its own, and all guests, to which panels are applied by turns, are factored.
 */
bool hyb_check_columns_are_uniform(const hyb_check_columns_t *c, int k);

/* Does the team factor `panel`, which is on this process, for a device? */
bool hyb_check_columns_are_for_device(const hyb_check_columns_t *c,
                                      const hyb_lu_panel_t *panel);

/* Judge the rows of this process that became pivots of `panel`; if P > 1, also
 * L1 and the top's rows that were sent when other processes found pivots. */
void hyb_check_columns_pivots(hyb_check_columns_t *c,
                              const hyb_lu_panel_t *panel);

/* Return the row of pivot `pivot` of panel `h` and, at an offset of jb
 * elements, the row of the top that the pivot displaced. P > 1. */
static inline double *hyb_check_columns_pivot_row(const hyb_check_columns_t *c,
                                                  const HPL_T_panel *h,
                                                  int pivot)
{
    return c->pivot_rows[hpl_panel_number(h) % HYB_IN_FLIGHT] +
           pivot * c->moved;
}

/* Are the columns of panel `h` on this process? The functions below need that:
 * return the first column's local number, and the place that has them. */
static inline bool hyb_check_columns_own(const hyb_check_columns_t *c,
                                         const HPL_T_panel *h)
{
    return h->pcol == c->grid->mycol;
}

static inline int64_t hyb_check_columns_first(const HPL_T_panel *h)
{
    return h->jj - h->jb;
}

static inline int hyb_check_columns_place(const hyb_check_columns_t *c,
                                          const HPL_T_panel *h)
{
    return hyb_place_number(c->homes, hyb_check_columns_first(h) / h->nb);
}

/* Return the rank of process row `row` of this process column. */
static inline int hyb_check_columns_rank(const hyb_check_columns_t *c, int row)
{
    return HPL_pnum(c->grid, row, c->grid->mycol);
}
