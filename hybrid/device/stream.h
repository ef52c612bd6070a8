/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_STREAM_H
#define HYB_STREAM_H

#include "hybrid/device/device.h"
#include "hybrid/device/job.h"
#include "hybrid/device/machine.h"
#include "hybrid/device/rate_table.h"

/*
 * One device at work: a thread of its own takes tiles of a job and lets them
 * flow through the device on three queues, copy in, multiply, copy out, with
 * several tiles in flight. A result returns to pinned memory; only then does
 * the thread, with others if it has several cores, write it into C, so C stays
 * whole until a tile is complete and a failed device loses nothing. With direct
 * a result returns into C itself, and a device that fails with tiles in flight
 * loses these. Source: CALDGEMM report, 2.4.4.
 */
typedef struct hyb_stream hyb_stream_t;

typedef struct {
    int executor;         /* its number in the job's owners */
    int slots;            /* tiles in flight, >= 1 */
    bool product_only;    /* C stays; the host adds what returns */
    bool direct;          /* results return into C */
    double stall_seconds; /* least time without a result that is a stall */
    /* As measured, borrowed for the stream's life; NULL, empty or 0: what the
     * device says, or else a guess. */
    const hyb_rate_table_t *rates;
} hyb_stream_options_t;

/*
 * A stream on device, which it owns from then on and closes at the end; it has
 * a thread for each of cpus.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_stream_create(hyb_device_t *device, const int *cpus,
                              int cpu_count,
                              const hyb_stream_options_t *options,
                              hyb_stream_t **stream_p);
void hyb_stream_destroy(hyb_stream_t *stream); /* accepts NULL */

hyb_device_t *hyb_stream_device(const hyb_stream_t *stream);

/* Has the device failed, now or before? It then takes part in nothing. */
bool hyb_stream_failed(const hyb_stream_t *stream);

/* Do results return by way of memory of the host's beside C? */
bool hyb_stream_stages(const hyb_stream_t *stream);

/*
 * Memory for tiles that are cut so, now and not in the first job that has such;
 * the host's is backed and pinned by the stream's thread. A device that has
 * not as much has failed. Waits; there is no job.
 */
void hyb_stream_reserve(hyb_stream_t *stream, const hyb_tiling_t *tiling);

/*
 * Let the stream take tiles of job until all are complete, or the job ends;
 * returns at once.
 */
void hyb_stream_begin(hyb_stream_t *stream, hyb_job_t *job);

/*
 * Wait until the stream has left the job, and say what it did. What it could
 * not complete is given back to the job.
 */
void hyb_stream_finish(hyb_stream_t *stream, hyb_work_t *work_p);

#endif
