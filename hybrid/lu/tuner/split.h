/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SPLIT_H
#define HYB_SPLIT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/*
 * How the tiles of one update are shared: devices take them from the front,
 * one at a time; the team of host threads from the back, as many at a time as
 * the policy says.
 *
 * ratio      the team's first grab is its share of all, its second its share
 *            of what is left, then single tiles while at least two remain and
 *            it will not be the last to finish (CALDGEMM report, 2.4.3)
 * steal      single tiles from both ends until none is left
 * fixed:<x>  the devices get x of the tiles, 0 <= x <= 1, the team the rest
 */
typedef enum {
    HYB_SPLIT_RATIO,
    HYB_SPLIT_STEAL,
    HYB_SPLIT_FIXED
} hyb_split_policy_t;

typedef struct {
    hyb_split_policy_t policy;
    double share; /* of the devices, with HYB_SPLIT_FIXED; else 0 */
} hyb_split_t;

/*
 * Read "ratio", "steal" or "fixed:0.8".
 * Errors: XH_ERR_INPUT  said, with the nearest valid word
 */
xh_status_t hyb_split_parse(const char *text, hyb_split_t *split_p);

/* The same of the setting split. */
xh_status_t hyb_split_of_setting(hyb_split_t *split_p);

/*
 * Do the devices take part in an update of total tiles? Not where their share
 * is less than half a tile: the team then takes all. share as below.
 */
bool hyb_split_uses_devices(const hyb_split_t *split, double share,
                            int64_t total);

/*
 * Tiles that the team takes from the back now, all taken for equal; 0: none,
 * now or later.
 *
 * share      in  the devices' share; split->share where that is fixed
 * grab       in  how often the team took tiles in this update before
 * total      in  tiles of the update
 * remaining  in  tiles that nobody has taken yet
 *
 * Order:  where the policy is fixed, the team's first grab comes before the
 *         devices begin, so that they find their share and no more.
 */
int64_t hyb_split_team_tiles(const hyb_split_t *split, double share, int grab,
                             int64_t total, int64_t remaining);

/*
 * Tiles that a member of the team leaves to the devices when it computes single
 * ones from the back, alone. It takes one only if it is done with
 * it before the devices would be with all that remain and one they are at:
 *
 *     (remaining + 1) / devices_rate >= 1 / member_rate
 *
 * It takes none, INT64_MAX are left, where a rate is unknown, as it may need a
 * hundred times as long as a device, and where the policy is fixed.
 *
 * devices_rate  in  of all devices together, 0: unknown
 * member_rate   in  of one member, in the same unit; 0: unknown
 */
int64_t hyb_split_tiles_to_keep(const hyb_split_t *split, double devices_rate,
                                double member_rate);

#endif
