/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

static const char *const words[] = {
    [HYB_SPLIT_RATIO] = "ratio",
    [HYB_SPLIT_STEAL] = "steal",
    [HYB_SPLIT_FIXED] = "fixed:0.5",
};

/* ---- policies ------------------------------------------------------------ */

/* The x of "fixed:<x>". */
static bool read_share(const char *text, double *share_p)
{
    static const char prefix[] = "fixed:";
    const char *number = text + sizeof(prefix) - 1;
    char *end;
    double share;

    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return false;
    share = strtod(number, &end);
    if (end == number || *end != '\0' || !(share >= 0.0 && share <= 1.0))
        return false;
    *share_p = share;
    return true;
}

xh_status_t hyb_split_parse(const char *text, hyb_split_t *split_p)
{
    hyb_split_t split = {HYB_SPLIT_FIXED, 0.0};
    int count = sizeof(words) / sizeof(*words);

    if (strcmp(text, words[HYB_SPLIT_RATIO]) == 0) {
        split.policy = HYB_SPLIT_RATIO;
    } else if (strcmp(text, words[HYB_SPLIT_STEAL]) == 0) {
        split.policy = HYB_SPLIT_STEAL;
    } else if (!read_share(text, &split.share)) {
        xh_log_error("split: '%s' is none of ratio, steal and fixed:<x> with "
                     "0 <= x <= 1; did you mean %s?",
                     text, words[xh_text_nearest(text, words, count)]);
        return XH_ERR_INPUT;
    }
    *split_p = split;
    return XH_OK;
}

xh_status_t hyb_split_of_setting(hyb_split_t *split_p)
{
    return hyb_split_parse(xh_settings_text("split"), split_p);
}

bool hyb_split_uses_devices(const hyb_split_t *split, double share,
                            int64_t total)
{
    if (split->policy == HYB_SPLIT_STEAL)
        return total > 0;
    if (split->policy == HYB_SPLIT_FIXED)
        share = split->share;
    return total > 0 && share * (double)total >= 0.5;
}

/*
 * Is the team done with one more tile before the devices are with the rest?
 * They have remaining - 1 others then, and about two in flight. At the
 * report's share of 3/4 this says "while at least two remain".
 */
static bool pays(double share, int64_t remaining)
{
    return remaining >= 2 && share <= (1.0 - share) * ((double)remaining + 1.0);
}

/* The devices take part. */
static int64_t ratio_tiles(double share, int grab, int64_t total,
                           int64_t remaining)
{
    const double rounding = 1e-9; /* (1 - 2 / 3) * 3 tiles are one */
    double base = (double)(grab == 0 ? total : remaining);
    int64_t portion = (int64_t)((1.0 - share) * base * (1.0 + rounding));

    if (grab < 2 && portion > 0)
        return portion;
    return pays(share, remaining);
}

int64_t hyb_split_team_tiles(const hyb_split_t *split, double share, int grab,
                             int64_t total, int64_t remaining)
{
    int64_t tiles = 0;

    if (!hyb_split_uses_devices(split, share, total))
        return remaining;
    switch (split->policy) {
    case HYB_SPLIT_RATIO:
        tiles = ratio_tiles(share, grab, total, remaining);
        break;
    case HYB_SPLIT_STEAL:
        tiles = 1;
        break;
    case HYB_SPLIT_FIXED:
        tiles = grab > 0 ? 0 : total - llround(split->share * (double)total);
        break;
    }
    return tiles < remaining ? tiles : remaining;
}

int64_t hyb_split_tiles_to_keep(const hyb_split_t *split, double devices_rate,
                                double member_rate)
{
    static const double most = 1e15; /* more tiles than a range holds */
    double kept;

    if (split->policy == HYB_SPLIT_FIXED || !(devices_rate > 0.0) ||
        !(member_rate > 0.0))
        return INT64_MAX;
    kept = ceil(devices_rate / member_rate) - 2.0;
    if (kept >= most)
        return INT64_MAX;
    return kept > 0.0 ? (int64_t)kept : 0;
}
