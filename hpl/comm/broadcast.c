/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/broadcast.h"
#include "hpl/comm/pieces.h"

typedef struct {
    int rings;     /* rings the vector runs along; 0: spread and roll */
    bool modified; /* the rank after root has a message of its own */
} topology_t;

static topology_t properties(HPL_T_TOP topology)
{
    static const topology_t of[] = {
        {1, false}, {1, true}, {2, false}, {2, true}, {0, false}, {0, true},
    };
    return of[topology - HPL_1RING];
}

/* Does relative rank r receive from root itself? Others receive from r - 1. */
static bool starts_ring(topology_t t, int r, int nprocs)
{
    int first = t.modified ? 2 : 1; /* where the rings begin */
    int second = first + (nprocs - first + 1) / 2;

    return r == 1 || r == first || (t.rings == 2 && r == second);
}

static void plan_rings(hpl_schedule_t *s, const hpl_broadcast_t *b,
                       topology_t t)
{
    int child, parent, r = (b->me - b->root + b->nprocs) % b->nprocs;

    for (child = 1; child < b->nprocs; child++) {
        parent = starts_ring(t, child, b->nprocs) ? 0 : child - 1;
        if (r == child) {
            hpl_schedule_receive(s, b->data, b->count,
                                 (b->root + parent) % b->nprocs);
            hpl_schedule_next_round(s);
        }
        if (r == parent)
            hpl_schedule_send(s, b->data, b->count,
                              (b->root + child) % b->nprocs);
    }
}

static void plan_long(hpl_schedule_t *s, const hpl_broadcast_t *b, topology_t t)
{
    int skip = t.modified && b->nprocs > 1;
    int members = b->nprocs - skip;
    int r = (b->me - b->root + b->nprocs) % b->nprocs;
    size_t *offset = malloc((size_t)(members + 1) * sizeof(*offset));
    hpl_pieces_t pieces = {.data = b->data,
                           .offset = offset,
                           .members = members,
                           .me = r > 0 ? r - skip : 0,
                           .root = b->root,
                           .skip = skip,
                           .nprocs = b->nprocs};

    if (offset == NULL)
        HPL_pabort(__LINE__, "hpl_broadcast_plan", "out of memory");
    hpl_pieces_even(offset, members, b->count);
    if (skip && r == 0)
        hpl_schedule_send(s, b->data, b->count, (b->root + 1) % b->nprocs);
    if (skip && r == 1) {
        hpl_schedule_receive(s, b->data, b->count, b->root);
    } else {
        hpl_pieces_spread(s, &pieces);
        hpl_pieces_roll_from_first(s, &pieces);
    }
    free(offset);
}

void hpl_broadcast_plan(hpl_schedule_t *s, const hpl_broadcast_t *b,
                        HPL_T_TOP topology)
{
    topology_t t = properties(topology);

    if (t.rings > 0)
        plan_rings(s, b, t);
    else
        plan_long(s, b, t);
}
