/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/process_rate.h"

#include <mpi.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl/grid/agree.h"
#include "hybrid/plan/host_parts.h"

enum { ROWS = 2048 };

/* Update after update, until time is over. */
static double update_rate(hyb_host_update_t *x, double seconds)
{
    double flop = 2.0 * (double)x->m * (double)x->n * (double)x->k;
    double begun, spent;
    int runs = 0;

    hyb_host_update_run(x);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = xh_clock_now();
    do {
        hyb_host_update_run(x);
        runs++;
        spent = xh_clock_now() - begun;
    } while (spent < seconds);
    return runs * flop / spent;
}

static xh_status_t measure_threads(const hyb_means_t *means, int nb,
                                   double seconds, double *rate_p)
{
    int64_t chunk = hyb_means_run_columns(means, nb);
    hyb_host_update_t x = {.m = ROWS,
                           .n = chunk * hyb_team_size(means->team),
                           .k = nb,
                           .chunk = chunk,
                           .parts = HYB_PART_SWAP | HYB_PART_SOLVE |
                                    HYB_PART_MULTIPLY};
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD, hyb_host_update_open(&x, means->kernel, means->team));

    if (status == XH_OK)
        *rate_p = update_rate(&x, seconds);
    hyb_host_update_close(&x);
    return status;
}

static xh_status_t add_devices(const hyb_means_t *means, int nb, double *rate_p)
{
    for (int i = 0; i < hyb_machine_devices(means->machine); i++) {
        double rate = hyb_machine_rate(means->machine, i, nb);

        if (rate <= 0.0) {
            xh_log_error("weights=measure: the rate of device %d of this "
                         "process is unknown: give a file of rates",
                         i);
            return XH_ERR_INPUT;
        }
        *rate_p += rate;
    }
    return XH_OK;
}

xh_status_t hyb_process_rate(const hyb_means_t *means, int nb, double seconds,
                             double *rate_p)
{
    double rate = 0.0;

    XH_TRY(measure_threads(means, nb, seconds, &rate));
    if (hyb_home_may_be_device((hyb_home_t)xh_settings_int("home"),
                               &means->figures))
        rate = 0.0; /* devices have all columns */
    XH_TRY(hpl_agree(MPI_COMM_WORLD, add_devices(means, nb, &rate)));
    *rate_p = rate;
    return XH_OK;
}
