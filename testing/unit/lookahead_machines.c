/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/lookahead_machines.h"

#include <math.h>
#include "hybrid/lu/tuner/lookahead.h"
#include "testing/unit/unit.h"

static const double core = 4e10;

/* ---- machines ------------------------------------------------------------
 */

machine_t machine(int i)
{
    static const double devices[] = {5.0, 20.0};
    static const double swap_rates[] = {1e9, 1e10};
    static const double overheads[] = {1e-5, 1e-3};
    static const double contentions[] = {1.0, 1.4};
    int64_t nb = i & 1 ? 512 : 256;
    int threads = i & 2 ? 16 : 2;
    double solve = (double)(nb * nb) / (threads * core);

    return (machine_t){
        .nb = nb,
        .plant =
            {
                .threads = threads,
                .thread_rate = core,
                .device_rate = core * devices[i >> 2 & 1],
                .tile_overhead = 1e-4,
                .tile = 4,
                .panel_rate = core / 6.0,
                .panel_serial = 0.1,
                .broadcast = 1e-9,
                .exchange = solve + 16.0 * (double)nb / swap_rates[i >> 3 & 1],
                .contention = contentions[i >> 4 & 1],
                .chunk_overhead = overheads[i >> 5 & 1],
            },
    };
}

machine_t machine_for_the_pipeline(void)
{
    machine_t m = machine(2 + 4);

    m.plant.exchange *= 2.0;
    return m;
}

machine_t machine_for_the_panel(void)
{
    machine_t m = machine(2 + 8 + 16 + 32);

    m.plant.chunk_overhead = 3e-3;
    return m;
}

machine_t machine_for_both(void)
{
    machine_t m = machine(1 + 4 + 16 + 32);

    m.plant.exchange *= 1.5;
    m.plant.panel_rate *= 2.0;
    return m;
}

/* ---- factorizations ------------------------------------------------------
 */

bool is_probe(const char *reason)
{
    return strcmp(reason, "probe") == 0;
}

static void count(outcome_t *outcome, int64_t index, hyb_lookahead_t mode,
                  const char *reason)
{
    assert_non_null(reason);
    if (is_probe(reason)) {
        outcome->probes++;
        return;
    }
    outcome->switches += index > 0 && mode != outcome->last;
    outcome->last = mode;
}

bool mostly_in(const outcome_t *outcome, int part, hyb_lookahead_t mode)
{
    const double *in = outcome->part[part];

    return in[mode] >=
           0.8 * (in[HYB_LOOKAHEAD_PANEL] + in[HYB_LOOKAHEAD_PIPELINE]);
}

static int panel_threads(const plant_t *plant)
{
    return plant->threads / 2;
}

hyb_lookahead_times_t times_of(const machine_t *m, const course_t *c,
                               const hyb_lookahead_facts_t *facts,
                               hyb_lookahead_t mode, uint64_t *noise)
{
    bool changed = c->after_half != NULL && facts->index > facts->count / 2;
    plant_t now = changed ? *c->after_half : m->plant;
    hyb_lookahead_times_t times;

    now = plant_disturbed(&now, c->noise, noise);
    plant_iteration(&now, facts, mode, panel_threads(&now), &times);
    if (facts->index == 0 && c->warm_up > 0.0)
        times.total *= c->warm_up;
    return times;
}

outcome_t factor(const machine_t *m, const course_t *c)
{
    hyb_lookahead_times_t times[BLOCKS];
    hyb_lookahead_t mode[BLOCKS];
    hyb_lookahead_facts_t facts[BLOCKS];
    hyb_lookahead_chooser_t chooser;
    uint64_t noise = 88172645463325252u + c->seed;
    outcome_t outcome = {0};
    int late;

    hyb_lookahead_init(&chooser, c->request,
                       c->begins_with_pipeline ? HYB_LOOKAHEAD_PIPELINE
                                               : HYB_LOOKAHEAD_PANEL);
    for (int k = 0; k < BLOCKS - 1; k++) {
        const char *reason = NULL;

        facts[k] = plant_facts(BLOCKS, m->nb, k);
        mode[k] = hyb_lookahead_choose(&chooser, &facts[k], &reason);
        count(&outcome, k, mode[k], reason);
        times[k] = times_of(m, c, &facts[k], mode[k], &noise);
        outcome.seconds += k > 0 ? times[k].total : 0.0;
        outcome.part[k * PARTS / BLOCKS][mode[k]] += times[k].total;
        late = k - c->late;
        if (late >= 0)
            hyb_lookahead_learn(&chooser, &facts[late], mode[late],
                                &times[late]);
    }
    return outcome;
}

static double always(const machine_t *m, course_t c,
                     hyb_lookahead_request_t request)
{
    c.request = request;
    return factor(m, &c).seconds;
}

double mixed_to_best(const machine_t *m, course_t c)
{
    c.request = HYB_MIXED;
    return factor(m, &c).seconds / fmin(always(m, c, HYB_ALWAYS_PANEL),
                                        always(m, c, HYB_ALWAYS_PIPELINE));
}

double pipeline_to_panel(const machine_t *m)
{
    course_t c = {0};

    return always(m, c, HYB_ALWAYS_PIPELINE) / always(m, c, HYB_ALWAYS_PANEL);
}
