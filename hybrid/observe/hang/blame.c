/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/blame.h"

#include <stdlib.h>
#include <string.h>

/* Seconds that a process may compute between phases. */
static const double between_limit = 60.0;

/* A breadth-first search along "waits for". */
typedef struct {
    const hyb_process_t *processes;
    int count;
    double patience;
    int *queue, head, tail; /* processes found, nearest first */
    int *waiter;            /* by rank: the process that led to it; or */
} search_t;

enum { START = -1, NOT_FOUND = -2 };

/* Has process `rank` made no progress for `patience` seconds? */
static bool is_overdue(const search_t *s, int rank)
{
    const hyb_process_t *p = &s->processes[rank];

    return p->contact == HYB_CONTACT_ANSWERS && p->state.stall >= s->patience;
}

static void add(search_t *s, int rank, int waiter)
{
    if (rank < 0 || rank >= s->count || s->waiter[rank] != NOT_FOUND)
        return;
    s->waiter[rank] = waiter;
    s->queue[s->tail++] = rank;
}

/* Does a process in `state` wait in the same collective operation? */
static bool waits_in(const hyb_state_wait_t *a, const hyb_state_t *state)
{
    for (int i = 0; i < state->wait_count; i++) {
        const hyb_state_wait_t *b = &state->waits[i];

        if (a->count > 1 && strcmp(a->what, b->what) == 0 &&
            a->first == b->first && a->count == b->count &&
            a->iteration == b->iteration)
            return true;
    }
    return false;
}

static void follow(search_t *s, int rank)
{
    const hyb_state_t *state = &s->processes[rank].state;

    for (int i = 0; i < state->wait_count; i++) {
        const hyb_state_wait_t *w = &state->waits[i];

        for (int n = 0; n < w->count; n++) {
            int to = w->first + n * w->stride;

            if (to >= 0 && to < s->count && to != rank &&
                (s->processes[to].contact != HYB_CONTACT_ANSWERS ||
                 !waits_in(w, &s->processes[to].state)))
                add(s, to, rank);
        }
    }
}

/* Is process `rank` between two phases, so that nobody knows whether it waits?
 */
static bool is_between(const search_t *s, int rank)
{
    return rank >= 0 && s->processes[rank].state.kind == HYB_STATE_BETWEEN;
}

/* Does process `rank` make progress, or may it still do so? */
static bool makes_progress(const search_t *s, int rank)
{
    const hyb_process_t *p = &s->processes[rank];
    double limit = s->patience;

    if (p->contact != HYB_CONTACT_ANSWERS)
        return false;
    if (p->state.kind == HYB_STATE_WAITING)
        limit = s->patience / 2.0;
    if (p->state.kind == HYB_STATE_BETWEEN && s->waiter[rank] >= 0 &&
        limit < between_limit)
        limit = between_limit;
    return p->state.stall < limit;
}

static hyb_fault_t fault_of(const search_t *s, int rank)
{
    const hyb_process_t *p = &s->processes[rank];
    bool is_waiter_between = is_between(s, s->waiter[rank]);

    switch (p->contact) {
    case HYB_CONTACT_CLOSED:
        return HYB_FAULT_ENDED;
    case HYB_CONTACT_CUT_OFF:
        return HYB_FAULT_HOST_DOWN;
    case HYB_CONTACT_SILENT:
        return is_waiter_between && p->silence < s->patience / 2.0
                   ? HYB_FAULT_NONE
                   : HYB_FAULT_STOPPED;
    case HYB_CONTACT_NONE:
        return is_waiter_between ? HYB_FAULT_NONE : HYB_FAULT_UNKNOWN;
    default:
        if (p->state.kind == HYB_STATE_WAITING)
            return HYB_FAULT_CYCLE;
        return is_between(s, rank) && s->waiter[rank] < 0 ? HYB_FAULT_NONE
                                                          : HYB_FAULT_STALLED;
    }
}

/* The worst fault among the processes found, and the first process that has it.
 */
static hyb_blame_t worst_fault(const search_t *s)
{
    hyb_blame_t blame = {.fault = HYB_FAULT_NONE, .rank = -1, .waiter = -1};
    bool progress = false;

    for (int i = 0; i < s->tail; i++) {
        int rank = s->queue[i];
        hyb_fault_t fault = fault_of(s, rank);

        progress = progress || makes_progress(s, rank);
        if (fault > blame.fault)
            blame = (hyb_blame_t){.fault = fault, .rank = rank, .waiter = -1};
        else if (fault == blame.fault)
            blame.same_fault++;
    }
    if (progress && blame.fault < HYB_FAULT_ENDED)
        blame =
            (hyb_blame_t){.fault = HYB_FAULT_NONE, .rank = -1, .waiter = -1};
    return blame;
}

static bool includes(const hyb_state_wait_t *w, int rank)
{
    for (int i = 0; i < w->count; i++)
        if (w->first + i * w->stride == rank)
            return true;
    return false;
}

/*
 * Index of the waiter's first wait for `rank`, or for any process if `rank` is
 * negative. Returns a negative number if there is none. If `single`, waits for
 * several processes do not count.
 */
static int find_wait(const search_t *s, int waiter, int rank, bool single)
{
    const hyb_state_t *state = &s->processes[waiter].state;

    for (int i = 0; i < state->wait_count && waiter != rank; i++)
        if ((!single || state->waits[i].count == 1) &&
            (rank < 0 || includes(&state->waits[i], rank)))
            return i;
    return -1;
}

/* Set blame->waiter and blame->wait. Waits for a single process are preferred.
 */
static void find_waiter(const search_t *s, hyb_blame_t *blame)
{
    for (int single = 1; single >= 0 && blame->waiter < 0; single--)
        for (int i = 0; i < s->tail && blame->waiter < 0; i++) {
            int waiter = s->queue[i];

            blame->wait = find_wait(s, waiter, blame->rank, single);
            if (s->processes[waiter].contact == HYB_CONTACT_ANSWERS &&
                blame->wait >= 0)
                blame->waiter = waiter;
        }
}

/* Blame a process of the cycle for which another one waits alone, if any. */
static void find_in_cycle(const search_t *s, hyb_blame_t *blame)
{
    const hyb_state_wait_t *w;

    blame->rank = -1;
    find_waiter(s, blame);
    if (blame->waiter < 0)
        return;
    w = &s->processes[blame->waiter].state.waits[blame->wait];
    if (w->count == 1)
        blame->rank = w->first;
}

static double longest_stall(const search_t *s)
{
    double longest = 0.0;

    for (int rank = 0; rank < s->count; rank++)
        if (is_overdue(s, rank) && s->processes[rank].state.stall > longest)
            longest = s->processes[rank].state.stall;
    return longest;
}

/* Start at the overdue processes; `between` selects those between phases, or
 * the rest. */
static hyb_blame_t search(search_t *s, bool between)
{
    hyb_blame_t blame;

    s->head = s->tail = 0;
    for (int rank = 0; rank < s->count; rank++)
        s->waiter[rank] = NOT_FOUND;
    for (int rank = 0; rank < s->count; rank++)
        if (is_overdue(s, rank) && is_between(s, rank) == between)
            add(s, rank, START);
    while (s->head < s->tail) {
        int rank = s->queue[s->head++];

        if (s->processes[rank].contact == HYB_CONTACT_ANSWERS &&
            (!is_between(s, rank) || s->waiter[rank] < 0))
            follow(s, rank);
    }
    blame = worst_fault(s);
    if (blame.fault == HYB_FAULT_CYCLE)
        find_in_cycle(s, &blame);
    else if (blame.fault != HYB_FAULT_NONE)
        find_waiter(s, &blame);
    blame.stall = longest_stall(s);
    return blame;
}

/* Blame a silent process instead, even if no chain leads to it, because not
 * every wait inside MPI is published. */
static void prefer_silent(const search_t *s, hyb_blame_t *blame)
{
    for (int rank = 0; rank < s->count; rank++) {
        const hyb_process_t *p = &s->processes[rank];
        bool is_silent =
            p->contact > HYB_CONTACT_NONE && p->silence >= s->patience / 2.0;

        if (is_silent && blame->fault < HYB_FAULT_STOPPED)
            *blame = (hyb_blame_t){.fault = fault_of(s, rank),
                                   .rank = rank,
                                   .waiter = -1,
                                   .stall = blame->stall};
    }
}

hyb_blame_t hyb_blame(const hyb_process_t *processes, int count,
                      double patience)
{
    search_t s = {.processes = processes, .count = count, .patience = patience};
    hyb_blame_t blame = {.fault = HYB_FAULT_NONE, .rank = -1, .waiter = -1};

    s.queue = calloc(2 * (size_t)count, sizeof(int));
    if (s.queue == NULL)
        return blame;
    s.waiter = s.queue + count;
    blame = search(&s, false);
    if (blame.fault == HYB_FAULT_NONE)
        blame = search(&s, true);
    if (blame.fault != HYB_FAULT_NONE)
        prefer_silent(&s, &blame);
    free(s.queue);
    return blame;
}
