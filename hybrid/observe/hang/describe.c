/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "hybrid/observe/hang/job.h"

static const char *host_of(const hyb_hang_job_t *job, int rank)
{
    return rank >= 0 && rank < job->count ? job->host[rank] : "an unknown host";
}

/* Name the ranks of a wait: "rank 1 on n02", "others of ranks 0 to 3". */
static void describe_ranks(const hyb_hang_job_t *job, const hyb_state_wait_t *w,
                           char *text, size_t size)
{
    int last = w->first + (w->count - 1) * w->stride;

    if (w->count == 1)
        snprintf(text, size, "rank %d on %s", w->first, host_of(job, w->first));
    else if (w->count == 0)
        snprintf(text, size, "another process");
    else if (w->stride == 1)
        snprintf(text, size, "others of ranks %d to %d", w->first, last);
    else
        snprintf(text, size, "others of ranks %d, %d, ... %d", w->first,
                 w->first + w->stride, last);
}

void hyb_describe_state(const hyb_hang_job_t *job, const hyb_state_t *state,
                        char *text, size_t size)
{
    char ranks[128], what[128];

    if (state->wait_count == 0) {
        snprintf(text, size, "%.*s", HYB_POSITION_SIZE, state->position);
        return;
    }
    describe_ranks(job, &state->waits[0], ranks, sizeof(ranks));
    hyb_state_wait_text(&state->waits[0], what, sizeof(what));
    snprintf(text, size, "%.*s: it waits for %s: %s", HYB_POSITION_SIZE,
             state->position, ranks, what);
}

static const char *const faults[] = {
    [HYB_FAULT_NONE] = "",
    [HYB_FAULT_CYCLE] = ("also waits: a message between the two processes, or "
                         "their connection, is lost"),
    [HYB_FAULT_UNKNOWN] = "cannot be asked",
    [HYB_FAULT_STALLED] = "waits for no process and makes no progress",
    [HYB_FAULT_STOPPED] = "does not answer while its host does: it is stopped",
    [HYB_FAULT_HOST_DOWN] =
        "does not answer, nor does its host: that is down or cut off",
    [HYB_FAULT_ENDED] = "has ended, as its connection says",
};

/* Describe what the blamed process does, or how a process waits for it. */
static void describe_evidence(const hyb_hang_job_t *job,
                              const hyb_process_t *processes,
                              const hyb_blame_t *blame, char *text, size_t size)
{
    char what[128];
    const hyb_state_t *state;

    if (blame->fault == HYB_FAULT_STALLED) {
        snprintf(text, size, "; it is %.*s", HYB_POSITION_SIZE,
                 processes[blame->rank].state.position);
    } else if (blame->waiter >= 0) {
        state = &processes[blame->waiter].state;
        hyb_state_wait_text(&state->waits[blame->wait], what, sizeof(what));
        snprintf(text, size, "; rank %d on %s waits for it: %s, %.*s",
                 blame->waiter, host_of(job, blame->waiter), what,
                 HYB_POSITION_SIZE, state->position);
    }
}

void hyb_describe_blame(const hyb_hang_job_t *job,
                        const hyb_process_t *processes,
                        const hyb_blame_t *blame, char *text, size_t size)
{
    char name[128] = "others of a group", evidence[384] = "", more[64] = "";

    if (blame->rank >= 0)
        snprintf(name, sizeof(name), "rank %d on %s", blame->rank,
                 host_of(job, blame->rank));
    if (blame->same_fault > 0 && blame->fault != HYB_FAULT_CYCLE)
        snprintf(more, sizeof(more), " (and %d more like it)",
                 blame->same_fault);
    describe_evidence(job, processes, blame, evidence, sizeof(evidence));
    snprintf(text, size,
             "no progress for %.0f s: all wait for %s, which %s%s%s",
             blame->stall, name, faults[blame->fault], more, evidence);
}
