/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/textbook.h"

#include <math.h>

static double key_of(double x)
{
    return isnan(x) ? INFINITY : fabs(x);
}

double *textbook_at(const textbook_t *t, int64_t i, int64_t j)
{
    return &t->a[i + j * t->rows];
}

static void exchange(textbook_t *t, int64_t i, int64_t k)
{
    double x;

    for (int j = 0; j < t->cols; j++) {
        x = *textbook_at(t, i, j);
        *textbook_at(t, i, j) = *textbook_at(t, k, j);
        *textbook_at(t, k, j) = x;
    }
}

static void eliminate_column(textbook_t *t, int c)
{
    double pivot = *textbook_at(t, c, c);

    for (int i = c + 1; i < t->rows; i++) {
        if (pivot != 0.0)
            *textbook_at(t, i, c) /= pivot;
        for (int j = c + 1; j < t->cols; j++)
            *textbook_at(t, i, j) -=
                *textbook_at(t, i, c) * *textbook_at(t, c, j);
    }
}

void textbook_factor(textbook_t *t)
{
    for (int c = 0; c < t->cols; c++) {
        t->pivot[c] = c;
        for (int i = c + 1; i < t->rows; i++)
            if (key_of(*textbook_at(t, i, c)) >
                key_of(*textbook_at(t, t->pivot[c], c)))
                t->pivot[c] = i;
        exchange(t, c, t->pivot[c]);
        if (*textbook_at(t, c, c) == 0.0 && t->zero == 0)
            t->zero = c + 1;
        eliminate_column(t, c);
    }
}
