/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/sizes.h"

#include "base/integers.h"
#include "hybrid/device/operations.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/step.h"

_Static_assert(HYB_GUARD_PANELS >= 3 * HYB_GROUP_MOST, "three groups' panels");

/* Room for U of all columns of the device and of one more group; or for a
 * parcel, if that is larger. */
int64_t hyb_sizes_u_columns(const hyb_extent_t *e)
{
    int64_t parcel = e->nprow > 1 && e->wide > e->nb
                         ? hyb_parcel_slot(e->nb, e->wide, e->all) / e->nb
                         : 0;

    return xh_larger(e->columns + e->wide, parcel);
}

int64_t hyb_sizes_travel_doubles(const hyb_extent_t *e)
{
    return e->nprow > 1 ? e->nb * hyb_sizes_u_columns(e) +
                              hyb_parcel_slots(e->nb, e->wide, e->all)
                        : 0;
}

int64_t hyb_sizes_panel_doubles(int64_t nb)
{
    return nb * nb + HYB_ROW_LISTS * nb;
}

int64_t hyb_sizes_wide_doubles(int64_t nb, int64_t wide)
{
    return wide > nb
               ? HYB_SLOTS * wide * wide + HYB_WIDE_SLOTS * HYB_ROW_LISTS * wide
               : 0;
}

size_t hyb_sizes_wide_host_doubles(int64_t nb, int64_t wide)
{
    return wide > nb ? (size_t)(HYB_WIDE_SLOTS * HYB_ROW_LISTS * wide) : 0;
}

/* A seat holds the guest's rows, its rows of U and, if P > 1, packed rows. */
int64_t hyb_sizes_seat_doubles(const hyb_extent_t *e)
{
    return (e->rows + (e->nprow > 1 ? 3 : 1) * e->wide) *
           hyb_ledger_widest(e->nb);
}

static int64_t guard_doubles(const hyb_extent_t *e)
{
    return HYB_CHECK_COLUMNS * (e->columns + 2 * e->rows) + 2 * 2 * e->nb;
}

static size_t guard_host_doubles(const hyb_extent_t *e)
{
    return (size_t)(HYB_CHECK_COLUMNS *
                        (e->columns + 2 * HYB_IN_FLIGHT * e->rows) +
                    HYB_GUARD_MOMENTS * HYB_GUARD_PANELS * 2 * e->nb);
}

int64_t hyb_sizes_doubles(const hyb_extent_t *e)
{
    int64_t rows = e->rows, nb = e->nb;
    int64_t u = nb * hyb_sizes_u_columns(e) + 2 * hyb_sizes_travel_doubles(e);

    return 1 + rows * e->columns + u + rows + 2 * nb + nb * nb +
           hyb_pivot_elements(nb) +
           HYB_SLOTS * (hyb_sizes_panel_doubles(nb) + rows * e->wide) +
           hyb_sizes_wide_doubles(nb, e->wide) +
           e->seats * hyb_sizes_seat_doubles(e) +
           (e->checked ? guard_doubles(e) : 0);
}

size_t hyb_sizes_host_doubles(const hyb_extent_t *e)
{
    int64_t rows = e->rows, nb = e->nb;

    return (size_t)(rows * nb + HYB_SLOTS * (HYB_ROW_LISTS + nb) * nb + nb +
                    nb * nb + hyb_pivot_elements(nb)) +
           hyb_sizes_wide_host_doubles(nb, e->wide) +
           (e->checked ? guard_host_doubles(e) : 0);
}

int64_t hyb_sizes_blocks(const hyb_extent_t *e, double bytes)
{
    hyb_extent_t more = *e;
    uint64_t memory = bytes > 0.0 ? (uint64_t)bytes : 0, fixed, block;

    fixed = (uint64_t)hyb_sizes_doubles(e) * sizeof(double);
    more.columns += e->nb;
    block = (uint64_t)hyb_sizes_doubles(&more) * sizeof(double) - fixed;
    return memory > fixed && block > 0 ? (int64_t)((memory - fixed) / block)
                                       : 0;
}

/* ---- parcels ---------------------------------------------------------------
 */

int64_t hyb_parcel_slot(int64_t nb, int64_t wide, int64_t columns)
{
    enum { TIMES = 16 }; /* times the size of the first parcel of one panel */
    int64_t some;

    if (wide <= nb)
        return 0;
    some = xh_smaller(TIMES * hyb_parcel_columns(nb), columns / 2);
    return xh_larger(hyb_ledger_widest(nb) * wide, some * nb);
}

int64_t hyb_parcel_slots(int64_t nb, int64_t wide, int64_t columns)
{
    return HYB_PARCEL_SLOTS * hyb_parcel_slot(nb, wide, columns) +
           (wide > nb ? HYB_SLOTS * nb * wide : 0);
}
