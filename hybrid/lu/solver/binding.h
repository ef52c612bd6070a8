/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_BINDING_H
#define HYB_BINDING_H

#include <stdbool.h>
#include "base/pin.h"
#include "hybrid/lu/solver/neighbours.h"

/* The cores that this process has of its node: the setting bind. */
typedef struct {
    char *cores;          /* a text list, a processor a core */
    bool moved;           /* by bind=node */
    xh_affinity_t before; /* where the launcher had put this thread */
} hyb_binding_t;

/*
 * With bind=node the processes of the node share all that the system allows,
 * whatever the launcher's masks say: neighbours' masks become that, and the
 * calling thread may run on its share. With bind=mask the masks are law, and
 * one process of the node warns where they leave cores unused, naming the
 * options that mend it: if a number of threads was asked for, only where these
 * are more than the cores that are left.
 *
 * threads  in  of each process, as asked for; 0: as there are cores
 * Order:  before anything starts threads; after hyb_neighbours_find.
 * Errors: XH_ERR_ARG     my mask holds no processor of this machine
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_binding_open(hyb_neighbours_t *neighbours, int threads,
                             hyb_binding_t *binding_p);

/* Let the calling thread run where it did before open. */
void hyb_binding_close(hyb_binding_t *binding);

#endif
