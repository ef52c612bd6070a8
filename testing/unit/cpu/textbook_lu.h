/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>

/* A tall matrix, stored by columns, and the rows that its own were exchanged
 * with, one after the other. */
typedef struct {
    double *a;
    int64_t ld, rows, cols;
    int64_t *pivot;
} textbook_lu_t;

static inline double *textbook_at(const textbook_lu_t *t, int64_t i, int64_t j)
{
    return &t->a[i + j * t->ld];
}

/* The size of a pivot: a NaN is as large as infinity. */
static inline double textbook_size(double x)
{
    return isnan(x) ? (double)INFINITY : fabs(x);
}

static inline void textbook_exchange(const textbook_lu_t *t, int64_t i,
                                     int64_t k)
{
    for (int64_t j = 0; j < t->cols; j++) {
        double kept = *textbook_at(t, i, j);

        *textbook_at(t, i, j) = *textbook_at(t, k, j);
        *textbook_at(t, k, j) = kept;
    }
}

/* Column c, taken from those before column end; a zero pivot divides nothing,
 * and the inverse of a tiny one may be infinite. */
static inline void textbook_eliminate(const textbook_lu_t *t, int64_t c,
                                      int64_t end)
{
    double pivot = *textbook_at(t, c, c);

    for (int64_t i = c + 1; i < t->rows && pivot != 0.0; i++)
        if (fabs(pivot) < DBL_MIN)
            *textbook_at(t, i, c) /= pivot;
        else
            *textbook_at(t, i, c) *= 1.0 / pivot;
    for (int64_t j = c + 1; j < end; j++)
        for (int64_t i = c + 1; i < t->rows; i++)
            *textbook_at(t, i, j) -=
                *textbook_at(t, i, c) * *textbook_at(t, c, j);
}

/* Columns from first to end: the pivot is the first of the largest. */
static inline void textbook_factor(const textbook_lu_t *t, int64_t first,
                                   int64_t end)
{
    for (int64_t c = first; c < end; c++) {
        t->pivot[c] = c;
        for (int64_t i = c + 1; i < t->rows; i++)
            if (textbook_size(*textbook_at(t, i, c)) >
                textbook_size(*textbook_at(t, t->pivot[c], c)))
                t->pivot[c] = i;
        textbook_exchange(t, c, t->pivot[c]);
        textbook_eliminate(t, c, end);
    }
}
