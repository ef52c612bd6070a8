/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/sequence.h"
#include "hpl/pauxil/map.h"

/* The generator of one process's part of a random matrix; constant. */
typedef struct {
    int64_t m;
    uint64_t first;       /* member of the sequence for entry (0, 0) */
    hpl_map_t rows, cols; /* the rows and columns of the part */
    xh_lanes_t lanes;
    xh_sequence_run_t run; /* chosen for this processor */
    xh_jump_t over_column; /* to the next global column */
    xh_jump_t over_round;  /* from a block of rows to my next block */
} hpl_generator_t;

/* A block of a process's part, in local indices. */
typedef struct {
    int64_t row, rows; /* first row, number of rows */
    int64_t col, cols;
} hpl_submatrix_t;

/*
 * Make the generator of these rows and columns of a random matrix of m rows.
 * Entry (i, j) of the matrix is that of member i + j * m + 1 of the sequence
 * whose member 0 is seed (see sequence.h).
 */
hpl_generator_t hpl_generator(int64_t m, uint64_t seed, const hpl_map_t *rows,
                              const hpl_map_t *cols);

/*
 * Fill a block of the part; no communication, any number of threads at once.
 *
 * a   out  block.rows x block.cols, column-major
 * ld  in   >= block.rows
 *
 * Cost: about the time to write a, unless runs of rows are much shorter than
 * 32.
 */
void hpl_generator_fill(const hpl_generator_t *generator, hpl_submatrix_t block,
                        double *a, int64_t ld);
