/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/notices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"

/* "no device", or "devices cuda:0, cuda:1" as the setting would have them. */
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

void hyb_notices_solver(const hyb_means_t *means, const char *cores,
                        int processes)
{
    int threads = hyb_team_size(hyb_machine_team(means->machine));
    char devices[256], others[64] = "";

    name_devices(means->machine, devices, sizeof(devices));
    if (processes > 1)
        snprintf(others, sizeof(others), "%d processes, the first with ",
                 processes);
    xh_log_info("solver: hybrid, %s%d thread%s on core%s %s, kernel %s%s, %s",
                others, threads, threads == 1 ? "" : "s",
                strpbrk(cores, ",-") == NULL ? "" : "s", cores,
                means->kernel->name,
                means->by_blas ? ", updates by the BLAS library" : "", devices);
}

/* "6.8", or "-". */
static const char *number(double value, char text[16])
{
    snprintf(text, 16, isnan(value) ? "-" : "%.3g", value);
    return text;
}

enum { NO_BLOCKS = -1 };

static void say_row(const char *where, int64_t blocks, double seconds,
                    const char *what)
{
    char count[24] = "-", text[16];

    if (blocks != NO_BLOCKS)
        snprintf(count, sizeof(count), "%lld", (long long)blocks);
    xh_log_info("plan: %-10s %8s %10s  %s", where, count, number(seconds, text),
                what);
}

/* Columns that live on the host may have a part in the devices' tiles. */
static void say_host(const hpl_plan_t *plan)
{
    char text[64], share[16], tile[16] = "chosen";

    if (plan->tile > 0)
        snprintf(tile, sizeof(tile), "%d", plan->tile);
    snprintf(text, sizeof(text), "columns; devices' share %s, tiles %s",
             number(plan->share, share), tile);
    say_row("host", plan->host, plan->update_host,
            plan->host > 0 ? text : "columns");
}

void hyb_notices_plan(const hyb_means_t *means, const hpl_shape_t *shape,
                      const hpl_plan_t *plan)
{
    char text[64], where[32];
    int64_t all = plan->host;
    hyb_device_info_t info = {.index = 0};

    xh_log_info("plan: N = %d, NB = %d, %d x %d, home=%s", shape->n, shape->nb,
                shape->nprow, shape->npcol, plan->home);
    xh_log_info("plan: %-10s %8s %10s", "where", "blocks", "seconds");
    say_row("panels", NO_BLOCKS, plan->panel,
            plan->by_device ? "by devices" : "by the host");
    say_host(plan);
    for (int d = 0; d < plan->devices; d++) {
        hyb_device_describe(hyb_machine_device(means->machine, d), &info);
        snprintf(where, sizeof(where), "%s:%d", info.backend, info.index);
        say_row(where, plan->device[d], plan->update_devices, "columns");
        all += plan->device[d];
    }
    say_row("links", NO_BLOCKS, plan->link, "panels");
    snprintf(text, sizeof(text), "%s with all on the host",
             number(plan->all_on_host, where));
    say_row("in all", all, plan->total, text);
}

bool hyb_notices_depth(const HPL_T_palg *algo)
{
    if (algo->depth <= 2 || strcmp(xh_settings_text("lookahead"), "auto") != 0)
        return false;
    xh_log_info("DEPTH %d, as all above 2, works as 2 here", algo->depth);
    return true;
}

bool hyb_notices_forms(const HPL_T_palg *algo)
{
    if (algo->upfun != HPL_pdupdateNN && algo->upfun != HPL_pdupdateNT &&
        algo->upfun != HPL_pdupdateTN)
        return false;
    xh_log_info("L1 and U are kept in this solver's own form, whatever lines "
                "28 and 29 of HPL.dat say");
    return true;
}
