/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"

/* A matrix of random numbers, with room around it that must not change. */
typedef struct {
    double *all; /* the room, and v in it */
    int64_t total;
    xh_view_t v;
} framed_t;

/* count doubles, 64-byte aligned, none of them a number. Released by free. */
double *framed_doubles(int64_t count);

/* between -0.5 and 0.5 */
double framed_drawn(void);

framed_t framed(int64_t rows, int64_t cols);
framed_t framed_copy(framed_t f);
void framed_release(framed_t f);

/* Fails unless both and what is around them differ by at most `most`. */
void framed_compare(framed_t got, framed_t want, double most);
