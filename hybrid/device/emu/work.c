/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/work.h"

#include <string.h>

void hyb_emu_work_copy(xh_view_t from, xh_view_t to)
{
    size_t column = (size_t)from.rows * sizeof(double);
    int64_t j;

    if (from.ld == from.rows && to.ld == to.rows) {
        memcpy(to.data, from.data, column * (size_t)from.cols);
        return;
    }
    for (j = 0; j < from.cols; j++)
        memcpy(to.data + j * to.ld, from.data + j * from.ld, column);
}

void hyb_emu_work_flip(xh_view_t v)
{
    double *x = &v.data[v.rows / 2 + v.cols / 2 * v.ld];
    uint64_t bits;

    memcpy(&bits, x, sizeof(bits));
    bits ^= UINT64_C(1) << 62;
    memcpy(x, &bits, sizeof(bits));
}
