/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/ratio.h"

#include <math.h>
#include <stdbool.h>

enum { PROBE_EVERY = 8 }; /* updates without work before a probe */

static const double size_jump = 2.0; /* an LU's updates shrink by less */
static const double rate_jump = 1.5; /* clocks and noise make less */

/*
 * g / (c' + g) for rates g and c when the host is busy otherwise for seconds.
 * t_g is that of a balanced update, t_g = r flop / g = seconds + (1 - r) flop
 * / c. With the t_g of the last update in its place the fixed point is the
 * same, but a host that does c seconds > 3 flop never reaches it.
 */
static double balanced_share(double g, double c, double seconds, double flop)
{
    double t_g, t_c;

    if (g <= 0.0)
        return 0.0;
    t_g = (flop + c * seconds) / (c + g);
    t_c = fmax(0.0, t_g - seconds);
    return g / ((t_g > 0.0 ? c * t_c / t_g : c) + g);
}

static bool jumped(double from, double to, double factor)
{
    return to > from * factor || from > to * factor;
}

static double positive(double x)
{
    return isfinite(x) && x > 0.0 ? x : 0.0;
}

static double measured_rate(double flop, double seconds, double last)
{
    return flop > 0.0 && seconds > 0.0 ? flop / seconds : last;
}

void hyb_ratio_init(hyb_ratio_t *ratio, double device_rate, double host_rate)
{
    hyb_ratio_entry_t fresh = {
        .device_rate = positive(device_rate),
        .host_rate = positive(host_rate),
    };
    int i;

    fresh.share = balanced_share(fresh.device_rate, fresh.host_rate, 0.0, 0.0);
    for (i = 0; i < HYB_SITUATIONS; i++)
        ratio->entry[i] = fresh;
    ratio->fixed = -1.0;
}

void hyb_ratio_fix(hyb_ratio_t *ratio, double share)
{
    ratio->fixed = fmin(1.0, positive(share));
}

double hyb_ratio_share(const hyb_ratio_t *ratio, hyb_situation_t situation,
                       double flop)
{
    const hyb_ratio_entry_t *e = &ratio->entry[situation];

    if (ratio->fixed >= 0.0)
        return ratio->fixed;
    if (positive(flop) > 0.0 && jumped(e->flop, flop, size_jump))
        return balanced_share(e->device_rate, e->host_rate, e->other_seconds,
                              flop);
    return e->share;
}

hyb_probe_t hyb_ratio_probe(const hyb_ratio_t *ratio, hyb_situation_t situation)
{
    const hyb_ratio_entry_t *e = &ratio->entry[situation];

    if (ratio->fixed >= 0.0)
        return HYB_PROBE_NOBODY;
    if (e->device_rate > 0.0 && e->device_idle >= PROBE_EVERY)
        return HYB_PROBE_DEVICES;
    if (e->host_rate > 0.0 && e->host_idle >= PROBE_EVERY)
        return HYB_PROBE_HOST;
    return HYB_PROBE_NOBODY;
}

/*
 * Does the sample say nothing about the next one with what was known before? So
 * after the first, too: that is of devices whose memory nobody had touched yet.
 */
static bool begins_anew(const hyb_ratio_entry_t *e, double flop, double g,
                        double c)
{
    return !e->warm || jumped(e->flop, flop, size_jump) ||
           jumped(e->device_rate, g, rate_jump) ||
           jumped(e->host_rate, c, rate_jump);
}

static double followed(double known, double now, bool anew)
{
    return anew ? now : (known + now) / 2.0;
}

/* A situation that was not met yet expects what another one has shown. */
static void inform(hyb_ratio_t *ratio, const hyb_ratio_entry_t *known)
{
    hyb_ratio_entry_t *e;

    for (e = ratio->entry; e < ratio->entry + HYB_SITUATIONS; e++)
        if (e->flop <= 0.0) {
            e->device_rate = known->device_rate;
            e->host_rate = known->host_rate;
        }
}

void hyb_ratio_learn(hyb_ratio_t *ratio, hyb_situation_t situation,
                     const hyb_ratio_sample_t *sample)
{
    hyb_ratio_entry_t *e = &ratio->entry[situation];
    double device_flop = positive(sample->device_flop);
    double host_flop = positive(sample->host_flop);
    double flop = device_flop + host_flop;
    double g = measured_rate(device_flop, positive(sample->device_seconds),
                             e->device_rate);
    double c =
        measured_rate(host_flop, positive(sample->host_seconds), e->host_rate);
    double share;
    bool anew;

    share = balanced_share(g, c, positive(sample->other_seconds), flop);
    if (flop <= 0.0 || !isfinite(share))
        return;
    e->other_seconds = positive(sample->other_seconds);
    anew = begins_anew(e, flop, g, c);
    e->device_rate = followed(e->device_rate, g, anew);
    e->host_rate = followed(e->host_rate, c, anew);
    e->share = followed(e->share, share, anew);
    e->warm = e->flop > 0.0;
    e->flop = flop;
    e->device_idle = device_flop > 0.0 ? 0 : e->device_idle + 1;
    e->host_idle = host_flop > 0.0 ? 0 : e->host_idle + 1;
    inform(ratio, e);
}
