/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/resources.h"

/* Declarations that residence.c and residence_group.c share. */

static const double HYB_PANEL_PART_THERE = 0.125; /* of a device's rate */

/* flop/s of a device for products of depth nb, measured at the nearest depth.
 */
double hyb_residence_device_rate(const hyb_residence_figures_t *f, int64_t nb);

/* Number of blocks of a process, b's included. */
double hyb_residence_blocks(const hpl_shape_t *shape);

/* Number of blocks that fit on a process's devices, besides groups of `width`
 * panels and `seats` seats each. */
double hyb_residence_room(const hyb_residence_figures_t *f,
                          const hpl_shape_t *shape, int width, int seats);

/* Number of blocks that fit, besides groups of `width` panels; *guests_p: are
 * the other blocks guests, which need seats? */
double hyb_residence_blocks_there(const hyb_residence_figures_t *f,
                                  const hpl_shape_t *shape, int width,
                                  bool *guests_p);
