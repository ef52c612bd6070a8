/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_REQUEST_H
#define XHPL_REQUEST_H

#include <stdint.h>
#include "base/status.h"

enum { XHPL_PROCESSES_MOST = 1 << 20 };

/* the limits of a plan */
typedef struct {
    double seconds;      /* of the timed phase, 0: no limit */
    double memory_share; /* of a node's available memory, 0 to 1, or ... */
    double memory_bytes; /* ... of each node, if not 0 */
    int nodes;           /* of the job, 0: as started */
    int ranks_per_node;  /* likewise */
} xhpl_request_t;

/* the values of the options, NULL: not given */
typedef struct {
    const char *time, *memory, *nodes, *ranks_per_node;
} xhpl_request_words_t;

/*
 * Read "90", "90s", "10m", "2h"; "80%", "500M", "12G", "1T"; numbers.
 * Errors: XH_ERR_INPUT  none of these: reported with what is allowed and the
 *                       nearest valid value
 */
xh_status_t xhpl_request_read(const xhpl_request_words_t *words,
                              xhpl_request_t *request_p);

typedef struct { /* the size of a job */
    int nodes;
    int ranks_per_node; /* of the node with the most */
    int64_t processes;  /* may be more than XHPL_PROCESSES_MOST */
} xhpl_extent_t;

/* The job that a plan is for: as started, with the changes of request. */
xhpl_extent_t xhpl_request_extent(const xhpl_request_t *request,
                                  const xhpl_extent_t *started);

#endif
