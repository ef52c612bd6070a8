/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/process_rate.h"

#include <math.h>
#include <mpi.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/median.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/plan/host_parts.h"
#include "hybrid/plan/probes.h"
#include "hybrid/plan/resident_devices.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"

enum {
    ROWS = 2048,
    GLANCES = 9, /* of which the median counts: others may have the cores now
                    and then */
    DEVICE_BYTES = 1 << 28
};

typedef struct {
    const hyb_resources_t *resources;
    int nb;
    double seconds;
    bool resident;           /* may devices have all columns? */
    double threads, devices; /* flop/s; of devices 0: unknown */
} measured_t;

/* ---- threads ------------------------------------------------------------- */

/* Update after update, until time is over; each thread's seconds of one. */
static double update_seconds(hyb_host_update_t *x, double seconds)
{
    const hyb_team_t *team = x->memory.team;
    double begun = xh_clock_now();
    double before = hyb_team_seconds(team, hyb_team_size(team));
    int runs = 0;

    do {
        hyb_host_update_run(x);
        runs++;
    } while (xh_clock_now() - begun < seconds);
    return (hyb_team_seconds(team, hyb_team_size(team)) - before) / runs;
}

static double update_rate(hyb_host_update_t *x, double seconds)
{
    double flop = 2.0 * (double)x->m * (double)x->n * (double)x->k;
    double glance[GLANCES];

    hyb_host_update_run(x);
    HPL_barrier(MPI_COMM_WORLD);
    for (int i = 0; i < GLANCES; i++)
        glance[i] = update_seconds(x, seconds / GLANCES);
    return flop / xh_median(glance, GLANCES);
}

static xh_status_t measure_threads(measured_t *it)
{
    const hyb_resources_t *resources = it->resources;
    int64_t run_cols = hyb_resources_run_columns(resources, it->nb);
    hyb_host_update_t x = {.m = ROWS,
                           .n = run_cols * hyb_team_size(resources->team),
                           .k = it->nb,
                           .run_cols = run_cols,
                           .parts = HYB_PART_SWAP | HYB_PART_SOLVE |
                                    HYB_PART_MULTIPLY};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD,
                  hyb_host_update_open(&x, resources->kernel, resources->team));

    if (status == XH_OK)
        it->threads = update_rate(&x, it->seconds);
    hyb_host_update_close(&x);
    return status;
}

/* ---- devices ------------------------------------------------------------- */

/* As their tables have it; 0: one is unknown. */
static double known_rate(const measured_t *it)
{
    const hyb_machine_t *machine = it->resources->machine;
    double sum = 0.0;

    if (!it->resident)
        return hyb_probe_visitors(machine, it->nb, 0.0);
    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        double rate = hyb_machine_rate(machine, i, it->nb);

        if (rate <= 0.0)
            return 0.0;
        sum += rate;
    }
    return sum;
}

/* Threads, and devices beside them, in columns that live there. */
static xh_status_t measure_together(measured_t *it)
{
    hyb_machine_t *machine = it->resources->machine;
    hyb_resident_devices_t *devices;
    double rate;
    xh_status_t status;

    hyb_resident_devices_begin(machine, ROWS, it->nb, DEVICE_BYTES, it->seconds,
                               &devices);
    status = measure_threads(it);
    rate = 2.0 * ROWS * it->nb / hyb_resident_devices_end(devices).column;
    it->devices = it->resident
                      ? rate
                      : hyb_probe_visitors(machine, it->nb,
                                           rate / hyb_machine_devices(machine));
    return status;
}

/* All processes at the same time, those with unknown devices these, too. */
static xh_status_t measure(measured_t *it)
{
    bool has = hyb_machine_devices(it->resources->machine) > 0;

    it->devices = known_rate(it);
    if (!has || it->devices > 0.0)
        return measure_threads(it);
    XH_TRY(measure_together(it));
    if (it->devices > 0.0)
        return XH_OK;
    xh_log_error("weights=measure: the rate of this process's devices is "
                 "unknown: give a file of rates");
    return XH_ERR_INPUT;
}

xh_status_t hyb_process_rate(const hyb_resources_t *resources, int nb,
                             double seconds, double *rate_p)
{
    measured_t it = {.resources = resources,
                     .nb = nb,
                     .seconds = seconds,
                     .resident = hyb_residence_may_be_device(
                         xh_settings_text("home"), &resources->figures)};

    XH_TRY(hpl_agree(MPI_COMM_WORLD, measure(&it)));
    *rate_p = it.devices + (it.resident ? 0.0 : it.threads);
    return XH_OK;
}
