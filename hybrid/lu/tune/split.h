/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/*
 * How devices and the team share updates of one kind: the policy, and the
 * devices' share r, which is learnt from earlier updates:
 *
 *     r' = (r + g / (c' + g)) / 2,  c' = c * t_c / t_g
 *
 * g, c  the last measured DGEMM rates of all devices and of the host
 * t_g   time from the start of the update to its end, if both end together
 * t_c   the part of t_g that the host has for DGEMM: max(0, t_g - time it was
 *       busy with panel, swap, solve and waiting for others)
 *
 * The average restarts when the size of the update or a rate jumps, and after
 * the first update, which used the devices' memory for the first time. A share
 * of 0 or 1 stays; a share that the user fixed is exactly constant. Plain data,
 * not thread-safe.
 *
 * Source: CALDGEMM report, 3.4.1 for the share.
 */
typedef struct {
    /* ratio: by measured rates; steal: idle executors take columns; fixed:<x>:
     * the devices get fraction x of the work, 0 <= x <= 1 */
    enum { HYB_SPLIT_RATIO, HYB_SPLIT_STEAL, HYB_SPLIT_FIXED } policy;
    double share; /* the devices' share */
    /* private */
    double flop; /* flop of the last update; 0 before the first */
    double device_rate, host_rate;
    double other_seconds;
    int device_idle, host_idle; /* updates since the last work of each */
    bool warm;                  /* has more than one update been learnt? */
} hyb_split_t;

/*
 * Read the setting `split`: "ratio", "steal" or "fixed:0.8"; nothing is learnt
 * yet.
 * Errors: XH_ERR_INPUT, with a message that names the nearest valid word
 */
xh_status_t hyb_split_of_setting(hyb_split_t *split_p);

/* The devices' share, 0 to 1, of an update of `flop`. */
double hyb_split_share(const hyb_split_t *split, double flop);

/*
 * Learn the times of an update. Negative and non-finite values count as 0; 0
 * seconds mean not measured, and the last rate is kept.
 *
 * device_seconds  in  of all devices, from the start to the last result
 * host_seconds    in  of the whole team, in DGEMM
 * other_seconds   in  in which the host did other work: panel, swap, solve,
 *                     waiting for other processes, but not for devices
 */
void hyb_split_learn(hyb_split_t *split, double device_flop,
                     double device_seconds, double host_flop,
                     double host_seconds, double other_seconds);

/* If `split` has learnt no update yet, use the rates that `other` has learnt.
 */
void hyb_split_expect(hyb_split_t *split, const hyb_split_t *other);

/*
 * May a member of the team multiply some of the devices' columns? Yes, if the
 * member finishes them before the devices finish all that is left:
 *
 *     columns / member_rate <= left / devices_rate
 *
 * No, if a rate is unknown, because a member may take a hundred times as long
 * as a device.
 *
 * member_rate   in  the member's rate; 0: unknown
 * devices_rate  in  rate of all devices together, in the same unit; 0: unknown
 */
bool hyb_split_helps(double member_rate, double columns, double devices_rate,
                     double left);
