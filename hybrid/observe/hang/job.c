/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/job.h"

#include <stdio.h>
#include "base/log.h"
#include "hpl/pauxil/abort.h"

hyb_frame_t hyb_hang_frame(const hyb_hang_job_t *job, hyb_frame_kind_t kind)
{
    return (hyb_frame_t){.kind = kind, .rank = job->rank, .state = job->state};
}

hyb_frame_t hyb_hang_abort_frame(const hyb_hang_job_t *job, const char *why)
{
    hyb_frame_t frame = hyb_hang_frame(job, HYB_FRAME_ABORT);

    snprintf(frame.state.position, HYB_POSITION_SIZE, "%.*s",
             HYB_POSITION_SIZE - 1, why);
    return frame;
}

void hyb_hang_end_job(const char *text)
{
    xh_log_error("%s", text);
    hpl_abort_job();
}
