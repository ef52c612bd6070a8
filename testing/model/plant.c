/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/model/plant.h"

#include <math.h>
#include <stdbool.h>
#include "base/integers.h"

enum { STEPS_MOST = 256 };

typedef struct { /* the team until end: how many threads can update */
    double end;
    int free;
} step_t;

typedef struct { /* block columns up to units may be updated from time on */
    double time;
    int64_t units;
} release_t;

typedef struct { /* one iteration; units: block columns after the next panel */
    const plant_t *plant;
    double rows, nb;
    int panel_threads;
    int64_t units;
    double now; /* end of the team's steps so far */
    step_t step[STEPS_MOST];
    int steps;
    release_t release[STEPS_MOST];
    int releases;
    int64_t released;     /* units */
    double device_until;  /* when the device is through with them */
    double exchange;      /* s that the team swapped and solved */
    double unit_exchange; /* s of each unit that is left to who updates it */
    double device_flop, device_busy;
} sim_t;

static double unit_flop(const sim_t *sim)
{
    return 2.0 * sim->rows * sim->nb * sim->nb;
}

static double device_time(const sim_t *sim, int64_t units)
{
    return (double)units * unit_flop(sim) / sim->plant->device_rate +
           sim->plant->tile_overhead;
}

static double team_rate(const plant_t *plant)
{
    return plant->threads * plant->thread_rate;
}

/* ---- what the team does, in order ----------------------------------------
 */

static void team_does(sim_t *sim, double seconds, int free)
{
    sim->now += seconds;
    sim->step[sim->steps++] = (step_t){.end = sim->now, .free = free};
}

static void team_exchanges(sim_t *sim, int64_t units, double factor)
{
    double seconds = (double)units * sim->nb * sim->plant->exchange * factor +
                     sim->plant->chunk_overhead;

    sim->exchange += seconds;
    team_does(sim, seconds, 0);
}

static void release(sim_t *sim, int64_t units)
{
    const plant_t *plant = sim->plant;

    sim->released += units;
    sim->release[sim->releases++] =
        (release_t){.time = sim->now, .units = sim->released};
    if (plant->device_rate > 0.0 && units > 0)
        sim->device_until =
            fmax(sim->device_until, sim->now) + device_time(sim, units);
}

static void team_updates_next(sim_t *sim)
{
    team_does(sim, unit_flop(sim) / team_rate(sim->plant), 0);
}

static double panel_seconds(const sim_t *sim)
{
    return plant_panel(sim->plant, sim->panel_threads, (int64_t)sim->rows,
                       (int64_t)sim->nb);
}

static double broadcast_seconds(const sim_t *sim)
{
    return sim->plant->broadcast * sim->rows * sim->nb;
}

static void team_factors(sim_t *sim)
{
    const plant_t *plant = sim->plant;

    team_does(sim, panel_seconds(sim), plant->threads - sim->panel_threads);
    team_does(sim, broadcast_seconds(sim), plant->threads - 1);
}

static void plan_panel_ahead(sim_t *sim)
{
    team_exchanges(sim, sim->units + 1, 1.0);
    release(sim, sim->units);
    team_updates_next(sim);
    team_factors(sim);
}

/* Chunks until the device has work for as long as the panel will take. */
static void plan_chunks(sim_t *sim, int64_t *chunk, double enough)
{
    while (sim->released < sim->units &&
           sim->device_until - sim->now < enough) {
        int64_t units = xh_smaller(*chunk, sim->units - sim->released);

        team_exchanges(sim, units, sim->plant->contention);
        release(sim, units);
        *chunk *= 2;
    }
}

static void plan_pipeline(sim_t *sim)
{
    int64_t chunk = sim->plant->tile;
    int64_t first = xh_smaller(chunk, sim->units);

    team_exchanges(sim, first + 1, 1.0);
    release(sim, first);
    team_updates_next(sim);
    chunk *= 2;
    plan_chunks(sim, &chunk, panel_seconds(sim) + broadcast_seconds(sim));
    team_factors(sim);
    plan_chunks(sim, &chunk, INFINITY);
}

static void plan_pipeline_on_cores(sim_t *sim)
{
    const plant_t *plant = sim->plant;

    team_exchanges(sim, 1, 1.0);
    release(sim, sim->units);
    sim->unit_exchange =
        sim->nb * plant->exchange * plant->contention + plant->chunk_overhead;
    sim->exchange += (double)sim->units * sim->unit_exchange;
    team_updates_next(sim);
    team_factors(sim);
}

/* ---- the update ---------------------------------------------------------- */

/* When unit may be updated. */
static double ready(const sim_t *sim, int64_t unit)
{
    const release_t *r = sim->release;

    while (r->units <= unit)
        r++;
    return r->time;
}

/* When work, in thread seconds, ends that free threads start at begin. */
static double team_end(const sim_t *sim, double begin, double work)
{
    int i;

    for (i = 0; i < sim->steps; i++) {
        const step_t *step = &sim->step[i];
        double done = fmax(0.0, step->end - begin) * step->free;

        if (done > 0.0 && done >= work)
            return begin + work / step->free;
        work -= done;
        begin = fmax(begin, step->end);
    }
    return begin + work / sim->plant->threads;
}

/* The device's next tile, of units front .. front + tile - 1: its end. */
static double device_end(const sim_t *sim, double from, int64_t front,
                         int64_t units)
{
    if (sim->plant->device_rate <= 0.0)
        return INFINITY;
    return fmax(from, ready(sim, front + units - 1)) + device_time(sim, units);
}

/* Would the device, left alone, be done with all of it before end? */
static bool device_alone_is_faster(const sim_t *sim, double device,
                                   int64_t units, double end)
{
    double flop = (double)units * unit_flop(sim);

    return sim->plant->device_rate > 0.0 &&
           device + flop / sim->plant->device_rate <= end;
}

/* Front to the device, back to the team, until they meet; returns the end. */
static double update(sim_t *sim)
{
    const plant_t *plant = sim->plant;
    double work = unit_flop(sim) / plant->thread_rate +
                  sim->unit_exchange * plant->threads;
    double device = 0.0, team = 0.0;
    int64_t front = 0, back = sim->units;

    while (front < back) {
        int64_t tile = xh_smaller(plant->tile, back - front);
        double by_device = device_end(sim, device, front, tile);
        double by_team = team_end(sim, fmax(team, ready(sim, back - 1)), work);

        if (by_device <= by_team ||
            device_alone_is_faster(sim, device, back - front, by_team)) {
            device = by_device;
            front += tile;
            sim->device_flop += (double)tile * unit_flop(sim);
            sim->device_busy += device_time(sim, tile);
        } else {
            team = by_team;
            back--;
        }
    }
    return fmax(device, team);
}

/* ---- public -------------------------------------------------------------- */

double plant_panel(const plant_t *plant, int threads, int64_t rows, int64_t nb)
{
    double part = plant->panel_serial + (1.0 - plant->panel_serial) / threads;

    return (double)rows * (double)nb * (double)nb / plant->panel_rate * part;
}

static void measure(const sim_t *sim, hyb_lookahead_times_t *times_p)
{
    const plant_t *plant = sim->plant;
    double flop = (double)(sim->units + 1) * unit_flop(sim);
    double device =
        sim->device_busy > 0.0 ? sim->device_flop / sim->device_busy : 0.0;

    times_p->panel = panel_seconds(sim);
    times_p->panel_share = (double)sim->panel_threads / plant->threads;
    times_p->broadcast = broadcast_seconds(sim);
    times_p->exchange = sim->exchange;
    times_p->update = flop / (device + team_rate(plant));
    times_p->host_update = flop / team_rate(plant);
}

void plant_iteration(const plant_t *plant, const hyb_lookahead_facts_t *facts,
                     hyb_lookahead_t mode, int panel_threads,
                     hyb_lookahead_times_t *times_p)
{
    sim_t sim = {
        .plant = plant,
        .rows = (double)facts->rows,
        .nb = (double)facts->nb,
        .panel_threads = panel_threads,
        .units = facts->cols / facts->nb - 1,
    };
    double end;

    if (mode == HYB_LOOKAHEAD_NONE) {
        team_exchanges(&sim, sim.units + 1, 1.0);
        release(&sim, sim.units);
        team_updates_next(&sim);
        end = fmax(update(&sim), sim.now);
        times_p->total = end + panel_seconds(&sim) + broadcast_seconds(&sim);
    } else {
        if (mode == HYB_LOOKAHEAD_PANEL)
            plan_panel_ahead(&sim);
        else if (plant->device_rate > 0.0)
            plan_pipeline(&sim);
        else
            plan_pipeline_on_cores(&sim);
        end = fmax(update(&sim), sim.now);
        times_p->total = end;
    }
    measure(&sim, times_p);
}

/* About normal. */
static double random_factor(double deviation, uint64_t *state)
{
    double sum = -6.0;
    uint64_t x = *state;
    int i;

    for (i = 0; i < 12; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += (double)(x >> 11) * 0x1p-53;
    }
    *state = x;
    return fmax(0.5, 1.0 + deviation * sum);
}

plant_t plant_disturbed(const plant_t *plant, double deviation, uint64_t *state)
{
    plant_t p = *plant;

    p.thread_rate *= random_factor(deviation, state);
    p.device_rate *= random_factor(deviation, state);
    p.panel_rate *= random_factor(deviation, state);
    p.broadcast *= random_factor(deviation, state);
    p.exchange *= random_factor(deviation, state);
    p.chunk_overhead *= random_factor(deviation, state);
    return p;
}

hyb_lookahead_facts_t plant_facts(int64_t blocks, int64_t nb, int64_t index)
{
    int64_t left = (blocks - index - 1) * nb;

    return (hyb_lookahead_facts_t){
        .index = index,
        .count = blocks - 1,
        .rows = left,
        .cols = left,
        .nb = nb,
    };
}
