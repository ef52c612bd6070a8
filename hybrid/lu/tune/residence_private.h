/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/resources.h"
#pragma once

/* What home.c and group_width.c both need. */

static const double HYB_PANEL_PART_THERE = 0.125; /* of a device's rate */

/* flop/s of a device in products nb deep: of the nearest depth. */
double hyb_residence_device_rate(const hyb_residence_figures_t *f, int64_t nb);

/* Blocks of a process; b is one of its own. */
double hyb_residence_blocks(const hpl_shape_t *shape);

/* Blocks for which its devices have room beside groups of so many panels and so
 * many seats each. */
double hyb_residence_room(const hyb_residence_figures_t *f,
                          const hpl_shape_t *shape, int width, int seats);

/* Blocks for which there is room beside groups of so many panels; of others
 * guests come, if there are seats for them. */
double hyb_residence_blocks_there(const hyb_residence_figures_t *f,
                                  const hpl_shape_t *shape, int width,
                                  bool *guests_p);
