/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/team_tiles.h"

#include <math.h>
#include "base/integers.h"

enum {
    REFRESH_EVERY = 8
}; /* updates without work before one tile refreshes the rate */

/*
 * Would the team finish one more tile before the devices finish the rest? The
 * devices then have remaining - 1 other tiles, and about two in flight. For the
 * report's share of 3/4 the rule reads "while at least two remain".
 */
static bool is_worthwhile(double share, int64_t remaining)
{
    return remaining >= 2 && share <= (1.0 - share) * ((double)remaining + 1.0);
}

static int64_t ratio_tiles(double share, int takes, int64_t total,
                           int64_t remaining)
{
    const double rounding = 1e-9; /* so that (1 - 2 / 3) * 3 tiles are one */
    double base = (double)(takes == 0 ? total : remaining);
    int64_t portion = (int64_t)((1.0 - share) * base * (1.0 + rounding));

    if (takes < 2 && portion > 0)
        return portion;
    return is_worthwhile(share, remaining);
}

int64_t xdg_team_tiles(const hyb_split_t *split, double share, int takes,
                       int64_t total, int64_t remaining)
{
    if (split->policy == HYB_SPLIT_STEAL)
        return xh_smaller(1, remaining);
    if (!(share * (double)total >= 0.5))
        return remaining;
    if (split->policy == HYB_SPLIT_RATIO)
        return xh_smaller(ratio_tiles(share, takes, total, remaining),
                          remaining);
    return takes > 0
               ? 0
               : xh_smaller(total - llround(share * (double)total), remaining);
}

int64_t xdg_team_tiles_refresh(const hyb_split_t *s, int64_t count,
                               int64_t total)
{
    if (s->policy != HYB_SPLIT_RATIO)
        return count;
    if (count == 0 && s->host_rate > 0.0 && s->host_idle >= REFRESH_EVERY)
        return 1;
    if (count == total && s->device_rate > 0.0 &&
        s->device_idle >= REFRESH_EVERY)
        return total - 1;
    return count;
}
