/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

static const double size_jump = 2.0; /* the updates of an LU shrink by less */
static const double rate_jump = 1.5; /* clocks and noise change rates by less */

/* ---- the setting --------------------------------------------------------- */

/* Read the x of "fixed:<x>". */
static bool read_share(const char *text, double *share_p)
{
    static const char prefix[] = "fixed:";
    const char *number = text + sizeof(prefix) - 1;
    char *end;

    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return false;
    *share_p = strtod(number, &end);
    return end != number && *end == '\0' && *share_p >= 0.0 && *share_p <= 1.0;
}

xh_status_t hyb_split_of_setting(hyb_split_t *split_p)
{
    const char *text = xh_settings_text("split");
    static const char *const words[] = {"ratio", "steal", "fixed:0.5"};
    hyb_split_t split = {.share = 0.5, .device_rate = 1.0, .host_rate = 1.0};

    if (strcmp(text, "steal") == 0) {
        split.policy = HYB_SPLIT_STEAL;
    } else if (read_share(text, &split.share)) {
        split.policy = HYB_SPLIT_FIXED;
    } else if (strcmp(text, "ratio") != 0) {
        xh_log_error("split: '%s' is none of ratio, steal and fixed:<x> with "
                     "0 <= x <= 1; did you mean %s?",
                     text, words[xh_text_nearest(text, words, 3)]);
        return XH_ERR_INPUT;
    }
    *split_p = split;
    return XH_OK;
}

/* ---- the devices' share -------------------------------------------------- */

/*
 * g / (c' + g) for rates g and c, if the host does other work for `seconds`.
 * Here t_g is the time of a balanced update, t_g = r flop / g = seconds + (1 -
 * r) flop / c. The last update's t_g has the same fixed point, but the
 * iteration would not converge if c seconds > 3 flop.
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

double hyb_split_share(const hyb_split_t *s, double flop)
{
    if (s->policy != HYB_SPLIT_FIXED && positive(flop) > 0.0 &&
        jumped(s->flop, flop, size_jump))
        return balanced_share(s->device_rate, s->host_rate, s->other_seconds,
                              flop);
    return s->share;
}

/*
 * Does this update make earlier figures useless for the next one? Yes also
 * after the first update, which used the devices' memory for the first time.
 */
static bool begins_anew(const hyb_split_t *s, double flop, double g, double c)
{
    return !s->warm || jumped(s->flop, flop, size_jump) ||
           jumped(s->device_rate, g, rate_jump) ||
           jumped(s->host_rate, c, rate_jump);
}

static double followed(double known, double now, bool anew)
{
    return anew ? now : (known + now) / 2.0;
}

void hyb_split_learn(hyb_split_t *s, double device_flop, double device_seconds,
                     double host_flop, double host_seconds,
                     double other_seconds)
{
    double of_devices = positive(device_flop), of_host = positive(host_flop);
    double flop = of_devices + of_host, other = positive(other_seconds);
    double g =
        measured_rate(of_devices, positive(device_seconds), s->device_rate);
    double c = measured_rate(of_host, positive(host_seconds), s->host_rate);
    double share = balanced_share(g, c, other, flop);
    bool anew = begins_anew(s, flop, g, c);

    if (s->policy == HYB_SPLIT_FIXED || flop <= 0.0 || !isfinite(share))
        return;
    s->other_seconds = other;
    s->device_rate = followed(s->device_rate, g, anew);
    s->host_rate = followed(s->host_rate, c, anew);
    s->share = followed(s->share, share, anew);
    s->warm = s->flop > 0.0;
    s->flop = flop;
    s->device_idle = of_devices > 0.0 ? 0 : s->device_idle + 1;
    s->host_idle = of_host > 0.0 ? 0 : s->host_idle + 1;
}

void hyb_split_expect(hyb_split_t *s, const hyb_split_t *other)
{
    if (s->flop > 0.0)
        return;
    s->device_rate = other->device_rate;
    s->host_rate = other->host_rate;
}

/* ---- columns ------------------------------------------------------------- */

bool hyb_split_helps(double member_rate, double columns, double devices_rate,
                     double left)
{
    return member_rate > 0.0 && devices_rate > 0.0 &&
           columns * devices_rate <= left * member_rate;
}
