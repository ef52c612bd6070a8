/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

static void solve(const hyb_kernel_t *kernel, int64_t k, const double *a,
                  const double *l, const double *b, double *x)
{
    int64_t rows = kernel->rows, cols = kernel->cols, i, j, p;

    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++) {
            double sum = x[i * cols + j];

            for (p = 0; p < k; p++)
                sum += a[p * rows + i] * b[p * cols + j];
            for (p = 0; p < i; p++)
                sum += l[p * rows + i] * x[p * cols + j];
            x[i * cols + j] = -sum;
        }
}

/* C := C + L * B in one tile. */
static void add_products(const hyb_elimination_t *e, const double *l, double *c)
{
    int64_t rows = e->kernel->rows, cols = e->kernel->cols, i, j, p;

    for (j = 0; j < e->cols; j++) {
        const double *b = e->b + j / cols * cols * e->depth + j % cols;

        for (p = 0; p < e->depth; p++)
            for (i = 0; i < rows; i++)
                c[j * rows + i] += l[p * rows + i] * b[p * cols];
    }
}

static hyb_candidate_t eliminate(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count)
{
    hyb_candidate_t best = {.key = -1.0, .row = -1};
    int64_t rows = e->kernel->rows, tile, i;

    for (tile = 0; tile < count; tile++, first += stride) {
        double *c = first + e->depth * rows;

        for (i = 0; i < rows; i++)
            c[i - rows] *= e->scale;
        add_products(e, first, c);
        for (i = 0; i < rows && e->cols > 0; i++) {
            double key = isnan(c[i]) ? INFINITY : fabs(c[i]);

            if (key > best.key)
                best = (hyb_candidate_t){.key = key, .row = tile * rows + i};
        }
    }
    return best;
}

static void substitute(const hyb_kernel_t *kernel, const double *l, int64_t ld,
                       int64_t from, int64_t depth, double *b)
{
    int64_t cols = kernel->cols, i, j, p;

    for (i = from; i < depth; i++)
        for (p = 0; p < i; p++)
            for (j = 0; j < cols; j++)
                b[i * cols + j] -= l[i * ld + p] * b[p * cols + j];
}

const hyb_kernel_t hyb_kernel_any = {
    .solve = solve, .eliminate = eliminate, .substitute = substitute};
