/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>
#include "base/integers.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/flight.h"

/* Rows converted at a time, a multiple of every tile height. */
enum { ROWS = 480 };

/* Copy rows of tiles, from the first row of a tile on, into columns. */
static void unpack(const hyb_tiles_t *tiles, int64_t from, xh_view_t v)
{
    for (int64_t i = 0; i < v.rows; i += tiles->height)
        for (int64_t j = 0; j < v.cols; j++)
            memcpy(v.data + i + j * v.ld, hyb_tiles_at(tiles, from + i, j),
                   (size_t)xh_smaller(tiles->height, v.rows - i) *
                       sizeof(double));
}

void hyb_l2_convert_begin(hyb_lu_panel_t *p)
{
    hyb_units_begin(&p->units, xh_units(p->columns.rows, ROWS));
}

void hyb_l2_convert(hyb_lu_panel_t *p)
{
    const hyb_tiles_t *tiles = &p->factors.l2;
    int64_t unit;

    while ((unit = hyb_units_take(&p->units)) >= 0) {
        xh_view_t all = p->columns;
        int64_t from = unit * ROWS, rows = xh_smaller(ROWS, all.rows - from);
        xh_view_t part = xh_view_part(all, from, 0, rows, all.cols);

        if (p->in_columns)
            hyb_pack(part, XH_NO_TRANS, 1.0, tiles->height,
                     hyb_tiles_at(tiles, from, 0));
        else
            unpack(tiles, from, part);
        hyb_units_settle(&p->units);
    }
}

bool hyb_l2_has_columns(const hyb_lu_panel_t *p)
{
    return p->in_columns || hyb_units_are_settled(&p->units);
}

bool hyb_l2_has_tiles(const hyb_lu_panel_t *p)
{
    return !p->in_columns || hyb_units_are_settled(&p->units);
}
