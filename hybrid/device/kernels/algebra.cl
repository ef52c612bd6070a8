/* SPDX-License-Identifier: BSD-3-Clause */

/* y := y - A x. Each item computes one row. */
KERNEL(ITEMS, 1)
gemv(GLOBAL const double *a, block_t b, GLOBAL const double *x, block_t u,
     GLOBAL double *y, block_t v)
{
    const i64 i = GROUP(0) * ITEMS + ITEM(0);
    double sum = 0.0;

    if (i >= b.rows)
        return;
    for (i64 j = 0; j < b.cols; j++)
        sum += a[AT(b, i, j)] * x[AT(u, j, 0)];
    y[AT(v, i, 0)] -= sum;
}

#ifndef INVERTED
#define INVERTED 64 /* order of the inverted diagonal blocks */
#endif

/*
 * Invert the diagonal blocks of L1, which is unit lower triangular. The
 * inverses are stored one after another, INVERTED columns each; the last one
 * may be smaller. A group inverts a block, an item one column, by forward
 * substitution.
 */
KERNEL(INVERTED, 1)
invert(GLOBAL const double *l1, block_t l, GLOBAL double *inverses)
{
    ON_CHIP double x[INVERTED * INVERTED]; /* stored by rows */
    const i64 first = GROUP(0) * INVERTED, c = ITEM(0);
    const i64 left = l.rows - first, n = left < INVERTED ? left : INVERTED;

    for (i64 i = 0; i < INVERTED; i++)
        x[i * INVERTED + c] = i == c ? 1.0 : 0.0;
    for (i64 j = c; j < n; j++)
        for (i64 i = j + 1; i < n; i++)
            x[i * INVERTED + c] -=
                l1[AT(l, first + i, first + j)] * x[j * INVERTED + c];
    for (i64 i = 0; i < INVERTED; i++)
        inverses[(first + c) * INVERTED + i] = x[i * INVERTED + c];
}
