/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/open/rates.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/cpu/trial/host_parts.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/state/resources.h"

/*
 * Return the rate of a thread in products like the update's, with L2 and C out
 * of its own cache, while all threads multiply: the median of as many products
 * as take 20 ms, after a first one. 0: memory is short.
 */
static double update_rate(const hyb_resources_t *resources)
{
    enum { ROWS = 2048, DEPTH = 256 };
    static const double enough = 20e-3;
    hyb_team_t *team = resources->team;
    hyb_crew_t crew = {team, hyb_team_size(team)};
    hyb_host_update_t x = {.m = ROWS,
                           .k = DEPTH,
                           .run_cols =
                               hyb_resources_run_columns(resources, DEPTH),
                           .parts = HYB_PART_MULTIPLY};
    double flop, seconds = HUGE_VAL;

    x.n = x.run_cols * crew.members;
    flop = 2.0 * (double)x.m * (double)x.n * (double)x.k / crew.members;
    if (hyb_host_update_open(&x, resources->kernel, team) == XH_OK) {
        seconds = hyb_time_runs(crew, NULL, hyb_host_update_run, &x, 1).median;
        if (seconds < enough)
            seconds =
                hyb_time_runs(crew, NULL, hyb_host_update_run, &x,
                              (int)fmin(enough / seconds + 1.0, HYB_CALLS_MOST))
                    .median;
    }
    hyb_host_update_close(&x);
    return flop / seconds;
}

/* Return the rate of a thread in products. */
static double thread_rate(const hyb_resources_t *resources)
{
    hyb_kernels_t kernels = hyb_kernels_of_setting();

    return resources->by_blas && kernels.blas > 0.0 ? kernels.blas
                                                    : update_rate(resources);
}

/* Return the largest P with which all devices can factor panels. */
static double panel_rows(const hyb_machine_t *machine)
{
    double most = strcmp(xh_settings_text("panel"), "host") == 0 ? 0 : HUGE_VAL;

    for (int i = 0; i < hyb_machine_devices(machine); i++)
        most = fmin(
            most, hyb_place_device_panel_rows(hyb_machine_device(machine, i)));
    return most;
}

/* Do all devices reach each other's memory, as their backends say? The run
 * itself tries it. */
static bool are_peers(const hyb_machine_t *machine)
{
    int devices = hyb_machine_devices(machine);

    for (int i = 0; i < devices; i++)
        for (int j = 0; j < devices; j++)
            if (i != j && !hyb_device_reach(hyb_machine_device(machine, i),
                                            hyb_machine_device(machine, j)))
                return false;
    return devices > 1;
}

/* Return the figures of this process, whose devices can keep columns. */
static hyb_residence_figures_t figures_of(const hyb_resources_t *resources)
{
    int devices = hyb_machine_devices(resources->machine);
    hyb_residence_figures_t f = {.devices = devices,
                                 .memory = HUGE_VAL,
                                 .link = HUGE_VAL,
                                 .threads = hyb_team_size(resources->team),
                                 .thread_rate = thread_rate(resources),
                                 .panel_rows = panel_rows(resources->machine),
                                 .peers = are_peers(resources->machine),
                                 .device_mpi = resources->device_mpi};

    for (int i = 0; i < devices; i++) {
        double link = hyb_machine_link_rate(resources->machine, i);

        f.memory =
            fmin(f.memory, (double)hyb_machine_memory(resources->machine, i));
        f.link = fmin(f.link, link > 0.0 ? link : HUGE_VAL);
        for (int d = 0; d < HYB_RATE_DEPTHS; d++)
            f.rate[d] +=
                hyb_machine_rate(resources->machine, i, hyb_rate_depth(d)) /
                devices;
    }
    return f;
}

/* Can devices keep columns? Both kinds of row moves are asked for, as the grid
 * is not known yet. */
static bool are_able(const hyb_resources_t *resources, char *why, size_t size)
{
    return hyb_place_device_able(resources, 1, why, size) &&
           hyb_place_device_able(resources, 2, why, size);
}

hyb_residence_figures_t hyb_rates_measure(const hyb_resources_t *resources)
{
    char why[160] = "another process has no device that can keep columns";
    hyb_residence_figures_t f = {.devices = 0.0};
    int rank;

    if (!resources->offloads)
        return f;
    if (are_able(resources, why, sizeof(why)))
        f = figures_of(resources);
    MPI_Allreduce(MPI_IN_PLACE, &f, sizeof(f) / sizeof(double), MPI_DOUBLE,
                  MPI_MIN, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (f.devices == 0.0 && rank == 0 &&
        strcmp(xh_settings_text("home"), "auto") == 0)
        xh_log_info("home=auto: the matrix lives in host memory: %s", why);
    return f.devices > 0.0 ? f : (hyb_residence_figures_t){.devices = 0.0};
}
