/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl.h"
#include "testing/unit/hpl/small_system.h"

/* a matrix before and, in whole, after the interchanges of one panel */
typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
    HPL_T_pmat mat;
    HPL_T_panel *panel;
    double *whole;
    int n, nb, k;
    int wide; /* panels that the panel stands for, Q = 1; 0: one */
} exchange_setting_t;

/* Panel k of a random matrix with random pivots, equal on all processes; grid,
 * algo, n, nb and k are set. */
void exchange_setting_open(exchange_setting_t *s, uint64_t *random);
void exchange_setting_close(exchange_setting_t *s);

/* What stands at row i, global, of local column j after the interchanges. */
double exchange_expected(const exchange_setting_t *s, int64_t i, int j);

/* Wrong entries below the top rows, in the panel's next columns. */
int exchange_wrong_rows(const exchange_setting_t *s, int columns);
