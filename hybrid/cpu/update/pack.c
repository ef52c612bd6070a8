/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "base/integers.h"
#include "hybrid/cpu/update/pack.h"

int64_t hyb_pack_size(int64_t rows, int64_t depth, int height)
{
    return xh_whole_units(rows, height) * depth;
}

/* Pack v.rows rows of `v`, whose columns are contiguous in memory. */
static void pack_columns(xh_view_t v, double scale, int height, double *packed)
{
    enum { AHEAD = 8, LINE = 8 }; /* columns ahead; doubles per line */
    int i, count = (int)v.rows;

    for (int64_t p = 0; p < v.cols; p++, packed += height) {
        const double *from = v.data + p * v.ld;

        for (i = 0; i < count + LINE; i += LINE)
            __builtin_prefetch(from + AHEAD * v.ld + i, 0, 2);
        for (i = 0; i < count; i++)
            packed[i] = scale * from[i];
        for (; i < height; i++)
            packed[i] = 0.0;
    }
}

/* Pack the transpose of `v`: its columns become the tile's rows. */
static void pack_rows(xh_view_t v, double scale, int height, double *packed)
{
    enum { BLOCK = 8 }; /* one cache line per column of v at a time */
    int64_t end;
    int count = (int)v.cols;

    if (count < height)
        memset(packed, 0, (size_t)(height * v.rows) * sizeof(double));
    for (int64_t first = 0; first < v.rows; first = end) {
        end = first + BLOCK < v.rows ? first + BLOCK : v.rows;
        for (int i = 0; i < count; i++)
            for (int64_t p = first; p < end; p++)
                packed[p * height + i] = scale * v.data[i * v.ld + p];
    }
}

void hyb_pack(xh_view_t v, xh_trans_t op, double scale, int height,
              double *packed)
{
    int64_t rows = op == XH_NO_TRANS ? v.rows : v.cols;
    int64_t depth = op == XH_NO_TRANS ? v.cols : v.rows;
    int64_t count;

    for (int64_t i = 0; i < rows; i += height, packed += height * depth) {
        count = rows - i < height ? rows - i : height;
        if (op == XH_NO_TRANS)
            pack_columns(xh_view_part(v, i, 0, count, depth), scale, height,
                         packed);
        else
            pack_rows(xh_view_part(v, 0, i, depth, count), scale, height,
                      packed);
    }
}
