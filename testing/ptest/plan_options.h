/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"

enum { XHPL_PROCESSES_MOST = 1 << 20 };

/* the options that limit a plan */
typedef enum {
    XHPL_TIME,   /* "90", "90s", "10m", "2h" */
    XHPL_MEMORY, /* "80%", "500M", "12G", "1T" */
    XHPL_NODES,  /* whole numbers */
    XHPL_RANKS_PER_NODE,
    XHPL_HELP /* no limit: another option with an argument of its own */
} xhpl_limit_t;

/* what they ask for */
typedef struct {
    double seconds;      /* of the timed phase, 0: no limit */
    double memory_share; /* of a node's available memory, 0 to 1, or ... */
    double memory_bytes; /* ... of each node, if not 0 */
    int nodes;           /* of the job, 0: as started */
    int ranks_per_node;  /* likewise */
} xhpl_plan_options_t;

/*
 * Read the argument of the option of limit.
 * Errors: XH_ERR_INPUT  it is not allowed: reported with what is, and with the
 *                       nearest valid value; options stays
 */
xh_status_t xhpl_plan_option_read(xhpl_limit_t limit, const char *text,
                                  xhpl_plan_options_t *options);

typedef struct { /* the size of a job */
    int nodes;
    int ranks_per_node; /* of the node with the most */
    int64_t processes;  /* may be more than XHPL_PROCESSES_MOST */
} xhpl_extent_t;

/* The job that a plan is for: as started, with the changes of options. */
xhpl_extent_t xhpl_plan_option_extent(const xhpl_plan_options_t *options,
                                      const xhpl_extent_t *started);
