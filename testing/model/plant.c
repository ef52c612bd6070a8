/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/model/plant.h"

#include <math.h>
#include "base/integers.h"

enum { STEPS_MOST = 256 };

typedef struct { /* one iteration; units: block columns after the next panel */
    const plant_t *plant;
    int panel_threads;
    int64_t units;
    double unit_flop, panel, broadcast; /* the latter two in seconds */
    double now;                         /* end of the team's steps so far */
    struct {                            /* the team until end: */
        double end;
        int free; /* threads that can update */
    } step[STEPS_MOST];
    int steps;
    struct { /* units before this one may be updated from time on */
        double time;
        int64_t units;
    } release[STEPS_MOST];
    int releases;
    int64_t released;     /* units */
    double device_until;  /* when the device is through with them */
    double exchange;      /* s that the team swapped and solved */
    double unit_exchange; /* s of each unit that is left to who updates it */
    double device_flop, device_busy;
} sim_t;

static double device_time(const sim_t *sim, int64_t units)
{
    return (double)units * sim->unit_flop / sim->plant->device_rate +
           sim->plant->tile_overhead;
}

static double team_rate(const plant_t *plant)
{
    return plant->threads * plant->thread_rate;
}

/* ---- what the team does, in order ---------------------------------------- */

static void team_does(sim_t *sim, double seconds, int free)
{
    sim->now += seconds;
    sim->step[sim->steps].end = sim->now;
    sim->step[sim->steps++].free = free;
}

static void team_exchanges(sim_t *sim, int64_t units, double factor)
{
    const plant_t *plant = sim->plant;
    double seconds =
        (double)units * (double)plant->nb * plant->exchange * factor +
        plant->group_overhead;

    sim->exchange += seconds;
    team_does(sim, seconds, 0);
}

static void release(sim_t *sim, int64_t units)
{
    sim->released += units;
    sim->release[sim->releases].time = sim->now;
    sim->release[sim->releases++].units = sim->released;
    if (sim->plant->device_rate > 0.0 && units > 0)
        sim->device_until =
            fmax(sim->device_until, sim->now) + device_time(sim, units);
}

/* Groups until the device has work for so many seconds. */
static void exchange_groups(sim_t *sim, int64_t *group, double enough)
{
    while (sim->released < sim->units &&
           sim->device_until - sim->now < enough) {
        int64_t units = xh_smaller(*group, sim->units - sim->released);

        team_exchanges(sim, units, sim->plant->contention);
        release(sim, units);
        *group *= 2;
    }
}

static void plan(sim_t *sim, hyb_lookahead_t mode)
{
    const plant_t *plant = sim->plant;
    bool pipeline = mode == HYB_LOOKAHEAD_PIPELINE;
    bool alone = pipeline && plant->device_rate <= 0.0;
    int64_t first = xh_smaller(plant->tile, sim->units);
    int64_t group = 2 * plant->tile;

    if (!pipeline)
        first = sim->units;
    team_exchanges(sim, alone ? 1 : first + 1, 1.0);
    release(sim, alone ? sim->units : first);
    if (alone)
        sim->unit_exchange =
            (double)plant->nb * plant->exchange * plant->contention +
            plant->group_overhead;
    sim->exchange += (double)sim->units * sim->unit_exchange;
    team_does(sim, sim->unit_flop / team_rate(plant), 0);
    if (mode == HYB_LOOKAHEAD_NONE)
        return;
    exchange_groups(sim, &group, sim->panel + sim->broadcast);
    team_does(sim, sim->panel, plant->threads - sim->panel_threads);
    team_does(sim, sim->broadcast, plant->threads - 1);
    exchange_groups(sim, &group, INFINITY);
}

/* ---- the update ---------------------------------------------------------- */

/* When unit may be updated. */
static double ready(const sim_t *sim, int64_t unit)
{
    int i = 0;

    while (sim->release[i].units <= unit)
        i++;
    return sim->release[i].time;
}

/* When work, in thread seconds, ends that free threads start at begin. */
static double team_end(const sim_t *sim, double begin, double work)
{
    for (int i = 0; i < sim->steps; i++) {
        double end = sim->step[i].end;
        double done = fmax(0.0, end - begin) * sim->step[i].free;

        if (done > 0.0 && done >= work)
            return begin + work / sim->step[i].free;
        work -= done;
        begin = fmax(begin, end);
    }
    return begin + work / sim->plant->threads;
}

/* Front to the device, back to the team, until they meet; returns the end. */
static double update(sim_t *sim)
{
    const plant_t *plant = sim->plant;
    double work = sim->unit_flop / plant->thread_rate +
                  sim->unit_exchange * plant->threads;
    double device = 0.0, team = 0.0;
    int64_t front = 0, back = sim->units;

    while (front < back) {
        int64_t tile = xh_smaller(plant->tile, back - front);
        double by_team = team_end(sim, fmax(team, ready(sim, back - 1)), work);
        double by_device = INFINITY, all_by_device = INFINITY;

        if (plant->device_rate > 0.0) {
            by_device = fmax(device, ready(sim, front + tile - 1)) +
                        device_time(sim, tile);
            all_by_device = device + (double)(back - front) * sim->unit_flop /
                                         plant->device_rate;
        }
        if (by_device <= by_team || all_by_device <= by_team) {
            device = by_device;
            front += tile;
            sim->device_flop += (double)tile * sim->unit_flop;
            sim->device_busy += device_time(sim, tile);
        } else {
            team = by_team;
            back--;
        }
    }
    return fmax(device, team);
}

/* ---- public -------------------------------------------------------------- */

double plant_panel(const plant_t *plant, int threads, int64_t rows)
{
    double part = plant->panel_serial + (1.0 - plant->panel_serial) / threads;
    double nb = (double)plant->nb;

    return (double)rows * nb * nb / plant->panel_rate * part;
}

hyb_lookahead_iteration_t plant_at(const plant_t *plant, int64_t blocks,
                                   int64_t index)
{
    int64_t left = (blocks - index - 1) * plant->nb;

    return (hyb_lookahead_iteration_t){.index = index,
                                       .count = blocks - 1,
                                       .rows = left,
                                       .cols = left,
                                       .nb = plant->nb};
}

void plant_run(const plant_t *plant, int panel_threads,
               hyb_lookahead_iteration_t *it)
{
    double rows = (double)it->rows, nb = (double)plant->nb;
    sim_t sim = {.plant = plant,
                 .panel_threads = panel_threads,
                 .units = it->cols / it->nb - 1,
                 .unit_flop = 2.0 * rows * nb * nb,
                 .panel = plant_panel(plant, panel_threads, it->rows),
                 .broadcast = plant->broadcast * rows * nb};
    double flop = (double)(sim.units + 1) * sim.unit_flop, device = 0.0;

    plan(&sim, it->mode);
    it->took.total = fmax(update(&sim), sim.now);
    if (it->mode == HYB_LOOKAHEAD_NONE)
        it->took.total = it->took.total + sim.panel + sim.broadcast;
    if (sim.device_busy > 0.0)
        device = sim.device_flop / sim.device_busy;
    it->took.panel = sim.panel;
    it->took.panel_share = (double)panel_threads / plant->threads;
    it->took.broadcast = sim.broadcast;
    it->took.exchange = sim.exchange;
    it->took.update = flop / (device + team_rate(plant));
    it->took.host_update = flop / team_rate(plant);
}

double plant_noise(double deviation, uint64_t *state)
{
    double sum = -6.0;
    uint64_t x = *state;

    for (int i = 0; i < 12; i++) {
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

    p.thread_rate *= plant_noise(deviation, state);
    p.device_rate *= plant_noise(deviation, state);
    p.panel_rate *= plant_noise(deviation, state);
    p.broadcast *= plant_noise(deviation, state);
    p.exchange *= plant_noise(deviation, state);
    p.group_overhead *= plant_noise(deviation, state);
    return p;
}

/* ---- plants made up ------------------------------------------------------ */

static const double core = 4e10;

plant_t plant_number(int i)
{
    static const double devices[] = {5.0, 20.0};
    static const double swap_rates[] = {1e9, 1e10};
    static const double overheads[] = {1e-5, 1e-3};
    static const double contentions[] = {1.0, 1.4};
    int64_t nb = i & 1 ? 512 : 256;
    int threads = i & 2 ? 16 : 2;
    double solve = (double)(nb * nb) / (threads * core);

    return (plant_t){
        .nb = nb,
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
        .group_overhead = overheads[i >> 5 & 1],
    };
}

plant_t plant_for_the_pipeline(void)
{
    plant_t m = plant_number(2 + 4);

    m.exchange *= 2.0;
    return m;
}

plant_t plant_for_the_panel(void)
{
    plant_t m = plant_number(2 + 8 + 16 + 32);

    m.group_overhead = 3e-3;
    return m;
}

plant_t plant_for_both(void)
{
    plant_t m = plant_number(1 + 4 + 16 + 32);

    m.exchange *= 1.5;
    m.panel_rate *= 2.0;
    return m;
}
