/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/lookahead.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    MEMORY = 4, /* iterations that a mean goes back, about */
    /* At most one iteration in so many is a probe: */
    NEVER_TRIED = 2, /* of a mode that nothing is known of */
    LIKELY = 4,      /* of one that seems to be better */
    UNLIKELY = 8
};

static const double hysteresis = 0.5;    /* of the uncertainty */
static const double rate_jump = 1.5;     /* clocks and noise make less */
static const double probes_part = 0.003; /* of a run's time, lost at most;
                                            mode 1's first one apart */

typedef struct { /* seconds of one iteration by the model's parts */
    double ahead, exchange, update, host_part, panel_part;
} parts_t;

static double positive(double x)
{
    return isfinite(x) && x > 0.0 ? x : 0.0;
}

static hyb_lookahead_t other_than(hyb_lookahead_t mode)
{
    return mode == HYB_LOOKAHEAD_PANEL ? HYB_LOOKAHEAD_PIPELINE
                                       : HYB_LOOKAHEAD_PANEL;
}

static double panel_work(const hyb_lookahead_facts_t *it)
{
    return (double)it->rows * (double)it->nb * (double)it->nb;
}

static double broadcast_work(const hyb_lookahead_facts_t *it)
{
    return (double)it->rows * (double)it->nb;
}

static double exchange_work(const hyb_lookahead_facts_t *it)
{
    return (double)it->cols * (double)it->nb;
}

static double update_work(const hyb_lookahead_facts_t *it)
{
    return (double)it->rows * (double)it->cols * (double)it->nb;
}

/*
 * What an iteration takes: max(work of the executors, path of the main
 * thread). The team gives to the update what panel and exchange leave of it,
 * so that each second of theirs prolongs the update by the team's part of the
 * speed.
 */
static double modelled(hyb_lookahead_t mode, const parts_t *p)
{
    double update = p->update + p->host_part * p->panel_part * p->ahead;

    if (mode == HYB_LOOKAHEAD_PIPELINE)
        return fmax(update + p->host_part * p->exchange,
                    p->exchange + p->ahead);
    if (mode == HYB_LOOKAHEAD_PANEL)
        return p->exchange + fmax(update, p->ahead);
    return p->exchange + p->update + p->ahead;
}

/* The team's part of all speed. */
static double host_part(double update, double host_update)
{
    return host_update > 0.0 ? fmin(1.0, update / host_update) : 0.0;
}

/* A mode's own paces where it was measured, else the other one's. */
static const hyb_lookahead_paces_t *
paces(const hyb_lookahead_chooser_t *chooser, hyb_lookahead_t mode)
{
    if (chooser->entry[mode].pace.update > 0.0)
        return &chooser->entry[mode].pace;
    return &chooser->entry[other_than(mode)].pace;
}

static parts_t parts_of(const hyb_lookahead_chooser_t *chooser,
                        hyb_lookahead_t mode, const hyb_lookahead_facts_t *it)
{
    const hyb_lookahead_paces_t *pace = paces(chooser, mode);

    return (parts_t){
        .ahead =
            pace->panel * panel_work(it) + pace->broadcast * broadcast_work(it),
        .exchange = pace->exchange * exchange_work(it),
        .update = pace->update * update_work(it),
        .host_part = host_part(pace->update, pace->host_update),
        .panel_part = chooser->panel_share,
    };
}

/* What an iteration in mode takes by what is known of mode itself. */
static double expected(const hyb_lookahead_chooser_t *chooser,
                       hyb_lookahead_t mode, const hyb_lookahead_facts_t *it)
{
    parts_t parts = parts_of(chooser, mode, it);

    return chooser->entry[mode].factor * modelled(mode, &parts);
}

/*
 * What it may take: a mode that was never in use, or only in the run's first
 * iteration, which warms up libraries and memory, may be as near to the model
 * as the other mode is.
 */
static double hoped_for(const hyb_lookahead_chooser_t *chooser,
                        hyb_lookahead_t mode, const hyb_lookahead_facts_t *it)
{
    parts_t parts = parts_of(chooser, mode, it);

    if (chooser->entry[mode].learnt > 0)
        return expected(chooser, mode, it);
    return chooser->entry[other_than(mode)].factor * modelled(mode, &parts);
}

static double square_error(const hyb_lookahead_entry_t *e, double scatter)
{
    return scatter / fmax(1.0, fmin(e->learnt, MEMORY));
}

/* By how much, relatively, noise may mislead about the two modes. */
static double uncertainty(const hyb_lookahead_chooser_t *chooser)
{
    const hyb_lookahead_entry_t *a = &chooser->entry[HYB_LOOKAHEAD_PANEL];
    const hyb_lookahead_entry_t *b = &chooser->entry[HYB_LOOKAHEAD_PIPELINE];
    double scatter = fmax(a->scatter, b->scatter);

    return sqrt(square_error(a, scatter) + square_error(b, scatter));
}

/* The better mode as far as known, without probing. */
static hyb_lookahead_t better_mode(const hyb_lookahead_chooser_t *chooser,
                                   const hyb_lookahead_facts_t *it)
{
    hyb_lookahead_t mode = chooser->mode, other = other_than(mode);
    double margin = hysteresis * uncertainty(chooser);

    if (chooser->entry[other].factor <= 0.0)
        return mode;
    if (chooser->entry[mode].factor <= 0.0)
        return other;
    return expected(chooser, other, it) <
                   expected(chooser, mode, it) * (1.0 - margin)
               ? other
               : mode;
}

/*
 * Seconds that probes may lose in all until now. The first one may count on the
 * time to come: work shrinks by the square, to a third of as many iterations.
 */
static double allowance(const hyb_lookahead_chooser_t *chooser,
                        const hyb_lookahead_facts_t *it, hyb_lookahead_t other,
                        double best)
{
    double left = (double)(it->count - it->index);

    if (chooser->entry[other].learnt > 0)
        return probes_part * chooser->elapsed;
    return probes_part * (chooser->elapsed + best * left / 3.0);
}

static int probe_interval(const hyb_lookahead_entry_t *other, double loss)
{
    if (other->learnt == 0)
        return NEVER_TRIED;
    return loss < 0.0 ? LIKELY : UNLIKELY;
}

/*
 * May the run afford to try other for one iteration, and may that teach
 * anything? Nothing where the two are further apart than noise, or than the
 * shrinking of the matrix since other's last iteration, may hide. Mode 1 is
 * tried in any case: what was measured under chunks says too little of it.
 */
static bool probe_pays(const hyb_lookahead_chooser_t *chooser,
                       const hyb_lookahead_facts_t *it, hyb_lookahead_t other)
{
    const hyb_lookahead_entry_t *e = &chooser->entry[other];
    double best = expected(chooser, other_than(other), it);
    double loss = hoped_for(chooser, other, it) - best;
    bool is_time = it->index % probe_interval(e, loss) == 1;
    double doubt = 1.0;

    if (other == HYB_LOOKAHEAD_PANEL && e->learnt == 0)
        return is_time;
    if (e->learnt > 0)
        doubt = uncertainty(chooser) + 1.0 - (double)it->cols / (double)e->cols;
    return is_time &&
           chooser->probe_loss + fmax(0.0, loss) <=
               allowance(chooser, it, other, best) &&
           loss < best * doubt;
}

/* Are both modes known, and as good as far as can be told? */
static bool too_close(const hyb_lookahead_chooser_t *chooser,
                      const hyb_lookahead_facts_t *it)
{
    double a = expected(chooser, HYB_LOOKAHEAD_PANEL, it);
    double b = expected(chooser, HYB_LOOKAHEAD_PIPELINE, it);

    return a > 0.0 && b > 0.0 &&
           fabs(a - b) <= hysteresis * uncertainty(chooser) * fmin(a, b);
}

static const char *reason_for(const hyb_lookahead_chooser_t *chooser,
                              hyb_lookahead_t mode,
                              const hyb_lookahead_facts_t *it)
{
    parts_t p = parts_of(chooser, mode, it);
    bool critical = p.ahead > p.update;

    if (too_close(chooser, it))
        return "as before, too close to tell";
    if (mode == HYB_LOOKAHEAD_PIPELINE)
        return critical ? "panel is critical, chunks pay all the same"
                        : "swap and solve hide under the update";
    return critical ? "panel is critical" : "chunks cost more than they hide";
}

static hyb_lookahead_t because(hyb_lookahead_t mode, const char *reason,
                               const char **reason_p)
{
    *reason_p = reason;
    return mode;
}

hyb_lookahead_request_t hyb_lookahead_request(const char *setting, int depth)
{
    static const char *const words[] = {"0", "1", "2", "mixed"};
    int i;

    for (i = HYB_ALWAYS_NONE; i <= HYB_MIXED; i++)
        if (strcmp(setting, words[i]) == 0)
            return (hyb_lookahead_request_t)i;
    if (depth > 1)
        return HYB_MIXED;
    return depth == 1 ? HYB_ALWAYS_PANEL : HYB_ALWAYS_NONE;
}

void hyb_lookahead_init(hyb_lookahead_chooser_t *chooser,
                        hyb_lookahead_request_t request, hyb_lookahead_t first)
{
    *chooser = (hyb_lookahead_chooser_t){
        .request = request,
        .mode = first,
    };
}

hyb_lookahead_t hyb_lookahead_choose(const hyb_lookahead_chooser_t *chooser,
                                     const hyb_lookahead_facts_t *iteration,
                                     const char **reason_p)
{
    hyb_lookahead_t mode;

    if (chooser->request == HYB_PIPELINE_ON_CORES)
        return because(HYB_LOOKAHEAD_PIPELINE, "no device has to wait",
                       reason_p);
    if (chooser->request != HYB_MIXED)
        return because((hyb_lookahead_t)chooser->request, "forced", reason_p);
    if (chooser->learnt == 0)
        return because(chooser->mode, "nothing measured yet", reason_p);
    mode = better_mode(chooser, iteration);
    if (probe_pays(chooser, iteration, other_than(mode)))
        return because(other_than(mode), "probe", reason_p);
    return because(mode, reason_for(chooser, mode, iteration), reason_p);
}

/* Follow value slowly, or at once after a jump; 0 is not measured. */
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

static void learn_paces(hyb_lookahead_paces_t *pace,
                        const hyb_lookahead_facts_t *it,
                        const hyb_lookahead_times_t *times)
{
    double host = part(times->host_update, update_work(it));

    follow(&pace->panel, part(times->panel, panel_work(it)));
    follow(&pace->broadcast, part(times->broadcast, broadcast_work(it)));
    follow(&pace->exchange, part(times->exchange, exchange_work(it)));
    follow(&pace->update, part(times->update, update_work(it)));
    if (host > 0.0)
        follow(&pace->host_update, host);
    else
        pace->host_update = 0.0;
}

/* The part of the total that the model's parts, as measured, don't explain. */
static double factor_of(hyb_lookahead_t mode,
                        const hyb_lookahead_times_t *times)
{
    double update = positive(times->update);
    parts_t parts = {
        .ahead = positive(times->panel) + positive(times->broadcast),
        .exchange = positive(times->exchange),
        .update = update,
        .host_part = host_part(update, positive(times->host_update)),
        .panel_part = fmin(1.0, positive(times->panel_share)),
    };

    return positive(times->total / modelled(mode, &parts));
}

/* surprise: by how much, relatively, the total was not what was expected */
static void learn_factor(hyb_lookahead_entry_t *entry, double factor,
                         double surprise)
{
    double square = surprise * surprise;

    if (factor <= 0.0)
        return;
    entry->learnt++;
    entry->factor += (factor - entry->factor) / fmin(entry->learnt, MEMORY);
    if (entry->learnt > 1 && isfinite(square))
        entry->scatter +=
            (square - entry->scatter) / fmin(entry->learnt - 1, MEMORY);
}

void hyb_lookahead_learn(hyb_lookahead_chooser_t *chooser,
                         const hyb_lookahead_facts_t *iteration,
                         hyb_lookahead_t mode,
                         const hyb_lookahead_times_t *times)
{
    hyb_lookahead_entry_t *entry = &chooser->entry[mode];
    double total = positive(times->total), surprise;
    bool first = chooser->learnt == 0, probe;

    if (total <= 0.0)
        return;
    surprise = total / expected(chooser, mode, iteration) - 1.0;
    probe = !first && mode != better_mode(chooser, iteration);
    learn_paces(&entry->pace, iteration, times);
    chooser->panel_share = fmin(1.0, positive(times->panel_share));
    if (first)
        entry->factor = factor_of(mode, times);
    else
        learn_factor(entry, factor_of(mode, times), surprise);
    entry->cols = iteration->cols;
    chooser->elapsed += total;
    chooser->learnt++;
    chooser->mode = better_mode(chooser, iteration);
    if (probe)
        chooser->probe_loss +=
            fmax(0.0, expected(chooser, mode, iteration) -
                          expected(chooser, chooser->mode, iteration));
}
