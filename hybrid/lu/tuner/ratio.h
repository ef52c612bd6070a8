/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RATIO_H
#define HYB_RATIO_H

#include <stdbool.h>

/*
 * The devices' share r of an update, learnt from the updates before it:
 *
 *     r' = (r + g / (c' + g)) / 2,  c' = c * t_c / t_g
 *
 * g, c  the last measured DGEMM rates of all devices and of the host
 * t_g   time from the start of the update to its end, if both end together
 * t_c   what of t_g the host can give to DGEMM: max(0, t_g - time it was busy
 *       with panel, swap, solve and waiting for others)
 *
 * One entry for each situation. An entry starts anew, without the average,
 * when the size of the update or a rate jumps up or down, and after the first
 * update, which is of devices whose memory nobody had touched yet. A share of
 * 0 or 1 stays; a share that the user fixed is exactly constant. Plain data, no
 * thread safety.
 *
 * Source: CALDGEMM report, 3.4.1.
 */
typedef enum {
    HYB_PANEL_ELSEWHERE, /* the host has no panel to factor meanwhile */
    HYB_PANEL_HERE,
    HYB_SITUATIONS
} hyb_situation_t;

typedef enum {
    HYB_PROBE_NOBODY,
    HYB_PROBE_DEVICES,
    HYB_PROBE_HOST
} hyb_probe_t;

/* What one update took. Seconds 0: not measured, the last rate is kept. */
typedef struct {
    double device_flop, device_seconds; /* all devices; start to last result */
    double host_flop, host_seconds;     /* in DGEMM, of the whole team */
    double other_seconds; /* the host was busy otherwise: panel, swap, solve,
                             waiting for other processes, not for devices */
} hyb_ratio_sample_t;

typedef struct { /* one situation; private */
    double share;
    double flop; /* of the last update, 0 before the first */
    double device_rate, host_rate;
    double other_seconds;
    int device_idle, host_idle; /* updates since the last work */
    bool warm;                  /* more than one update was met */
} hyb_ratio_entry_t;

typedef struct {
    hyb_ratio_entry_t entry[HYB_SITUATIONS];
    double fixed; /* < 0: learnt */
} hyb_ratio_t;

/*
 * Nothing is learnt yet.
 *
 * device_rate, host_rate  in  flop/s as far as known, 0 for who is absent;
 *                             until the first sample only the quotient counts
 */
void hyb_ratio_init(hyb_ratio_t *ratio, double device_rate, double host_rate);

/* From now on the devices' share is share, clamped to [0, 1], whatever comes.
 */
void hyb_ratio_fix(hyb_ratio_t *ratio, double share);

/* The devices' share, in [0, 1], of an update of flop. */
double hyb_ratio_share(const hyb_ratio_t *ratio, hyb_situation_t situation,
                       double flop);

/*
 * Who should get one tile in this update although its share is none: it had no
 * work for so long that its rate may be out of date. An absent executor never
 * does, nor does any when the share is fixed.
 */
hyb_probe_t hyb_ratio_probe(const hyb_ratio_t *ratio,
                            hyb_situation_t situation);

/* Take in what an update has taken. Negative and non-finite values count 0. */
void hyb_ratio_learn(hyb_ratio_t *ratio, hyb_situation_t situation,
                     const hyb_ratio_sample_t *sample);

#endif
