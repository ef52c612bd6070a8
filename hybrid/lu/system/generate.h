/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/matgen/generator.h"
#include "hpl_types.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/* Return the generator of this process's part of [ A | b ], as HPL_pdmatgen has
 * it, with the functions of `kernel`. */
hpl_generator_t hyb_generator(const hyb_kernel_t *kernel,
                              const HPL_T_grid *grid, const HPL_T_pmat *mat,
                              int seed);

/*
 * Fill [ A | b ] with the random sequence of `seed`, bitwise equal to
 * HPL_pdmatgen, without communication. All members of the team write a few
 * columns each in turn, so that memory that is first touched here is spread
 * over the team's NUMA nodes.
 *
 * mat  in,out  mat->A, mp x nq
 */
void hyb_generate(const hyb_resources_t *resources, const HPL_T_grid *grid,
                  const HPL_T_pmat *mat, int seed);

/*
 * Back [ A | b ] by pages; each member touches the columns that it fills in
 * hyb_generate. Contents are kept. Call this for a matrix that is pinned before
 * it is generated: otherwise the thread that pins it gets all pages on its own
 * NUMA node.
 */
void hyb_generate_touch(hyb_team_t *team, const HPL_T_pmat *mat);

/* Fill all columns of lu, each at its home, with the random matrix of `seed`.
 */
void hyb_generate_homes(hyb_lu_t *lu, int seed);

/* The function `generate` of the host's place. */
void hyb_generate_on_host(hyb_place_t *host, int seed);

/* Back by pages what host memory holds of all columns, without filling it. */
void hyb_generate_touch_homes(hyb_lu_t *lu);
