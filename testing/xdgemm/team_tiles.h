/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/tune/split.h"

/*
 * Number of tiles for the team. Devices take tiles of a product from the front,
 * one at a time; the team takes tiles from the back, as many at a time as the
 * policy allows.
 *
 * ratio      the team first takes its share of all, then its share of the rest,
 * then single tiles while at least two remain and it will not be the last to
 * finish (CALDGEMM report, 2.4.3)
 * steal      single tiles from both ends until none is left
 * fixed:<x>  the devices get x of the tiles, the team the rest
 */

/*
 * Number of tiles that the team takes from the back now, if all are equal; 0:
 * none, now or later; all, if the devices' share is less than half a tile.
 *
 * share      in  of the devices
 * takes      in  how often the team took tiles in this update before
 * total      in  tiles of the update
 * remaining  in  tiles that nobody has taken yet
 *
 * Order:  with the policy fixed, the team takes its tiles before the devices
 *         begin, so that they find their share and no more.
 */
int64_t xdg_team_tiles(const hyb_split_t *split, double share, int takes,
                       int64_t total, int64_t remaining);

/*
 * Adjust count, the tiles of total that the team takes first, by at most one:
 * with ratio, team or devices get one tile instead of none if they had no work
 * for so long that their rate may be out of date.
 */
int64_t xdg_team_tiles_refresh(const hyb_split_t *split, int64_t count,
                               int64_t total);
