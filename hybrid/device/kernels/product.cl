/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C := beta C + alpha op(A) op(B) in two steps. pack lays both operands out in
 * strips, with alpha and op applied and zeros at the edges; multiply then reads
 * whole strips only, without a branch in its loop.
 *
 * What a device's tuning may change:
 *   TILE_M, TILE_N    the part of C that a group computes
 *   ITEMS_M, ITEMS_N  items of a group; each has TILE_M / ITEMS_M times
 *                     TILE_N / ITEMS_N elements, in registers
 *   DEPTH             of k that is staged, or unrolled, at a time
 *   VECTOR            neighbouring rows in one register; 1 but in OpenCL
 *   STAGED            1: strips pass through on-chip memory, for groups of
 *                     many items
 */
#ifndef TILE_M
#define TILE_M 128
#define TILE_N 64
#define ITEMS_M 16
#define ITEMS_N 16
#define DEPTH 16
#define VECTOR 1
#define STAGED 1
#endif

#define ROWS_M (TILE_M / ITEMS_M / VECTOR) /* vectors of an item's column */
#define COLS_N (TILE_N / ITEMS_N)

#if VECTOR == 1
typedef double vector_t;
#define LOAD(p) (*(p))
#define STORE(x, p) (*(p) = (x))
#else
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
typedef NAME(double, VECTOR) vector_t;
#define LOAD(p) NAME(vload, VECTOR)(0, p)
#define STORE(x, p) NAME(vstore, VECTOR)(x, 0, p)
#endif

/*
 * Strips of scale X, or of scale X^T: element (i, l) goes to strip i / width,
 * which has depth columns of width elements. There are zeros where X has no
 * element; depth is a multiple of DEPTH.
 */
KERNEL(ITEMS, 1)
pack(GLOBAL const double *x, block_t b, int transposed, double scale, i64 width,
     i64 depth, GLOBAL double *strips)
{
    const i64 rows = transposed ? b.cols : b.rows;
    const i64 cols = transposed ? b.rows : b.cols;
    const i64 down = transposed ? b.ld : 1, across = transposed ? 1 : b.ld;
    const i64 i = GROUP(0) * ITEMS + ITEM(0), strip = i / width;
    const i64 count = (depth + GROUPS(1) - 1) / GROUPS(1);
    const i64 first = GROUP(1) * count;

    if (strip * width >= rows)
        return;
    for (i64 l = first; l < first + count && l < depth; l++)
        strips[(strip * depth + l) * width + i % width] =
            i < rows && l < cols ? scale * x[b.offset + i * down + l * across]
                                 : 0.0;
}

/* c[0 .. rows - 1] := beta c + sum, at most a vector of them */
FUNCTION void add_to(GLOBAL double *c, i64 rows, double beta, vector_t sum)
{
    if (rows >= VECTOR) {
        if (beta != 0.0)
            sum += beta * LOAD(c);
        STORE(sum, c);
        return;
    }
#if VECTOR > 1
    double part[VECTOR];

    STORE(sum, part);
    for (i64 i = 0; i < rows; i++)
        c[i] = (beta != 0.0 ? beta * c[i] : 0.0) + part[i];
#endif
}

/* C := beta C + the product of the strips a, of TILE_M, and b, of TILE_N */
KERNEL(ITEMS_M, ITEMS_N)
multiply(GLOBAL const double *a, GLOBAL const double *b, i64 depth, double beta,
         GLOBAL double *c, block_t at)
{
    const i64 m = ITEM(0), n = ITEM(1);
    GLOBAL const double *from_a = a + GROUP(1) * depth * TILE_M;
    GLOBAL const double *from_b = b + GROUP(0) * depth * TILE_N;
    vector_t sum[COLS_N][ROWS_M];
#if STAGED
    ON_CHIP double part_a[DEPTH * TILE_M], part_b[DEPTH * TILE_N];
#else
#define part_a from_a
#define part_b from_b
#endif

#pragma unroll
    for (int q = 0; q < COLS_N; q++)
#pragma unroll
        for (int p = 0; p < ROWS_M; p++)
            sum[q][p] = 0.0;
    for (i64 done = 0; done < depth; done += DEPTH) {
#if STAGED
        for (int i = (int)(m + n * ITEMS_M); i < DEPTH * TILE_M;
             i += ITEMS_M * ITEMS_N)
            part_a[i] = from_a[i];
        for (int i = (int)(m + n * ITEMS_M); i < DEPTH * TILE_N;
             i += ITEMS_M * ITEMS_N)
            part_b[i] = from_b[i];
        BARRIER();
#endif
#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            vector_t x[ROWS_M];

#pragma unroll
            for (int p = 0; p < ROWS_M; p++)
                x[p] = LOAD(part_a + l * TILE_M + (m + p * ITEMS_M) * VECTOR);
#pragma unroll
            for (int q = 0; q < COLS_N; q++) {
                const double y = part_b[l * TILE_N + n + q * ITEMS_N];

#pragma unroll
                for (int p = 0; p < ROWS_M; p++)
                    sum[q][p] += x[p] * y;
            }
        }
#if STAGED
        BARRIER();
#endif
        from_a += DEPTH * TILE_M;
        from_b += DEPTH * TILE_N;
    }
#pragma unroll
    for (int q = 0; q < COLS_N; q++) {
        const i64 j = GROUP(0) * TILE_N + n + q * ITEMS_N;

        if (j < at.cols)
#pragma unroll
            for (int p = 0; p < ROWS_M; p++) {
                const i64 i = GROUP(1) * TILE_M + (m + p * ITEMS_M) * VECTOR;

                if (i < at.rows)
                    add_to(c + AT(at, i, j), at.rows - i, beta, sum[q][p]);
            }
    }
}
