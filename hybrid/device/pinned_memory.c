/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/pinned_memory.h"

#include <stddef.h>
#include "base/integers.h"

int64_t hyb_pinned_segment(xh_view_t matrix, int64_t bytes)
{
    enum { PAGE = 4096 };
    int64_t column = matrix.ld * (int64_t)sizeof(double), unit = 1;

    while (unit * column % PAGE != 0) /* PAGE / 8 at most, a power of 2 */
        unit *= 2;
    return xh_larger(unit, bytes / (unit * column) * unit);
}

static const hyb_pinned_matrix_t *find(const hyb_pinned_memory_t *pinned,
                                       uintptr_t at)
{
    for (int i = 0; i < pinned->count; i++) {
        const xh_view_t *m = &pinned->pin[i].matrix;
        uintptr_t begin = (uintptr_t)m->data;

        if (at >= begin && at < (uintptr_t)(m->data + m->ld * m->cols))
            return &pinned->pin[i];
    }
    return NULL;
}

int64_t hyb_pinned_together(const hyb_pinned_memory_t *pinned, xh_view_t v)
{
    const hyb_pinned_matrix_t *pin =
        pinned != NULL && v.cols > 1 ? find(pinned, (uintptr_t)v.data) : NULL;
    int64_t segment, end;

    if (pin == NULL)
        return v.cols;
    segment = pin->columns * pin->matrix.ld;
    end = segment - (v.data - pin->matrix.data) % segment; /* from v.data on */
    if (end < v.rows)
        return 1;
    return xh_smaller(v.cols, (end - v.rows) / v.ld + 1);
}

xh_view_t hyb_pinned_part(const hyb_pinned_matrix_t *pin, int64_t i)
{
    const xh_view_t *m = &pin->matrix;
    int64_t first = i * pin->columns;

    return xh_view_part(*m, 0, first, m->rows,
                        xh_smaller(pin->columns, m->cols - first));
}

int64_t hyb_pinned_count(const hyb_pinned_matrix_t *pin)
{
    return xh_units(pin->matrix.cols, pin->columns);
}
