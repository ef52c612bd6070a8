/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TILE_MAP_H
#define XDG_TILE_MAP_H

#include "testing/xdgemm/gemm.h"

/*
 * Draw C as SVG, each tile in the colour of its executor, with a legend.
 *
 * report  in  of the product; without owners the team computed all
 * c       in  its shape
 */
void xdg_tile_map_write(const hyb_report_t *report,
                        const xdg_executors_t *executors, xh_view_t c,
                        FILE *out);

#endif
