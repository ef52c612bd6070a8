/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"

enum { XHPL_PROCESSES_MOST = 1 << 20 };

/* The options that limit a plan. */
typedef enum {
    XHPL_TIME,   /* "90", "90s", "10m", "2h" */
    XHPL_MEMORY, /* "80%", "500M", "12G", "1T" */
    XHPL_NODES,  /* whole numbers */
    XHPL_RANKS_PER_NODE,
    XHPL_HELP /* no limit: another option with an argument of its own */
} xhpl_limit_t;

/* The limits of a plan. */
typedef struct {
    double seconds; /* of the timed phase; 0: no limit */
    double
        memory_share; /* of a node's available memory, 0 to 1; unused if ... */
    double memory_bytes; /* ... this is not 0: bytes on each node */
    int nodes;           /* of the job; 0: as started */
    int ranks_per_node;  /* per node; 0: as started */
} xhpl_plan_options_t;

/*
 * Read the argument of the option for limit.
 * Errors: XH_ERR_INPUT  text is invalid: reported with what is allowed and the
 *                       nearest valid value; options is unchanged
 */
xh_status_t xhpl_plan_option_read(xhpl_limit_t limit, const char *text,
                                  xhpl_plan_options_t *options);

typedef struct { /* the size of a job */
    int nodes;
    int ranks_per_node; /* on the node with the most */
    int64_t processes;  /* may exceed XHPL_PROCESSES_MOST */
} xhpl_extent_t;

/* Return the size of the planned job: as started, changed by options. */
xhpl_extent_t xhpl_plan_option_extent(const xhpl_plan_options_t *options,
                                      const xhpl_extent_t *started);
