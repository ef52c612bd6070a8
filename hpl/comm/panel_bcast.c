/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/broadcast.h"

/* The panel broadcast of upstream's interface, as begin, poll and end. */

static int begin(HPL_T_panel *panel, HPL_T_TOP topology)
{
    const HPL_T_grid *grid = panel->grid;
    hpl_broadcast_t b = {.data = panel->WORK,
                         .count = panel->length,
                         .root = panel->pcol,
                         .me = grid->mycol,
                         .nprocs = grid->npcol};

    if (grid->npcol == 1 || panel->bcast != NULL)
        return HPL_SUCCESS;
    panel->bcast = hpl_schedule_create(grid->bcast_comm, panel->msgid);
    hpl_broadcast_plan(panel->bcast, &b, topology);
    hpl_schedule_begin(panel->bcast);
    return HPL_SUCCESS;
}

static int poll(HPL_T_panel *panel, int *state_p)
{
    bool done = panel->bcast == NULL || hpl_schedule_poll(panel->bcast);

    *state_p = done ? HPL_SUCCESS : HPL_KEEP_TESTING;
    return *state_p;
}

static int end(HPL_T_panel *panel)
{
    if (panel->bcast != NULL)
        hpl_schedule_end(panel->bcast);
    hpl_schedule_destroy(panel->bcast);
    panel->bcast = NULL;
    return HPL_SUCCESS;
}

int HPL_binit(HPL_T_panel *PANEL)
{
    return begin(PANEL, PANEL->algo->btopo);
}

int HPL_bcast(HPL_T_panel *PANEL, int *IFLAG)
{
    return poll(PANEL, IFLAG);
}

int HPL_bwait(HPL_T_panel *PANEL)
{
    return end(PANEL);
}

#define TOPOLOGY(name, topology)                                               \
    int HPL_binit_##name(HPL_T_panel *PANEL)                                   \
    {                                                                          \
        return begin(PANEL, topology);                                         \
    }                                                                          \
    int HPL_bcast_##name(HPL_T_panel *PANEL, int *IFLAG)                       \
    {                                                                          \
        return poll(PANEL, IFLAG);                                             \
    }                                                                          \
    int HPL_bwait_##name(HPL_T_panel *PANEL)                                   \
    {                                                                          \
        return end(PANEL);                                                     \
    }

TOPOLOGY(1ring, HPL_1RING)
TOPOLOGY(1rinM, HPL_1RING_M)
TOPOLOGY(2ring, HPL_2RING)
TOPOLOGY(2rinM, HPL_2RING_M)
TOPOLOGY(blong, HPL_BLONG)
TOPOLOGY(blonM, HPL_BLONG_M)
