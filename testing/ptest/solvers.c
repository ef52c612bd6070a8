/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/solvers.h"

#ifdef XH_HYBRID

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/observe/hang/hang.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/ptest/processes.h"

/* Warn of settings of the other solver, if any are set. */
static void warn_of_ignored(void)
{
    static const char *const folders[] = {"hybrid/lu", "hybrid/cpu",
                                          "hybrid/device"};
    char list[1024] = "";

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        xh_settings_list_changed(folders[i], list, sizeof(list));
    if (list[0] != '\0' && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_warning("solver=reference ignores %s", list);
}

/* The reference solver has no watchdog of its own; this phase lasts while it is
 * open. */
static hyb_phase_t reference;

xh_status_t xhpl_solver_open(bool funneled)
{
    bool is_reference = strcmp(xh_settings_text("solver"), "reference") == 0;
    hyb_phase_t opening;
    xh_status_t status;

    if (is_reference)
        warn_of_ignored();
    hyb_phase_begin(&opening, "opening the solver: its BLAS, kernels, devices");
    status = hyb_solver_open(funneled);
    hyb_phase_end(&opening);
    if (is_reference && status == XH_OK)
        hyb_phase_begin(&reference, "computing with solver=reference");
    return status;
}

void xhpl_solver_close(void)
{
    hyb_phase_end(&reference);
    hyb_solver_close();
}

bool xhpl_solver_delete_checkpoints(void)
{
    return hyb_solver_results_kept();
}

static hyb_phase_t start;

void xhpl_start_watch_begin(int rank, const char *host, bool funneled)
{
    static char text[128];
    const char *set = getenv("XHPL_WATCHDOG");
    double patience =
        set != NULL ? strtod(set, NULL) : xh_settings_real("watchdog");
    /* process 0 reports an invalid variable */
    bool watches = funneled && patience > 0.0 && patience < 1e6;

    snprintf(text, sizeof(text),
             "starting: rank %d on %.64s waits for other processes", rank,
             host);
    hyb_phase_begin(&start, text);
    hyb_hang_open_alone(rank, watches ? patience : 0.0);
}

void xhpl_start_watch_end(void)
{
    hyb_hang_close();
    hyb_phase_end(&start);
}

void xhpl_hang_watch_begin(void)
{
    hyb_hang_open();
}

void xhpl_hang_watch_end(void)
{
    hyb_hang_close();
}

#else

#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "testing/planner/planner.h"
#include "testing/ptest/processes.h"

xh_status_t xhpl_solver_open(bool funneled)
{
    char list[1024] = "";

    (void)funneled;
    xh_settings_list_changed("hybrid/", list, sizeof(list));
    if (list[0] != '\0' && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_warning("this program was built with HYBRID=no and ignores %s",
                       list);
    if (!xh_settings_changed("solver") ||
        strcmp(xh_settings_text("solver"), "reference") == 0)
        return XH_OK;
    xh_log_error("solver=%s: this program was built with HYBRID=no",
                 xh_settings_text("solver"));
    return XH_ERR_INPUT;
}

void xhpl_solver_close(void)
{
}

bool xhpl_solver_delete_checkpoints(void)
{
    return false;
}

void xhpl_start_watch_begin(int rank, const char *host, bool funneled)
{
    (void)rank, (void)host, (void)funneled;
}

void xhpl_start_watch_end(void)
{
}

void xhpl_hang_watch_begin(void)
{
}

void xhpl_hang_watch_end(void)
{
}

static xh_status_t refuse(const char *what)
{
    if (xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("%s: this program was built with HYBRID=no and lacks the "
                     "solver that %s measures",
                     what, what);
    return XH_ERR_INPUT;
}

int xhpl_planner_answer(const xhpl_command_t *command)
{
    refuse(command->ask == XHPL_ASK_PLAN ? "--plan" : "--predict");
    return XH_EXIT_INPUT;
}

xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  const xhpl_weights_t *weights,
                                  xhpl_forecast_t *forecast_p)
{
    (void)parameters, (void)weights;
    *forecast_p = (xhpl_forecast_t){0};
    return strcmp(xh_settings_text("predict"), "off") == 0
               ? XH_OK
               : refuse("predict=on");
}

xh_status_t xhpl_planner_rate(const xhpl_list_t *nb, double *rate_p)
{
    (void)nb, (void)rate_p;
    return refuse("weights=measure");
}

#endif
