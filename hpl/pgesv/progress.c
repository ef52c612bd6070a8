/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/pgesv/progress.h"

hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n)
{
    return (hpl_progress_t){
        .n = n,
        .started = xh_clock_now(),
        .speaks =
            grid->iam == 0 && strcmp(xh_settings_text("progress"), "on") == 0};
}

void hpl_progress_say(hpl_progress_t *progress, int64_t left)
{
    double n = progress->n, rest = (double)Mmax(left, 0), share, seconds;

    if (!progress->speaks)
        return;
    share = 1.0 - rest * rest * rest / (n * n * n);
    if (share < progress->reported + 0.02)
        return;
    seconds = xh_clock_now() - progress->started;
    progress->reported = share;
    xh_log_info("progress: %5.1f%% done, %d columns left, %.4e Gflops",
                100.0 * share, (int)rest,
                share * (2.0 / 3.0 * n * n * n) / seconds * 1e-9);
}
