/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/pieces.h"

/*
 * The broadcast of a panel's message. The rank after root, which factors next,
 * receives it first, except in plain blong, where all ranks end together.
 *
 * - ring (1ring, 2ring): each rank passes the whole message on, piece by piece
 * if it is long; two rings halve the way to the last rank - long (blong):
 * spread and roll: every process sends about twice the message
 *   in all, however many processes there are
 * - M (modified): the rank after root passes nothing on, as it is busy
 *
 * Root sends the message at most three times (rings) or twice (long; three
 * times with M).
 */
typedef struct {
    int rings;     /* number of rings; 0: spread and roll */
    bool modified; /* the rank after root gets a message of its own */
} topology_t;

/* The topologies HPL_1RING, HPL_1RING_M, ... HPL_BLONG_M, in order. */
static const topology_t topologies[] = {{1, false}, {1, true},  {2, false},
                                        {2, true},  {0, false}, {0, true}};

/* My rank relative to root. */
static int relative(const HPL_T_panel *panel)
{
    int nprocs = panel->grid->npcol;

    return (panel->grid->mycol - panel->pcol + nprocs) % nprocs;
}

/* Send or receive the message's doubles from .. to - 1, with relative rank r.
 */
static void part(const HPL_T_panel *panel, hpl_schedule_t *schedule,
                 hpl_schedule_add_t *add, size_t from, size_t to, int r)
{
    add(schedule, panel->WORK + from, to - from,
        (panel->pcol + r) % panel->grid->npcol);
}

static void whole(const HPL_T_panel *panel, hpl_schedule_add_t *add, int r)
{
    part(panel, panel->bcast, add, 0, panel->length, r);
}

/* Does relative rank r receive from root itself? Other ranks receive from r -
 * 1. */
static bool starts_ring(topology_t t, int r, int nprocs)
{
    int first = t.modified ? 2 : 1; /* first rank of the first ring */
    int second = first + (nprocs - first + 1) / 2;

    return r == 1 || r == first || (t.rings == 2 && r == second);
}

static void plan_piece(const HPL_T_panel *panel, topology_t t,
                       hpl_schedule_t *s, size_t from, size_t to)
{
    int parent, r = relative(panel), nprocs = panel->grid->npcol;

    for (int child = 1; child < nprocs; child++) {
        parent = starts_ring(t, child, nprocs) ? 0 : child - 1;
        if (r == child) {
            part(panel, s, hpl_schedule_receive, from, to, parent);
            hpl_schedule_next_round(s);
        }
        if (r == parent)
            part(panel, s, hpl_schedule_send, from, to, child);
    }
}

/*
 * Root sends all pieces to the rank that factors next, then a few at a time to
 * each ring. Sent all at once, they would share the link, and all would arrive
 * late.
 */
static void plan_root(const HPL_T_panel *panel, topology_t t, size_t pieces)
{
    const size_t length = panel->length;
    hpl_schedule_t *s = panel->bcast;
    int nprocs = panel->grid->npcol;

    for (size_t i = 0; i < pieces && t.modified; i++)
        part(panel, s, hpl_schedule_send, length * i / pieces,
             length * (i + 1) / pieces, 1);
    for (size_t i = 0; i < pieces; i++) {
        if (i % HPL_PIECES_TOGETHER == 0)
            hpl_schedule_next_round(s);
        for (int child = t.modified ? 2 : 1; child < nprocs; child++)
            if (starts_ring(t, child, nprocs))
                part(panel, s, hpl_schedule_send, length * i / pieces,
                     length * (i + 1) / pieces, child);
    }
}

static void plan_rings(const HPL_T_panel *panel, topology_t t)
{
    const bool nobody_passes_on = panel->grid->npcol == 2;
    const size_t length = panel->length;
    const size_t pieces = nobody_passes_on ? 1 : hpl_message_pieces(length);
    hpl_schedule_t *s = panel->bcast;

    if (relative(panel) == 0) {
        plan_root(panel, t, pieces);
        return;
    }
    for (size_t i = 0; i < pieces; i++) {
        if (i > 0)
            s = hpl_schedule_beside(s);
        plan_piece(panel, t, s, length * i / pieces, length * (i + 1) / pieces);
    }
}

static void plan_long(const HPL_T_panel *panel, topology_t t)
{
    int r = relative(panel), skip = t.modified, nprocs = panel->grid->npcol;
    int members = nprocs - skip;
    size_t *offset = malloc((size_t)(members + 1) * sizeof(*offset));
    hpl_pieces_t pieces = {.data = panel->WORK,
                           .offset = offset,
                           .members = members,
                           .me = r > 0 ? r - skip : 0,
                           .root = panel->pcol,
                           .skip = skip,
                           .nprocs = nprocs};

    if (offset == NULL)
        HPL_pabort(__LINE__, "HPL_binit", "out of memory");
    hpl_pieces_even(offset, members, panel->length);
    if (skip && r == 0)
        whole(panel, hpl_schedule_send, 1);
    if (skip && r == 1) {
        whole(panel, hpl_schedule_receive, 0);
    } else {
        hpl_pieces_spread(panel->bcast, &pieces);
        hpl_pieces_roll(panel->bcast, &pieces, HPL_FIRST_HAS_ALL);
    }
    free(offset);
}

/* ---- upstream's interface ------------------------------------------------ */

static int begin(HPL_T_panel *panel, HPL_T_TOP topology)
{
    topology_t t = topologies[topology - HPL_1RING];

    if (panel->grid->npcol == 1 || panel->bcast != NULL)
        return HPL_SUCCESS;
    panel->bcast = hpl_schedule_create(panel->grid->bcast_comm, panel->msgid);
    if (t.rings > 0)
        plan_rings(panel, t);
    else
        plan_long(panel, t);
    hpl_schedule_begin(panel->bcast);
    return HPL_SUCCESS;
}

int HPL_binit(HPL_T_panel *PANEL)
{
    return begin(PANEL, PANEL->algo->btopo);
}

int HPL_bcast(HPL_T_panel *PANEL, int *IFLAG)
{
    bool done = PANEL->bcast == NULL || hpl_schedule_poll(PANEL->bcast);

    *IFLAG = done ? HPL_SUCCESS : HPL_KEEP_TESTING;
    return *IFLAG;
}

int HPL_bwait(HPL_T_panel *PANEL)
{
    hpl_schedule_end(PANEL->bcast);
    PANEL->bcast = NULL;
    return HPL_SUCCESS;
}

#define TOPOLOGY(name, topology)                                               \
    int HPL_binit_##name(HPL_T_panel *PANEL)                                   \
    {                                                                          \
        return begin(PANEL, topology);                                         \
    }                                                                          \
    int HPL_bcast_##name(HPL_T_panel *PANEL, int *IFLAG)                       \
    {                                                                          \
        return HPL_bcast(PANEL, IFLAG);                                        \
    }                                                                          \
    int HPL_bwait_##name(HPL_T_panel *PANEL)                                   \
    {                                                                          \
        return HPL_bwait(PANEL);                                               \
    }

TOPOLOGY(1ring, HPL_1RING)
TOPOLOGY(1rinM, HPL_1RING_M)
TOPOLOGY(2ring, HPL_2RING)
TOPOLOGY(2rinM, HPL_2RING_M)
TOPOLOGY(blong, HPL_BLONG)
TOPOLOGY(blonM, HPL_BLONG_M)
