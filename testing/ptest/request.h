/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_REQUEST_H
#define XHPL_REQUEST_H

#include <stdint.h>
#include "base/status.h"

enum { XHPL_PROCESSES_MOST = 1 << 20 };

/* What --plan is to fit to. */
typedef struct {
    double seconds;      /* that the timed phase may take, 0: as it comes */
    double memory_share; /* of what is available on a node, 0 to 1, or ... */
    double memory_bytes; /* ... of each node, if not 0 */
    int nodes;           /* of the job, 0: those that there are */
    int ranks_per_node;  /* likewise */
} xhpl_request_t;

/* Each as its option's value, NULL where that was not given. */
typedef struct {
    const char *time, *memory, *nodes, *ranks_per_node;
} xhpl_request_words_t;

/*
 * Understand "90", "90s", "10m", "2h"; "80%", "500M", "12G", "1T"; numbers.
 * Errors: XH_ERR_INPUT  a value that is none of these: said, with what is
 *                       allowed, and what is nearest to it
 */
xh_status_t xhpl_request_read(const xhpl_request_words_t *words,
                              xhpl_request_t *request_p);

typedef struct { /* how large a job is */
    int nodes;
    int ranks_per_node; /* of the node that has most */
    int64_t processes;  /* may be more than XHPL_PROCESSES_MOST */
} xhpl_extent_t;

/* The job that a plan is for: as it was started, but for what request says. */
xhpl_extent_t xhpl_request_extent(const xhpl_request_t *request,
                                  const xhpl_extent_t *started);

#endif
