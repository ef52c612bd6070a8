/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/matgen/generator.h"
#include "hpl_types.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/* By kernel, the generator of my part of [ A | b ] as HPL_pdmatgen has it. */
hpl_generator_t hyb_generator(const hyb_kernel_t *kernel,
                              const HPL_T_grid *grid, const HPL_T_pmat *mat,
                              int seed);

/*
 * Fill [ A | b ] with the sequence of seed, bitwise as HPL_pdmatgen; no
 * communication. All members of the team write, a few columns each in turn, so
 * that memory which is touched here first is spread over where the team runs.
 *
 * mat  in,out  mat->A, mp x nq
 */
void hyb_generate(const hyb_resources_t *resources, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed);

/*
 * Have [ A | b ] backed by pages, each by the member that hyb_generate lets
 * fill it; contents stay. For a matrix that is pinned before it is generated:
 * who pins it would have all of it in the memory of his own node.
 */
void hyb_generate_touch(hyb_team_t *team, const HPL_T_pmat *mat);

/* Fill all columns of lu, each at its home, with the random matrix of seed. */
void hyb_generate_homes(hyb_lu_t *lu, int seed);

/* The host's function generate of places. */
void hyb_generate_on_host(hyb_place_t *host, int seed);

/* Back by pages what host memory holds of them, without filling it. */
void hyb_generate_touch_homes(hyb_lu_t *lu);
