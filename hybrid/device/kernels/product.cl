/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C := beta C + alpha op(A) op(B), from one template.
 *
 * Parameters that tuning may change:
 *   ITEMS_M, ITEMS_N  items of a group
 *   VECTOR            neighbouring rows in one register; 1 but in OpenCL
 *   ROWS, COLS        an item's part of C in registers, in vectors and columns
 *   DEPTH             part of k that is staged, or unrolled, at a time
 *   STAGED            1: parts of A and B pass through on-chip memory, for
 *                     groups of many items
 *   PACKED            1: A and B were laid out in strips as wide as a tile,
 *                     which are read whole; 0: they are read where they are,
 *                     which needs STAGED
 *   PREFETCH          1: while a part is multiplied, loads of the next one are
 *                     under way; without STAGED, those of C
 *   BAND              tiles side by side that groups take before they go down
 */
#ifndef ROWS
#define ITEMS_M 16
#define ITEMS_N 16
#define VECTOR 1
#define ROWS 8
#define COLS 4
#define DEPTH 8
#define PACKED 1
#define STAGED 1
#define PREFETCH 0
#define BAND 16
#endif

#define TILE_M (ROWS * VECTOR * ITEMS_M)
#define TILE_N (COLS * ITEMS_N)
#define GROUP_ITEMS (ITEMS_M * ITEMS_N)

/* Items of a group that packs, and columns that the group packs. */
#define PACKERS (GROUP_ITEMS == 1 ? 1 : ITEMS)
#ifndef PACKED_COLUMNS
#define PACKED_COLUMNS 16
#endif

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

/* X or X^T: element (i, l) is number offset + i * down + l * across of the
 * buffer; down or across is 1. */
typedef struct {
    i64 offset, rows, depth, down, across;
} operand_t;

/* Element (i, l). Rows beyond the last one repeat it; columns beyond the last
 * one are 0. */
FUNCTION double fetch(GLOBAL const double *x, operand_t at, i64 i, i64 l)
{
    const i64 row = i < at.rows ? i : at.rows - 1;
    const i64 col = l < at.depth ? l : at.depth - 1;
    const double found = x[at.offset + row * at.down + col * at.across];

    return l < at.depth ? found : 0.0;
}

/* Copy columns of `width` elements, stored one after another. */
FUNCTION void copy_columns(GLOBAL const double *x, i64 across, int width,
                           int cols, GLOBAL double *strip)
{
    for (int l = 0; l < cols; l++)
        for (int i = (int)ITEM(0); i < width; i += PACKERS)
            strip[l * width + i] = x[i + l * across];
}

/* Copy rows into the same layout as copy_columns. */
FUNCTION void copy_rows(GLOBAL const double *x, i64 down, int width, int cols,
                        GLOBAL double *strip)
{
    for (int i = (int)ITEM(0); i < width; i += PACKERS)
#pragma unroll
        for (int l = 0; l < cols; l++)
            strip[l * width + i] = x[i * down + l];
}

/*
 * Copy x into strips, each of `depth` columns of `width` elements; element (i,
 * l) goes to strip i / width. A group copies some columns of a strip. `depth`
 * is a multiple of DEPTH; columns beyond those of x are 0.
 */
FUNCTION void pack(GLOBAL const double *x, operand_t at, int width, i64 depth,
                   GLOBAL double *strips)
{
    const i64 i = GROUP(0) * width, l = GROUP(1) * PACKED_COLUMNS;
    const i64 cols = depth - l < PACKED_COLUMNS ? depth - l : PACKED_COLUMNS;
    GLOBAL const double *from = x + at.offset + i * at.down + l * at.across;
    GLOBAL double *to = strips + i * depth + l * width;

    if (i + width > at.rows || l + cols > at.depth)
        for (i64 e = ITEM(0); e < cols * width; e += PACKERS)
            to[e] = fetch(x, at, i + e % width, l + e / width);
    else if (at.down == 1)
        copy_columns(from, at.across, width, (int)cols, to);
    else if (cols == PACKED_COLUMNS) /* this loop unrolls */
        copy_rows(from, at.down, width, PACKED_COLUMNS, to);
    else
        copy_rows(from, at.down, width, (int)cols, to);
}

/* Pack A in strips as wide as a tile is high. */
KERNEL(PACKERS, 1)
pack_a(GLOBAL const double *x, operand_t at, i64 depth, GLOBAL double *strips)
{
    pack(x, at, TILE_M, depth, strips);
}

/* Pack B in strips as wide as a tile. */
KERNEL(PACKERS, 1)
pack_b(GLOBAL const double *x, operand_t at, i64 depth, GLOBAL double *strips)
{
    pack(x, at, TILE_N, depth, strips);
}

/* Tiles are numbered band by band, row by row within a band. */
typedef struct {
    i64 i, j; /* first row and column of the tile in C */
} tile_t;

FUNCTION tile_t tile_of(i64 number, block_t c)
{
    const i64 down = (c.rows + TILE_M - 1) / TILE_M;
    const i64 across = (c.cols + TILE_N - 1) / TILE_N;
    const i64 first = number / (BAND * down) * BAND;
    const i64 wide = across - first < BAND ? across - first : BAND;
    const i64 left = number - first * down;
    const tile_t tile = {left / wide * TILE_M, (first + left % wide) * TILE_N};

    return tile;
}

#if STAGED
#define PART CHIP
#define PER_ITEM(width) (DEPTH * (width) / GROUP_ITEMS)

typedef struct { /* elements that one item loads */
    double a[PER_ITEM(TILE_M)], b[PER_ITEM(TILE_N)];
} load_t;

/* Load an item's elements of the part that begins in row i and column l. */
FUNCTION void load_part(GLOBAL const double *x, operand_t at, int width, i64 i,
                        i64 l, int item, double *load)
{
#pragma unroll
    for (int q = 0; q < PER_ITEM(width); q++) {
        const int e = item + q * GROUP_ITEMS;

        if (PACKED)
            load[q] = x[i * at.depth + l * width + e];
        else if (at.down == 1)
            load[q] = fetch(x, at, i + e % width, l + e / width);
        else
            load[q] = fetch(x, at, i + e / DEPTH, l + e % DEPTH);
    }
}

FUNCTION void store_part(const double *load, operand_t at, int width, int item,
                         CHIP double *part)
{
#pragma unroll
    for (int q = 0; q < PER_ITEM(width); q++) {
        const int e = item + q * GROUP_ITEMS;

        if (PACKED || at.down == 1)
            part[e] = load[q];
        else
            part[e % DEPTH * width + e / DEPTH] = load[q];
    }
}
#else
#define PART GLOBAL
#endif

/* sum := sum + the item's part of the product of DEPTH columns and rows */
FUNCTION void multiply_add(PART const double *a, PART const double *b, int m,
                           int n, vector_t sum[COLS][ROWS])
{
#pragma unroll
    for (int l = 0; l < DEPTH; l++) {
        vector_t x[ROWS];

#pragma unroll
        for (int p = 0; p < ROWS; p++)
            x[p] = LOAD(a + l * TILE_M + (m + p * ITEMS_M) * VECTOR);
#pragma unroll
        for (int q = 0; q < COLS; q++) {
            const double y = b[l * TILE_N + n + q * ITEMS_N];

#pragma unroll
            for (int p = 0; p < ROWS; p++)
                sum[q][p] += x[p] * y;
        }
    }
}

/* c[0 .. rows - 1] := beta c + x, for at most VECTOR rows */
FUNCTION void add_to(GLOBAL double *c, i64 rows, double beta, vector_t x)
{
    if (rows >= VECTOR) {
        if (beta != 0.0)
            x += beta * LOAD(c);
        STORE(x, c);
        return;
    }
#if VECTOR > 1
    double part[VECTOR];

    STORE(x, part);
    for (i64 i = 0; i < rows; i++)
        c[i] = (beta != 0.0 ? beta * c[i] : 0.0) + part[i];
#endif
}

/*
 * C := beta C + alpha A B, where C is the block `at` of c. The depth of packed
 * operands is that of their strips.
 */
KERNEL(ITEMS_M, ITEMS_N)
multiply(GLOBAL const double *a, operand_t of_a, GLOBAL const double *b,
         operand_t of_b, double alpha, double beta, GLOBAL double *c,
         block_t at)
{
    const int m = (int)ITEM(0), n = (int)ITEM(1);
    const i64 depth = of_a.depth;
    const tile_t tile = tile_of(GROUP(0), at);
    vector_t sum[COLS][ROWS];
#if STAGED
    const int item = m + n * ITEMS_M;
    ON_CHIP double part_a[DEPTH * TILE_M], part_b[DEPTH * TILE_N];
    load_t load;

    if (PREFETCH) {
        load_part(a, of_a, TILE_M, tile.i, 0, item, load.a);
        load_part(b, of_b, TILE_N, tile.j, 0, item, load.b);
    }
#elif PREFETCH
    for (int q = 0; q < COLS; q++)
        for (int p = 0; p <= ROWS * VECTOR; p += 8)
            TOUCH(c + AT(at, tile.i + p, tile.j + q));
#endif
#pragma unroll
    for (int q = 0; q < COLS; q++)
#pragma unroll
        for (int p = 0; p < ROWS; p++)
            sum[q][p] = 0.0;
    for (i64 l = 0; l < depth; l += DEPTH) {
#if STAGED
        const i64 next = PREFETCH && l + DEPTH < depth ? l + DEPTH : l;

        if (!PREFETCH) {
            load_part(a, of_a, TILE_M, tile.i, l, item, load.a);
            load_part(b, of_b, TILE_N, tile.j, l, item, load.b);
        }
        store_part(load.a, of_a, TILE_M, item, part_a);
        store_part(load.b, of_b, TILE_N, item, part_b);
        BARRIER();
        if (PREFETCH) {
            load_part(a, of_a, TILE_M, tile.i, next, item, load.a);
            load_part(b, of_b, TILE_N, tile.j, next, item, load.b);
        }
        multiply_add(part_a, part_b, m, n, sum);
        BARRIER();
#else
        multiply_add(a + tile.i * depth + l * TILE_M,
                     b + tile.j * depth + l * TILE_N, m, n, sum);
#endif
    }
#pragma unroll
    for (int q = 0; q < COLS; q++) {
        const i64 j = tile.j + n + q * ITEMS_N;

        if (j < at.cols)
#pragma unroll
            for (int p = 0; p < ROWS; p++) {
                const i64 i = tile.i + (m + p * ITEMS_M) * VECTOR;

                if (i < at.rows)
                    add_to(c + AT(at, i, j), at.rows - i, beta,
                           alpha * sum[q][p]);
            }
    }
}
