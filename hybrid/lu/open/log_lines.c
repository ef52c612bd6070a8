/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/open/log_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"
#include "base/settings.h"
#include "hpl.h"
#include "hybrid/lu/state/resources.h"

/* Write "no device", or "devices cuda:0, cuda:1" as in the setting. */
static void name_devices(const hyb_machine_t *node, char *text, size_t size)
{
    static const char *const words[] = {"no device", "device", "devices"};
    int count = hyb_machine_devices(node);
    size_t used = (size_t)snprintf(text, size, "%s", words[Mmin(count, 2)]);
    hyb_device_info_t info;

    for (int i = 0; i < count && used < size; i++)
        if (hyb_device_describe(hyb_machine_device(node, i), &info) == XH_OK)
            used +=
                (size_t)snprintf(text + used, size - used, "%s %s:%d",
                                 i > 0 ? "," : "", info.backend, info.index);
}

void hyb_log_solver(const hyb_resources_t *resources, const char *cores,
                    int processes)
{
    int threads = hyb_team_size(hyb_machine_team(resources->machine));
    char devices[256], others[64] = "";

    name_devices(resources->machine, devices, sizeof(devices));
    if (processes > 1)
        snprintf(others, sizeof(others), "%d processes, the first with ",
                 processes);
    xh_log_info(
        "solver: hybrid, %s%d thread%s on core%s %s, kernel %s%s, %s", others,
        threads, threads == 1 ? "" : "s",
        strpbrk(cores, ",-") == NULL ? "" : "s", cores, resources->kernel->name,
        resources->by_blas ? ", updates by the BLAS library" : "", devices);
}

/* Log a row of the plan, unless both of its numbers are unknown. */
static void log_row(const char *where, int64_t blocks, double seconds)
{
    char count[24];

    if (blocks < 0 && isnan(seconds))
        return;
    snprintf(count, sizeof(count), "%lld", (long long)blocks);
    xh_log_info("homes: %-16s %8s %10s", where, blocks < 0 ? "-" : count,
                isnan(seconds) ? "-" : xh_text_plain(seconds, 3).text);
}

void hyb_log_plan(const hpl_shape_t *shape, const hpl_plan_t *plan)
{
    xh_log_info("homes: N = %d, NB = %d, %d x %d, home=%s, panel=%s", shape->n,
                shape->nb, shape->nprow, shape->npcol, plan->home, plan->panel);
    xh_log_info("homes: %-16s %8s %10s", "where", "blocks", "seconds");
    for (int i = 0; i < plan->rows; i++)
        log_row(plan->row[i].where, plan->row[i].blocks, plan->row[i].seconds);
    if (!isnan(plan->share))
        xh_log_info("homes: devices' share of the host's columns %.3g",
                    plan->share);
}

bool hyb_log_depth(const HPL_T_palg *algo)
{
    if (algo->depth <= 2 || strcmp(xh_settings_text("lookahead"), "auto") != 0)
        return false;
    xh_log_info("DEPTH %d works like DEPTH 2, as all values above 2 do",
                algo->depth);
    return true;
}

bool hyb_log_forms(const HPL_T_palg *algo)
{
    if (algo->upfun != HPL_pdupdateNN && algo->upfun != HPL_pdupdateNT &&
        algo->upfun != HPL_pdupdateTN)
        return false;
    xh_log_info("this solver stores L1 and U in its own form and ignores lines "
                "28 and 29 of HPL.dat");
    return true;
}
