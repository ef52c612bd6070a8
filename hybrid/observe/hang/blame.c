/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/blame.h"

#include <stdlib.h>
#include <string.h>

/* s that a process may compute between phases */
static const double between_phases = 60.0;

typedef struct {
    const hyb_witness_t *witness;
    int count;
    double patience;
    int *queue, head, tail; /* processes that were reached, nearest first */
    int *by; /* from where; -1: it was first; -2: it was not reached */
} search_t;

static bool is_long(const search_t *s, int rank)
{
    const hyb_witness_t *w = &s->witness[rank];

    return w->contact == HYB_ANSWERS && w->state.still >= s->patience;
}

static void reach(search_t *s, int rank, int by)
{
    if (rank < 0 || rank >= s->count || s->by[rank] != -2)
        return;
    s->by[rank] = by;
    s->queue[s->tail++] = rank;
}

/* Does other take part in the operation that many wait in together? */
static bool is_beside(const hyb_awaited_t *a, const hyb_state_t *other)
{
    for (int i = 0; i < other->count; i++) {
        const hyb_awaited_t *b = &other->awaited[i];

        if (a->count > 1 && strcmp(a->what, b->what) == 0 &&
            a->first == b->first && a->count == b->count &&
            a->iteration == b->iteration)
            return true;
    }
    return false;
}

static void follow(search_t *s, int rank)
{
    const hyb_state_t *state = &s->witness[rank].state;

    for (int i = 0; i < state->count; i++) {
        const hyb_awaited_t *a = &state->awaited[i];

        for (int n = 0; n < a->count; n++) {
            int to = a->first + n * a->apart;

            if (to >= 0 && to < s->count && to != rank &&
                (s->witness[to].contact != HYB_ANSWERS ||
                 !is_beside(a, &s->witness[to].state)))
                reach(s, to, rank);
        }
    }
}

/* Is it between phases, where nobody is known to wait? */
static bool is_between(const search_t *s, int rank)
{
    return rank >= 0 && s->witness[rank].state.doing == HYB_BETWEEN;
}

/* Does it go on, or may it? */
static bool moves(const search_t *s, int rank)
{
    const hyb_witness_t *w = &s->witness[rank];
    double least = s->patience;

    if (w->contact != HYB_ANSWERS)
        return false;
    if (w->state.doing == HYB_WAITS)
        least = s->patience / 2.0;
    if (w->state.doing == HYB_BETWEEN && s->by[rank] >= 0 &&
        least < between_phases)
        least = between_phases;
    return w->state.still < least;
}

static hyb_fault_t fault_of(const search_t *s, int rank)
{
    const hyb_witness_t *w = &s->witness[rank];
    bool idle = is_between(s, s->by[rank]); /* who waits for it */

    switch (w->contact) {
    case HYB_DEAD:
        return HYB_ENDED;
    case HYB_CUT_OFF:
        return HYB_HOST_GONE;
    case HYB_SILENT:
        return idle && w->silent < s->patience / 2.0 ? HYB_NOBODY : HYB_STOPPED;
    case HYB_UNHEARD:
        return idle ? HYB_NOBODY : HYB_UNKNOWN;
    default:
        if (w->state.doing == HYB_WAITS)
            return HYB_EACH_OTHER;
        return is_between(s, rank) && s->by[rank] < 0 ? HYB_NOBODY : HYB_STANDS;
    }
}

/* Those with the worst fault among the processes that were reached. */
static hyb_blame_t worst(const search_t *s)
{
    hyb_blame_t blame = {.fault = HYB_NOBODY, .rank = -1, .by = -1};
    bool someone_moves = false;

    for (int i = 0; i < s->tail; i++) {
        int rank = s->queue[i];
        hyb_fault_t fault = fault_of(s, rank);

        someone_moves = someone_moves || moves(s, rank);
        if (fault > blame.fault)
            blame = (hyb_blame_t){.fault = fault, .rank = rank, .by = -1};
        else if (fault == blame.fault)
            blame.alike++;
    }
    if (someone_moves && blame.fault < HYB_ENDED)
        blame = (hyb_blame_t){.fault = HYB_NOBODY, .rank = -1, .by = -1};
    return blame;
}

/* Is rank among these? */
static bool has(const hyb_awaited_t *awaited, int rank)
{
    for (int i = 0; i < awaited->count; i++)
        if (awaited->first + i * awaited->apart == rank)
            return true;
    return false;
}

/* Its first wait for that rank, if alone then for nobody else; below 0: none.
 */
static int wait_of(const search_t *s, int by, int rank, bool alone)
{
    const hyb_state_t *state = &s->witness[by].state;

    for (int i = 0; i < state->count && by != rank; i++)
        if ((!alone || state->awaited[i].count == 1) &&
            (rank < 0 || has(&state->awaited[i], rank)))
            return i;
    return -1;
}

/* Who waits for it, by a message rather than in a group. */
static void name_waiting(const search_t *s, hyb_blame_t *blame)
{
    for (int alone = 1; alone >= 0 && blame->by < 0; alone--)
        for (int i = 0; i < s->tail && blame->by < 0; i++) {
            int by = s->queue[i];

            blame->awaited = wait_of(s, by, blame->rank, alone);
            if (s->witness[by].contact == HYB_ANSWERS && blame->awaited >= 0)
                blame->by = by;
        }
}

/* Of those that wait for each other: one that waits for a single one. */
static void name_circle(const search_t *s, hyb_blame_t *blame)
{
    blame->rank = -1;
    name_waiting(s, blame);
    if (blame->by >= 0 &&
        s->witness[blame->by].state.awaited[blame->awaited].count == 1)
        blame->rank = s->witness[blame->by].state.awaited[blame->awaited].first;
}

static double longest_wait(const search_t *s)
{
    double longest = 0.0;

    for (int rank = 0; rank < s->count; rank++)
        if (is_long(s, rank) && s->witness[rank].state.still > longest)
            longest = s->witness[rank].state.still;
    return longest;
}

/* From those that have waited for long, between phases or not. */
static hyb_blame_t search(search_t *s, bool between)
{
    hyb_blame_t blame;

    s->head = s->tail = 0;
    for (int rank = 0; rank < s->count; rank++)
        s->by[rank] = -2;
    for (int rank = 0; rank < s->count; rank++)
        if (is_long(s, rank) && is_between(s, rank) == between)
            reach(s, rank, -1);
    while (s->head < s->tail) {
        int rank = s->queue[s->head++];

        if (s->witness[rank].contact == HYB_ANSWERS &&
            (!is_between(s, rank) || s->by[rank] < 0))
            follow(s, rank);
    }
    blame = worst(s);
    if (blame.fault == HYB_EACH_OTHER)
        name_circle(s, &blame);
    else if (blame.fault != HYB_NOBODY)
        name_waiting(s, &blame);
    blame.still = longest_wait(s);
    return blame;
}

/* One that does not answer, though no chain leads to it: not all that waits
 * inside MPI is published. */
static void prefer_silent(const search_t *s, hyb_blame_t *blame)
{
    for (int rank = 0; rank < s->count; rank++) {
        const hyb_witness_t *w = &s->witness[rank];
        bool silent =
            w->contact > HYB_UNHEARD && w->silent >= s->patience / 2.0;

        if (silent && blame->fault < HYB_STOPPED)
            *blame = (hyb_blame_t){.fault = fault_of(s, rank),
                                   .rank = rank,
                                   .by = -1,
                                   .still = blame->still};
    }
}

hyb_blame_t hyb_blame(const hyb_witness_t *witness, int count, double patience)
{
    search_t s = {.witness = witness, .count = count, .patience = patience};
    hyb_blame_t blame = {.fault = HYB_NOBODY, .rank = -1, .by = -1};

    s.queue = calloc(2 * (size_t)count, sizeof(int));
    if (s.queue == NULL)
        return blame;
    s.by = s.queue + count;
    blame = search(&s, false);
    if (blame.fault == HYB_NOBODY)
        blame = search(&s, true);
    if (blame.fault != HYB_NOBODY)
        prefer_silent(&s, &blame);
    free(s.queue);
    return blame;
}
