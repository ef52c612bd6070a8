/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sim/model.h"

/*
 * SimGrid 3.32 keeps each activity that a test found complete in a list of its
 * actor, and short messages in one of the simulation's own actor, and looks
 * through all of these lists whenever an activity ends, which dominates the
 * time of a large run. The list is a std::list in the actor; its place is found
 * by beginning a message and looking for what grows.
 */
typedef struct node {
    struct node *next, *last;
    void *activity; /* in the head: the number of activities */
} node_t;

/* These symbols are NULL in another SimGrid. */
void *actor_self(void) __asm__("_ZN7simgrid6kernel5actor9ActorImpl4selfEv")
    __attribute__((weak));
void activity_release(void *activity) __asm__(
    "_ZN7simgrid6kernel8activity21intrusive_ptr_releaseEPNS1_12ActivityImplE")
    __attribute__((weak));

/* A std::function<void()> that runs as the simulation's own actor. */
typedef struct {
    void *data[2], *is_given;
    void (*run)(void *data);
} task_t;

void run_as_simulation(const task_t *task, void *observer) __asm__(
    "_Z20simcall_run_"
    "answeredRKSt8functionIFvvEEPN7simgrid6kernel5actor15Simcall"
    "ObserverE") __attribute__((weak));

enum { WORDS = 48, UNKNOWN = -1 };

/* Place of the list within an actor; the same in all processes. */
static int place = UNKNOWN;
static uintptr_t *simulation; /* the simulation's own actor */

/* The word of the actor at which the list begins: its length has grown by one
 * since `before`. UNKNOWN in another SimGrid, where large runs are slow. */
static int list_of(const uintptr_t *actor, const uintptr_t *before)
{
    for (int i = 0; i + 2 < WORDS; i++) {
        const node_t *head = (const node_t *)(actor + i);

        if (actor[i + 2] == before[i + 2] + 1 &&
            actor[i + 1] != before[i + 1] && before[i + 2] < 1024 &&
            head->last->next == head)
            return i;
    }
    return UNKNOWN;
}

static void find_simulation(void *data)
{
    (void)data;
    simulation = actor_self();
}

void sim_activities_find(void)
{
    const task_t task = {.is_given = &place, .run = find_simulation};
    uintptr_t before[WORDS];
    const uintptr_t *actor;
    MPI_Request request;
    char letter = 0;

    if (actor_self == NULL || activity_release == NULL ||
        run_as_simulation == NULL)
        return;
    actor = actor_self();
    memcpy(before, actor, sizeof(before));
    PMPI_Irecv(&letter, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    place = list_of(actor, before);
    PMPI_Send(&letter, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    run_as_simulation(&task, NULL);
}

/* Release all activities of the list. Incomplete ones have other references,
 * too. */
static void forget(node_t *head)
{
    for (node_t *next, *n = head->next; n != head; n = next) {
        next = n->next;
        activity_release(n->activity);
        free(n);
    }
    *head = (node_t){head, head, NULL};
}

static void forget_many(uintptr_t *actor)
{
    enum { MANY = 64 };
    node_t *head = (node_t *)(actor + place);

    if ((uintptr_t)head->activity > MANY)
        forget(head);
}

void sim_activities_forget(void)
{
    if (place == UNKNOWN)
        return;
    forget_many(actor_self());
    forget_many(simulation);
}
