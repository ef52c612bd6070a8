/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/overheads.h"

#include <stdbool.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/solver/solver.h"

/*
 * Bytes that the online check reads from memory on a process, on cores: each
 * trailing column once in `every` iterations; L of each panel; U twice, then
 * and once at the end; and the rows sent and received if P > 1.
 */
static double check_bytes(const hpl_shape_t *test, int every)
{
    double n = test->n, rows = n / test->nprow, columns = n / test->npcol;
    double compared = n * rows * columns / (3.0 * test->nb * every);
    double l = n * rows / 2.0, u = n * columns, again = rows * columns / 2.0;
    double moved = test->nprow > 1 ? 2.0 * u : 0.0;

    return sizeof(double) * (compared + l + u + again + moved);
}

/* The most bytes that a process writes for one checkpoint. */
static double checkpoint_bytes(const hpl_shape_t *test)
{
    return sizeof(double) * (double)test->n / test->nprow * test->n /
           test->npcol;
}

static void report_check(const hyb_model_rates_t *rates,
                         const xhpl_choice_t *choice)
{
    const hpl_shape_t *test = &choice->test;
    int every = (int)xh_settings_int("verify_every");
    double seconds = check_bytes(test, every) / rates->sweep;

    if (hyb_check_columns_wanted(hyb_solver_resources(), test->n, test->nprow))
        xh_log_info("the online check will take about %s, %.2g%% of the time "
                    "of the best choice (an estimate for cores); --set "
                    "verify=end turns it off",
                    xh_text_seconds(seconds).text,
                    100.0 * seconds / choice->seconds);
}

static void report_checkpoint(const xhpl_choice_t *choice)
{
    static const double rate = 1e9; /* bytes/s of a disk */
    double every = hyb_checkpoint_every();
    double bytes = checkpoint_bytes(&choice->test);
    bool is_off = xh_settings_text("checkpoint")[0] == '\0';

    if (is_off && choice->seconds <= every)
        xh_log_info(
            "no checkpoint would be written: the best choice takes no longer "
            "than the time between two checkpoints, %s (--every)",
            xh_text_seconds(every).text);
    else if (every > 0.0)
        xh_log_info(
            "%s at most %.2f GiB per process: the run pauses for %s at "
            "%.3g GB/s, every %s (%.2g%% of the time)",
            is_off
                ? "checkpoints are off; with --checkpoint DIR each would have"
                : "each checkpoint has",
            bytes / 0x1p30, xh_text_seconds(bytes / rate).text, rate * 1e-9,
            xh_text_seconds(every).text, 100.0 * bytes / rate / every);
}

void xhpl_overheads_report(const hyb_model_rates_t *rates,
                           const xhpl_choice_t *choice)
{
    if (rates->sweep > 0.0 && choice->seconds > 0.0)
        report_check(rates, choice);
    report_checkpoint(choice);
}
