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
#include "hybrid/cpu/trial/host_parts.h"
#include "hybrid/plan/probes.h"
#include "hybrid/plan/resident_devices.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"

enum {
    ROWS = 2048,
    GLANCES = 9, /* samples; their median counts, because other programs may use
                    the cores now and then */
    DEVICE_BYTES = 1 << 28
};

typedef struct {
    const hyb_resources_t *resources;
    int nb;
    double seconds;
    bool resident;           /* may all columns live on devices? */
    double threads, devices; /* flop/s; `devices` 0: unknown */
} rates_t;

/* ---- threads ------------------------------------------------------------- */

/* Update repeatedly for `seconds`; return each thread's seconds per update. */
static double update_seconds(hyb_host_update_t *x, double seconds)
{
    const hyb_team_t *team = x->memory.team;
    double start = xh_clock_now();
    double before = hyb_team_seconds(team, hyb_team_size(team));
    int runs = 0;

    do {
        hyb_host_update_run(x);
        runs++;
    } while (xh_clock_now() - start < seconds);
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

static xh_status_t measure_threads(rates_t *r)
{
    const hyb_resources_t *resources = r->resources;
    int64_t run_cols = hyb_resources_run_columns(resources, r->nb);
    hyb_host_update_t x = {.m = ROWS,
                           .n = run_cols * hyb_team_size(resources->team),
                           .k = r->nb,
                           .run_cols = run_cols,
                           .parts = HYB_PART_SWAP | HYB_PART_SOLVE |
                                    HYB_PART_MULTIPLY};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD,
                  hyb_host_update_open(&x, resources->kernel, resources->team));

    if (status == XH_OK)
        r->threads = update_rate(&x, r->seconds);
    hyb_host_update_close(&x);
    return status;
}

/* ---- devices ------------------------------------------------------------- */

/* Return the devices' rate from their tables; 0 if one is unknown. */
static double known_rate(const rates_t *r)
{
    const hyb_machine_t *machine = r->resources->machine;
    double sum = 0.0;

    if (!r->resident)
        return hyb_probe_visitors(machine, r->nb, 0.0);
    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        double rate = hyb_machine_rate(machine, i, r->nb);

        if (rate <= 0.0)
            return 0.0;
        sum += rate;
    }
    return sum;
}

/* Measure the threads and, at the same time, devices with columns of their own.
 */
static xh_status_t measure_together(rates_t *r)
{
    hyb_machine_t *machine = r->resources->machine;
    hyb_resident_devices_t *devices;
    double rate;
    xh_status_t status;

    hyb_resident_devices_begin(machine, ROWS, r->nb, DEVICE_BYTES, r->seconds,
                               &devices);
    status = measure_threads(r);
    rate = 2.0 * ROWS * r->nb / hyb_resident_devices_end(devices).column;
    r->devices = r->resident
                     ? rate
                     : hyb_probe_visitors(machine, r->nb,
                                          rate / hyb_machine_devices(machine));
    return status;
}

/* Measure all processes at the same time, and the devices of processes that do
 * not know their devices' rates. */
static xh_status_t measure(rates_t *r)
{
    bool has = hyb_machine_devices(r->resources->machine) > 0;

    r->devices = known_rate(r);
    if (!has || r->devices > 0.0)
        return measure_threads(r);
    XH_TRY(measure_together(r));
    if (r->devices > 0.0)
        return XH_OK;
    xh_log_error("weights=measure: the rate of this process's devices is "
                 "unknown: give a file of rates");
    return XH_ERR_INPUT;
}

xh_status_t hyb_process_rate(const hyb_resources_t *resources, int nb,
                             double seconds, double *rate_p)
{
    rates_t r = {.resources = resources,
                 .nb = nb,
                 .seconds = seconds,
                 .resident = hyb_residence_may_be_device(
                     xh_settings_text("home"), &resources->figures)};

    XH_TRY(hpl_agree(MPI_COMM_WORLD, measure(&r)));
    *rate_p = r.devices + (r.resident ? 0.0 : r.threads);
    return XH_OK;
}
