/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/lookahead.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "hybrid/lu/state/step.h"

enum {
    MEMORY = 4, /* iterations that a mean covers, roughly */
    /* Fewest iterations per probe: */
    NEVER_TRIED = 2, /* of a mode never tried before */
    LIKELY = 4,      /* of a mode that seems better */
    UNLIKELY = 8
};

/* Fraction of the uncertainty by which a mode must be better to be chosen. */
static const double hysteresis = 0.5;
static const double rate_jump = 1.5; /* clocks and noise change rates by less */
/* Fraction of a run's time that probes may lose, not counting the first probe
 * of mode 1. */
static const double probes_part = 0.003;

typedef hyb_lookahead_iteration_t iteration_t;
typedef hyb_lookahead_chooser_t chooser_t;

typedef struct { /* the model's times of one iteration, in seconds */
    double ahead, exchange, update, host_part, panel_part;
} parts_t;

typedef struct { /* units of work in one iteration */
    double panel, broadcast, exchange, update;
} work_t;

static double positive(double x)
{
    return isfinite(x) && x > 0.0 ? x : 0.0;
}

static hyb_lookahead_t other_than(hyb_lookahead_t mode)
{
    return mode == HYB_LOOKAHEAD_PANEL ? HYB_LOOKAHEAD_PIPELINE
                                       : HYB_LOOKAHEAD_PANEL;
}

static work_t work_of(const iteration_t *it)
{
    double rows = (double)it->rows, cols = (double)it->cols;
    double nb = (double)it->nb;

    return (work_t){.panel = rows * nb * nb,
                    .broadcast = rows * nb,
                    .exchange = cols * nb,
                    .update = rows * cols * nb};
}

/*
 * Seconds of an iteration: max(work of the executors, path of the leader).
 * Panel and exchange take threads from the update, so each of their seconds
 * prolongs the update by the team's part of the speed.
 */
static double modelled(hyb_lookahead_t mode, parts_t p)
{
    double update = p.update + p.host_part * p.panel_part * p.ahead;

    if (mode == HYB_LOOKAHEAD_PIPELINE)
        return fmax(update + p.host_part * p.exchange, p.exchange + p.ahead);
    if (mode == HYB_LOOKAHEAD_PANEL)
        return p.exchange + fmax(update, p.ahead);
    return p.exchange + p.update + p.ahead;
}

/* The team's part of the total speed. */
static double host_part(double update, double host_update)
{
    return host_update > 0.0 ? fmin(1.0, update / host_update) : 0.0;
}

/* The model's times, by the mode's own paces if measured, else by the other
 * mode's. */
static parts_t parts_of(const chooser_t *c, hyb_lookahead_t mode,
                        const iteration_t *it)
{
    int own = c->of[mode].update > 0.0 ? mode : other_than(mode);
    work_t work = work_of(it);

    return (parts_t){.ahead = c->of[own].panel * work.panel +
                              c->of[own].broadcast * work.broadcast,
                     .exchange = c->of[own].exchange * work.exchange,
                     .update = c->of[own].update * work.update,
                     .host_part =
                         host_part(c->of[own].update, c->of[own].host_update),
                     .panel_part = c->panel_share};
}

/* Predicted seconds of an iteration in `mode`, by the factor of `mode` itself.
 */
static double expected(const chooser_t *c, hyb_lookahead_t mode,
                       const iteration_t *it)
{
    return c->of[mode].factor * modelled(mode, parts_of(c, mode, it));
}

/*
 * Seconds that an iteration in `mode` takes at best. If `mode` was never used,
 * or only in the run's first iteration, which warms up libraries and memory,
 * assume the other mode's factor.
 */
static double hoped_for(const chooser_t *c, hyb_lookahead_t mode,
                        const iteration_t *it)
{
    int known = c->of[mode].learnt > 0 ? mode : other_than(mode);

    return c->of[known].factor * modelled(mode, parts_of(c, mode, it));
}

/* Relative error that noise may cause in comparing the two modes. */
static double uncertainty(const chooser_t *c)
{
    double scatter = fmax(c->of[HYB_LOOKAHEAD_PANEL].scatter,
                          c->of[HYB_LOOKAHEAD_PIPELINE].scatter);
    double sum = 0.0;

    for (int mode = HYB_LOOKAHEAD_PANEL; mode <= HYB_LOOKAHEAD_PIPELINE; mode++)
        sum += scatter / fmax(1.0, fmin(c->of[mode].learnt, MEMORY));
    return sqrt(sum);
}

/* The better mode as far as is known, without probing. */
static hyb_lookahead_t better_mode(const chooser_t *c, const iteration_t *it)
{
    hyb_lookahead_t mode = c->mode, other = other_than(mode);
    double margin = hysteresis * uncertainty(c);

    if (c->of[other].factor <= 0.0)
        return mode;
    if (c->of[mode].factor <= 0.0)
        return other;
    return expected(c, other, it) < expected(c, mode, it) * (1.0 - margin)
               ? other
               : mode;
}

/*
 * Seconds that all probes so far may have lost. For the first probe, the run's
 * remaining time counts, too: as work shrinks with the square of the size, it
 * is a third of the remaining iterations' current time.
 */
static double allowance(const chooser_t *c, const iteration_t *it,
                        hyb_lookahead_t other, double best)
{
    double left = (double)(it->count - it->index);

    if (c->of[other].learnt > 0)
        return probes_part * c->elapsed;
    return probes_part * (c->elapsed + best * left / 3.0);
}

/*
 * Can the run afford one iteration in mode `other`, and can the probe change
 * the choice? A probe is useless if the modes differ by more than noise, or the
 * shrinking of the matrix since the last iteration in `other`, can explain.
 * Mode 1 is tried in any case, because measurements with parcels say too little
 * about it.
 */
static bool probe_pays(const chooser_t *c, const iteration_t *it,
                       hyb_lookahead_t other)
{
    double best = expected(c, other_than(other), it);
    double loss = hoped_for(c, other, it) - best;
    bool tried = c->of[other].learnt > 0;
    int interval = !tried ? NEVER_TRIED : loss < 0.0 ? LIKELY : UNLIKELY;
    bool is_time = it->index % interval == 1;
    double doubt = 1.0;

    if (other == HYB_LOOKAHEAD_PANEL && !tried)
        return is_time;
    if (tried)
        doubt =
            uncertainty(c) + 1.0 - (double)it->cols / (double)c->of[other].cols;
    return is_time &&
           c->probe_loss + fmax(0.0, loss) <= allowance(c, it, other, best) &&
           loss < best * doubt;
}

/* Are both modes known, and their difference too small to matter? */
static bool too_close(const chooser_t *c, const iteration_t *it)
{
    double a = expected(c, HYB_LOOKAHEAD_PANEL, it);
    double b = expected(c, HYB_LOOKAHEAD_PIPELINE, it);

    return a > 0.0 && b > 0.0 &&
           fabs(a - b) <= hysteresis * uncertainty(c) * fmin(a, b);
}

static const char *reason_for(const chooser_t *c, hyb_lookahead_t mode,
                              const iteration_t *it)
{
    parts_t p = parts_of(c, mode, it);
    bool critical = p.ahead > p.update;

    if (too_close(c, it))
        return "as before, too close to tell";
    if (mode == HYB_LOOKAHEAD_PIPELINE)
        return critical ? "panel is critical, groups pay all the same"
                        : "swap and solve hide under the update";
    return critical ? "panel is critical" : "groups cost more than they hide";
}

chooser_t hyb_lookahead_begin(const char *setting, int depth, bool offloads,
                              int nprow)
{
    bool names_mode = setting[0] >= '0' && setting[0] <= '2';
    chooser_t mixed = {.mode = nprow == 1 ? HYB_LOOKAHEAD_PIPELINE
                                          : HYB_LOOKAHEAD_PANEL};

    if (names_mode)
        depth = setting[0] - '0';
    else if (strcmp(setting, "mixed") == 0)
        return mixed;
    if (names_mode || depth <= HYB_LOOKAHEAD_PANEL)
        return (chooser_t){.fixed = "forced",
                           .mode = (hyb_lookahead_t)(depth > 0 ? depth : 0)};
    if (!offloads)
        return (chooser_t){.fixed = "no device has to wait",
                           .mode = HYB_LOOKAHEAD_PIPELINE};
    return mixed;
}

hyb_lookahead_t hyb_lookahead_choose(const chooser_t *c, const iteration_t *it,
                                     const char **reason_p)
{
    hyb_lookahead_t mode;

    *reason_p = c->fixed != NULL ? c->fixed : "nothing measured yet";
    if (c->fixed != NULL || c->learnt == 0)
        return c->mode;
    mode = better_mode(c, it);
    *reason_p = reason_for(c, mode, it);
    if (!probe_pays(c, it, other_than(mode)))
        return mode;
    *reason_p = "probe";
    return other_than(mode);
}

/* Move the mean `value` towards `now`, or set it at once after a jump. 0 means
 * not measured. */
static void follow(double *value, double now)
{
    if (now <= 0.0)
        return;
    if (now > *value * rate_jump || *value > now * rate_jump)
        *value = now;
    else
        *value += (now - *value) / MEMORY;
}

static double part(double seconds, double work)
{
    return work > 0.0 ? positive(positive(seconds) / work) : 0.0;
}

static void learn_paces(chooser_t *c, const iteration_t *it)
{
    work_t work = work_of(it);
    double host = part(it->took.host_update, work.update);

    follow(&c->of[it->mode].panel, part(it->took.panel, work.panel));
    follow(&c->of[it->mode].broadcast,
           part(it->took.broadcast, work.broadcast));
    follow(&c->of[it->mode].exchange, part(it->took.exchange, work.exchange));
    follow(&c->of[it->mode].update, part(it->took.update, work.update));
    follow(&c->of[it->mode].host_update, host);
    if (host <= 0.0)
        c->of[it->mode].host_update = 0.0;
    c->panel_share = fmin(1.0, positive(it->took.panel_share));
}

/* Measured total divided by the model's total for the measured times. */
static double factor_of(const iteration_t *it)
{
    double update = positive(it->took.update);
    parts_t parts = {
        .ahead = positive(it->took.panel) + positive(it->took.broadcast),
        .exchange = positive(it->took.exchange),
        .update = update,
        .host_part = host_part(update, positive(it->took.host_update)),
        .panel_part = fmin(1.0, positive(it->took.panel_share))};

    return positive(it->took.total / modelled(it->mode, parts));
}

/* Learn a mode's factor; `surprise` is the relative difference between the
 * measured and the predicted total. */
static void learn_factor(chooser_t *c, const iteration_t *it, double surprise)
{
    double factor = factor_of(it), square = surprise * surprise;
    double *known = &c->of[it->mode].factor;
    double *scatter = &c->of[it->mode].scatter;
    int learnt = c->of[it->mode].learnt;

    if (c->learnt == 0)
        *known = factor;
    if (c->learnt == 0 || factor <= 0.0)
        return;
    c->of[it->mode].learnt++;
    *known += (factor - *known) / fmin(learnt + 1, MEMORY);
    if (learnt > 0 && isfinite(square))
        *scatter += (square - *scatter) / fmin(learnt, MEMORY);
}

void hyb_lookahead_learn(chooser_t *c, const iteration_t *it)
{
    double total = positive(it->took.total), surprise;
    bool probe;

    if (c->fixed != NULL || total <= 0.0)
        return;
    surprise = total / expected(c, it->mode, it) - 1.0;
    probe = c->learnt > 0 && it->mode != better_mode(c, it);
    learn_paces(c, it);
    learn_factor(c, it, surprise);
    c->of[it->mode].cols = it->cols;
    c->elapsed += total;
    c->learnt++;
    c->mode = better_mode(c, it);
    if (probe)
        c->probe_loss +=
            fmax(0.0, expected(c, it->mode, it) - expected(c, c->mode, it));
}
