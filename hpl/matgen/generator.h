/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_GENERATOR_H
#define HPL_GENERATOR_H

#include <stdint.h>
#include "hpl/pauxil/map.h"

/*
 * The m x n random matrix of a seed: entry (i, j) is that of member
 * i + j * m + 1 of the sequence whose member 0 is seed (see sequence.h).
 */
typedef struct {
    int64_t m, n;
    uint64_t seed;
} hpl_random_t;

/*
 * Fill one process's part of a random matrix; no communication.
 *
 * rows, cols  in   which rows and columns it holds
 * a           out  its part, column-major
 * ld          in   >= max(1, local rows)
 *
 * Cost: about the time to write a, where blocks are not much under 32 rows.
 */
void hpl_generate(const hpl_random_t *matrix, const hpl_map_t *rows,
                  const hpl_map_t *cols, double *a, int64_t ld);

#endif
