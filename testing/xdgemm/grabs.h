/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/tune/split.h"

/*
 * Devices take tiles of a product from the front, one at a time; the team from
 * the back, as many at a time as the policy says.
 *
 * ratio      the team's first grab is its share of all, its second its share of
 *            what is left, then single tiles while at least two remain and it
 *            will not be the last to finish (CALDGEMM report, 2.4.3)
 * steal      single tiles from both ends until none is left
 * fixed:<x>  the devices get x of the tiles, the team the rest
 */

/*
 * Tiles that the team takes from the back now, all taken for equal; 0: none,
 * now or later. All, where the devices' share is less than half a tile.
 *
 * share      in  the devices'
 * grab       in  how often the team took tiles in this update before
 * total      in  tiles of the update
 * remaining  in  tiles that nobody has taken yet
 *
 * Order:  where the policy is fixed, the team's first grab comes before the
 *         devices begin, so that they find their share and no more.
 */
int64_t xdg_grab_tiles(const hyb_split_t *split, double share, int grab,
                       int64_t total, int64_t remaining);

/*
 * count of total tiles for the team's first grab, or one more or less: who
 * would get none, with ratio, gets one if it had no work for so long that its
 * rate may be out of date.
 */
int64_t xdg_grab_probe(const hyb_split_t *split, int64_t count, int64_t total);
