/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that move elements, or sum them as integers. An item handles one row,
 * or one column if rows are packed; the grid's second dimension shares the
 * other index. A list of rows is a column of integers, each in the place of a
 * double.
 */

/* to := from */
KERNEL(ITEMS, 1)
copy(GLOBAL const double *from, block_t f, GLOBAL double *to, block_t t)
{
    const i64 i = GROUP(0) * ITEMS + ITEM(0);

    if (i < t.rows)
        for (i64 j = GROUP(1); j < t.cols; j += GROUPS(1))
            to[AT(t, i, j)] = from[AT(f, i, j)];
}

/*
 * U := rows source[] of columns, rows to[] := rows from[], and the top := U. A
 * group handles one column, so that all its items read before any row changes.
 */
KERNEL(ITEMS, 1)
swap_rows(GLOBAL double *columns, block_t c, GLOBAL double *top, block_t u,
          GLOBAL const i64 *source, block_t s, GLOBAL const i64 *from,
          block_t f, GLOBAL const i64 *to, block_t t)
{
    const i64 j = GROUP(0);

    for (i64 i = ITEM(0); i < u.rows; i += ITEMS)
        top[AT(u, i, j)] = columns[AT(c, source[AT(s, i, 0)], j)];
    BARRIER();
    for (i64 i = ITEM(0); i < t.rows; i += ITEMS)
        columns[AT(c, to[AT(t, i, 0)], j)] =
            columns[AT(c, from[AT(f, i, 0)], j)];
    BARRIER();
    for (i64 i = ITEM(0); i < u.rows; i += ITEMS)
        columns[AT(c, i, j)] = top[AT(u, i, j)];
}

/* Column r of `packed` := row list[r] of `columns`. */
KERNEL(ITEMS, 1)
gather_rows(GLOBAL const double *columns, block_t c, GLOBAL const i64 *list,
            block_t l, GLOBAL double *packed, block_t p)
{
    const i64 j = GROUP(0) * ITEMS + ITEM(0);

    if (j < p.rows)
        for (i64 r = GROUP(1); r < p.cols; r += GROUPS(1))
            packed[AT(p, j, r)] = columns[AT(c, list[AT(l, r, 0)], j)];
}

/* Row list[r] of `columns` := column r of `packed`. */
KERNEL(ITEMS, 1)
scatter_rows(GLOBAL double *columns, block_t c, GLOBAL const i64 *list,
             block_t l, GLOBAL const double *packed, block_t p)
{
    const i64 j = GROUP(0) * ITEMS + ITEM(0);

    if (j < p.rows)
        for (i64 r = GROUP(1); r < p.cols; r += GROUPS(1))
            columns[AT(c, list[AT(l, r, 0)], j)] = packed[AT(p, j, r)];
}

/*
 * The two sums of a column's elements as integers: plain, and with weights 1,
 * 3, 5, ... by row. A group handles one column.
 */
KERNEL(ITEMS, 1)
checksum(GLOBAL const u64 *a, block_t b, GLOBAL u64 *sums, block_t s)
{
    ON_CHIP u64 plain[ITEMS], weighted[ITEMS];
    const i64 j = GROUP(0), me = ITEM(0);
    u64 sum = 0, by_row = 0;

    for (i64 i = me; i < b.rows; i += ITEMS) {
        const u64 bits = a[AT(b, i, j)];

        sum += bits;
        by_row += (u64)(2 * i + 1) * bits;
    }
    plain[me] = sum;
    weighted[me] = by_row;
    BARRIER();
    if (me != 0)
        return;
    for (int k = 1; k < ITEMS; k++) {
        sum += plain[k];
        by_row += weighted[k];
    }
    sums[AT(s, 0, j)] = sum;
    sums[AT(s, 1, j)] = by_row;
}
