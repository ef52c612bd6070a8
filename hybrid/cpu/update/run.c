/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/update/run.h"

#include <stddef.h>
#include <string.h>
#include "base/cpu.h"
#include "base/integers.h"
#include "hybrid/cpu/update/pack.h"

enum {
    MOST_TILE = HYB_KERNEL_MOST_ROWS * HYB_KERNEL_MOST_COLS,
    LEAST_COLS = 128, /* fewest columns of a run */
    MOST_COLS = 256   /* most columns, if they fit in the L2 cache */
};

int64_t hyb_run_part(const hyb_kernel_t *kernel, int64_t nb, int64_t most)
{
    return xh_whole_units(xh_units(nb, xh_units(nb, most)), kernel->cols);
}

int64_t hyb_run_cols(const hyb_kernel_t *kernel, int64_t nb)
{
    int64_t half = xh_cpu_l2_bytes() / 2 / (int64_t)sizeof(double);
    int64_t most = xh_larger(LEAST_COLS, xh_smaller(MOST_COLS, half / nb));

    return hyb_run_part(kernel, nb, most);
}

int64_t hyb_run_u_size(const hyb_kernel_t *kernel, int64_t nb, int64_t cols)
{
    return hyb_pack_size(cols, nb, kernel->cols);
}

void hyb_factors_pack_l1(xh_view_t v, hyb_tiles_t *l1)
{
    l1->rows = v.rows;
    l1->cols = v.cols;
    hyb_pack(v, XH_NO_TRANS, 1.0, l1->height, l1->data);
    for (int64_t j = 0; j < v.cols; j++)
        for (int64_t i = 0; i <= j; i++)
            *hyb_tiles_at(l1, i, j) = 0.0;
}

/* ---- rows of U ---------------------------------------------------------- */

/* Clear the columns that pad the last strip. */
static void clear_rest(const hyb_kernel_t *kernel, int64_t nb, int64_t cols,
                       double *u)
{
    int64_t width = kernel->cols, last = cols / width * width;

    if (last == cols)
        return;
    for (int64_t i = 0; i < nb; i++)
        for (int64_t j = cols - last; j < width; j++)
            u[last * nb + i * width + j] = 0.0;
}

/*
 * Move a column's elements of U, one into each row of its strip, and displaced
 * elements into the places left free. Each element is in a cache line of its
 * own, so prefetch into the L2 cache: more prefetches than loads can be in
 * flight. Near the end of a column prefetch the next column's lines.
 */
static void move_column(const hyb_swap_t *swap, double *column,
                        const double *next, int width, double *u)
{
    enum { AHEAD = 64 };
    int nb = swap->nb, d = 0;

    for (int i = 0; i < nb; i++, u += width) {
        double *element = column + swap->source[i];

        if (i + AHEAD < nb)
            __builtin_prefetch(column + swap->source[i + AHEAD], 0, 2);
        else
            __builtin_prefetch(next + swap->source[(i + AHEAD) % nb], 0, 2);
        *u = *element;
        if (d < swap->displaced && swap->to[d] == swap->source[i])
            *element = column[swap->from[d++]];
    }
    for (; d < swap->displaced; d++)
        column[swap->to[d]] = column[swap->from[d]];
}

void hyb_run_swap(const hyb_kernel_t *kernel, const hyb_swap_t *swap,
                  xh_view_t columns, double *u)
{
    int64_t cols = columns.cols, width = kernel->cols;
    double *column = columns.data;

    for (int64_t j = 0; j < cols; j++, column += columns.ld)
        move_column(swap, column, j + 1 < cols ? column + columns.ld : column,
                    kernel->cols, u + j / width * width * swap->nb + j % width);
    clear_rest(kernel, swap->nb, cols, u);
}

/* Copy a row of `width` columns within a packed strip, or of `left` columns if
 * fewer are left. */
static inline void copy_row(const double *from, int width, int64_t left,
                            double *to)
{
    for (int j = 0; j < width && j < left; j++)
        to[j] = from[j];
}

void hyb_run_unpack_rows(const hyb_kernel_t *kernel, const hyb_arrived_t *rows,
                         int64_t cols, double *u)
{
    int width = kernel->cols;

    for (int64_t j = 0; j < cols; j += width)
        for (int r = 0; r < rows->nb; r++) {
            const double *row = rows->data + r * rows->ld + j;

            __builtin_prefetch(row + width, 0, 2);
            copy_row(row, width, cols - j,
                     u + j * rows->nb + rows->place[r] * width);
        }
    clear_rest(kernel, rows->nb, cols, u);
}

void hyb_run_return_rows(const hyb_kernel_t *kernel, const double *u,
                         int64_t cols, const hyb_arrived_t *rows)
{
    int width = kernel->cols;

    for (int64_t j = 0; j < cols; j += width)
        for (int r = 0; r < rows->nb; r++)
            copy_row(u + j * rows->nb + rows->place[r] * width, width, cols - j,
                     rows->data + r * rows->ld + j);
}

void hyb_run_store(const hyb_factors_t *factors, const double *u,
                   xh_view_t matrix)
{
    int width = factors->kernel->cols;

    for (int64_t j = 0; j < matrix.cols; j++) {
        const double *from = u + j / width * width * matrix.rows + j % width;

        for (int64_t i = 0; i < matrix.rows; i++)
            matrix.data[i + j * matrix.ld] = -from[i * width];
    }
}

/* ---- solving ------------------------------------------------------------ */

/* L1's last diagonal tile, if it is incomplete, padded to a whole one. */
typedef struct {
    int64_t first, rows;
    double l[HYB_KERNEL_MOST_ROWS * HYB_KERNEL_MOST_ROWS];
} last_tile_t;

static void find_last(const hyb_tiles_t *l1, last_tile_t *last)
{
    int64_t height = l1->height, size;

    last->first = l1->rows / height * height;
    last->rows = l1->rows - last->first;
    if (last->rows == 0)
        return;
    size = last->rows * height;
    memcpy(last->l, hyb_tiles_at(l1, last->first, last->first),
           (size_t)size * sizeof(double));
    memset(last->l + size, 0,
           (size_t)(height * height - size) * sizeof(double));
}

/* Solve the last rows of a strip of U, through a padded tile. */
static void solve_last(const hyb_factors_t *factors, const last_tile_t *last,
                       double *strip)
{
    const hyb_kernel_t *kernel = factors->kernel;
    _Alignas(64) double x[MOST_TILE] = {0.0};
    double *mine = strip + last->first * kernel->cols;
    size_t bytes = (size_t)(last->rows * kernel->cols) * sizeof(double);

    memcpy(x, mine, bytes);
    kernel->solve(last->first, hyb_tiles_at(&factors->l1, last->first, 0),
                  last->l, strip, x);
    memcpy(mine, x, bytes);
}

void hyb_run_solve(const hyb_factors_t *factors, int64_t cols, double *u)
{
    const hyb_kernel_t *kernel = factors->kernel;
    const hyb_tiles_t *l1 = &factors->l1;
    last_tile_t last;

    find_last(l1, &last);
    for (int64_t j = 0; j < cols;
         j += kernel->cols, u += kernel->cols * l1->cols) {
        for (int64_t i = 0; i < last.first; i += kernel->rows)
            kernel->solve(i, hyb_tiles_at(l1, i, 0), hyb_tiles_at(l1, i, i), u,
                          u + i * kernel->cols);
        if (last.rows > 0)
            solve_last(factors, &last, u);
    }
}

/* ---- updating ----------------------------------------------------------- */

/* C += A * B for some columns of A and the same rows of B; B is in strips of
 * kernel->cols columns. */
typedef struct {
    const hyb_kernel_t *kernel;
    /* Number of columns and rows; doubles between whole tiles and strips. */
    int64_t depth, stride;
    const double *a, *b;
    xh_view_t c;
    const hyb_run_poll_t *poll;
} slice_t;

/* Multiply a register tile that exceeds C, through a whole tile. */
static void multiply_edge(const slice_t *s, const double *a, const double *b,
                          xh_view_t c)
{
    double tile[MOST_TILE] = {0.0};
    int height = s->kernel->rows;

    s->kernel->multiply(s->depth, a, b, tile, height, a);
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++)
            c.data[i + j * c.ld] += tile[i + j * height];
}

/*
 * Multiply the tile of A at row i by strips of B from column j on. Meanwhile
 * prefetch the next tile, because memory's latency is too long to wait for.
 */
static void multiply_tile(const slice_t *s, int64_t i, int64_t j, xh_view_t c)
{
    const hyb_kernel_t *kernel = s->kernel;
    const double *a = s->a + i * s->stride, *b = s->b + j * s->stride;
    int64_t next = i + kernel->rows < s->c.rows ? i + kernel->rows : 0;
    const double *ahead = s->a + next * s->stride;
    int64_t share = kernel->rows * kernel->cols * s->depth / c.cols, cols;

    for (; c.cols > 0; c = xh_view_part(c, 0, cols, c.rows, c.cols - cols)) {
        cols = xh_smaller(kernel->cols, c.cols);
        if (c.rows == kernel->rows && cols == kernel->cols)
            kernel->multiply(s->depth, a, b, c.data, c.ld, ahead);
        else
            multiply_edge(s, a, b, xh_view_part(c, 0, 0, c.rows, cols));
        b += kernel->cols * s->stride;
        ahead += share;
    }
}

/* Multiply for columns j .. j + cols - 1 of C. */
static void multiply_block(const slice_t *s, int64_t j, int64_t cols)
{
    int64_t height = s->kernel->rows;

    for (int64_t i = 0; i < s->c.rows; i += height) {
        multiply_tile(
            s, i, j,
            xh_view_part(s->c, i, j, xh_smaller(height, s->c.rows - i), cols));
        if (s->poll != NULL)
            s->poll->poll(s->poll->context);
    }
}

/* Multiply in blocks of equal width, of whole strips. */
static void multiply_slice(const slice_t *s)
{
    int64_t width = s->kernel->cols, strips = (s->c.cols + width - 1) / width;
    int64_t blocks = xh_units(strips * width * s->depth, HYB_KERNEL_BLOCK);
    int64_t cols = (strips + blocks - 1) / blocks * width;

    for (int64_t j = 0; j < s->c.cols; j += cols)
        multiply_block(s, j, xh_smaller(cols, s->c.cols - j));
}

void hyb_run_multiply(const hyb_factors_t *factors, const double *u,
                      xh_view_t c, const hyb_run_poll_t *poll)
{
    const hyb_tiles_t *l2 = &factors->l2;
    int64_t depth;

    if (l2->cols == 0)
        return;
    depth = xh_units(l2->cols, xh_units(l2->cols, HYB_KERNEL_DEPTH));
    for (int64_t inner = 0; inner < l2->cols; inner += depth) {
        slice_t slice = {.kernel = factors->kernel,
                         .depth = xh_smaller(depth, l2->cols - inner),
                         .stride = l2->cols,
                         .a = hyb_tiles_at(l2, 0, inner),
                         .b = u + inner * factors->kernel->cols,
                         .c = c,
                         .poll = poll};

        multiply_slice(&slice);
    }
}
