/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEXTBOOK_H
#define TEXTBOOK_H

#include <stdint.h>

enum { TEXTBOOK_MOST_COLS = 70 };

/* A tall matrix and its LU factors, as every textbook has them. */
typedef struct {
    int rows, cols;
    double *a; /* column-major, ld is rows */
    int64_t pivot[TEXTBOOK_MOST_COLS];
    int zero; /* 1 + the first column whose pivot is 0, or 0 */
} textbook_t;

double *textbook_at(const textbook_t *t, int64_t i, int64_t j);

/*
 * a := L and U, row j having changed places with row pivot[j], for j = 0 ..
 * cols - 1 in order; rows >= cols. The pivot is the first of the largest, and
 * a NaN is as large as infinity. A zero pivot divides nothing.
 */
void textbook_factor(textbook_t *t);

#endif
