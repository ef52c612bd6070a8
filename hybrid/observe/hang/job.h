/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <poll.h>
#include "hpl/pauxil/hang.h"
#include "hybrid/observe/hang/blame.h"
#include "hybrid/observe/hang/connection.h"

/*
 * The job as one of its processes sees it; the files of this folder share it.
 * Only the watching thread uses it.
 */
enum { HYB_HOST_SIZE = sizeof(((hpl_hang_t *)0)->host) };

typedef struct {
    int rank, count;
    char (*host)[HYB_HOST_SIZE]; /* by rank; NULL: there is no other process */
    double patience;             /* s without progress before a report */
    double limit;                /* s before the job is ended; 0: never */
    hyb_rendezvous_t rendezvous; /* no addresses: no connections */
    bool is_same_host;           /* can a loopback address reach process 0? */
    int listener;                /* socket of process 0; negative: none */
    hyb_state_t state;           /* state of this process */
} hyb_hang_job_t;

/* Times in seconds that do not depend on `patience`. */
#define HYB_ANSWER_SECONDS 3.0 /* in which a running process answers */
#define HYB_GRACE_SECONDS 5.0  /* in which a launcher ends a job */

/* Make a frame with the state of this process. */
hyb_frame_t hyb_hang_frame(const hyb_hang_job_t *job, hyb_frame_kind_t kind);

/* Make a frame that says that this process ends the job, and why. */
hyb_frame_t hyb_hang_abort_frame(const hyb_hang_job_t *job, const char *why);

/* ---- the server: process 0 collects the states of all -------------------- */

bool hyb_hang_server_open(const hyb_hang_job_t *job); /* false: no memory */

/* Write the descriptors to poll before each step. Returns their number, at most
 * hyb_hang_server_fds_limit. */
int hyb_hang_server_fds(const hyb_hang_job_t *job, struct pollfd *fds_p);
int hyb_hang_server_fds_limit(const hyb_hang_job_t *job);

/* Receive frames, ask processes and judge, after `fds` were polled. */
void hyb_hang_server_step(const hyb_hang_job_t *job, const struct pollfd *fds,
                          double now);
void hyb_hang_server_close(const hyb_hang_job_t *job);

/* ---- the client: every other process reports to the server --------------- */

void hyb_hang_client_open(void);

/* Write the descriptor to poll before each step. Returns 1, or 0 if there is
 * none. */
int hyb_hang_client_fds(struct pollfd *fds_p);

/* Connect, answer questions and report stalls. */
void hyb_hang_client_step(const hyb_hang_job_t *job, double now);
void hyb_hang_client_close(const hyb_hang_job_t *job);

/* ---- texts --------------------------------------------------------------- */

/* Describe a state: "iteration 7 of 40, in the exchange: ...: it waits for rank
 * 1 on n02: rows, 4096 bytes". */
void hyb_describe_state(const hyb_hang_job_t *job, const hyb_state_t *state,
                        char *text, size_t size);

/* Describe a blame: "no progress for 300 s: all wait for rank 1 on n02, which
 * ...; rank 0 on n01 waits for it: ...". */
void hyb_describe_blame(const hyb_hang_job_t *job,
                        const hyb_process_t *processes,
                        const hyb_blame_t *blame, char *text, size_t size);

/* Log `text` as an error, complete the record, and end the job with exit status
 * 3. */
void hyb_hang_end_job(const char *text) __attribute__((noreturn));
