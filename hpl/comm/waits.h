/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * For whom this process waits, as another thread reads it when nothing moves.
 * The thread that calls MPI says so where it waits for one thing, which takes a
 * few stores. Of messages under way that it polls, it takes notes only while
 * these are wanted.
 */

/* Ranks first, first + apart, ... of MPI_COMM_WORLD; count 0: none is known. */
typedef struct {
    int first, apart, count;
} hpl_ranks_t;

/*
 * MPI_STATUSES_IGNORE as a variable: MPICH's constant is the address 1, which
 * gcc takes for an array that is too short, and warns.
 */
extern MPI_Status *const hpl_no_statuses;

typedef struct {
    const char *what; /* static memory: "a pivot" */
    int iteration;    /* below 0: of none */
    double bytes;
    hpl_ranks_t whom;
} hpl_wait_t;

enum { HPL_WAITS_MOST = 8 }; /* a round of pivots has six peers */

/* ---- the thread that calls MPI ------------------------------------------- */

/* Messages in comm are of what; its ranks are these. Forget it before it is
 * freed. */
void hpl_waits_know(MPI_Comm comm, const char *what, hpl_ranks_t ranks);
void hpl_waits_forget(MPI_Comm comm);

/* The peer of that rank in comm; below 0: all of comm, or of MPI_COMM_WORLD if
 * comm is not known. */
hpl_ranks_t hpl_waits_ranks(MPI_Comm comm, int peer);

/* What messages in comm are of. */
const char *hpl_waits_name(MPI_Comm comm);

/* It waits from now on, until the end; not nested. */
void hpl_wait_begin(const hpl_wait_t *wait);
void hpl_wait_end(void);

/* Something was finished, without waiting: the process goes on. */
void hpl_waits_step(void);

/* The same around a call that all processes of comm take part in, or one. */
void hpl_wait_begin_in(MPI_Comm comm, int peer, const char *what, double bytes);

/* MPI_Allreduce in place, published while it lasts. */
int hpl_waits_allreduce(void *values, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm);

/* Notes are only taken, at each poll, while somebody wants them. */

extern atomic_bool hpl_waits_wanted;

static inline bool hpl_waits_are_wanted(void)
{
    return atomic_load_explicit(&hpl_waits_wanted, memory_order_relaxed);
}

/* It waits for this. */
void hpl_waits_note(const hpl_wait_t *wait);

/* Has the reduction in comm, of so many bytes, come just now? If it is under
 * way still a note is taken. MPI_REQUEST_NULL: none is. */
bool hpl_waits_test(MPI_Comm comm, double bytes, MPI_Request *request);

/* ---- several messages ---------------------------------------------------- */

typedef struct { /* with whom a request is */
    int peer;    /* rank in comm */
    double bytes;
} hpl_open_t;

typedef struct {
    MPI_Comm comm;
    const char *what; /* static memory */
    int iteration;    /* below 0: of none */
    int count;
    MPI_Request *requests;
    const hpl_open_t *with; /* of each request */
} hpl_messages_t;

/* Are all of them complete? If not, a note of each open one is taken. After an
 * error of MPI nothing more is waited for. */
bool hpl_messages_test(const hpl_messages_t *messages);

/* Wait inside MPI until all of them are complete, for one after the other: what
 * is published is open. */
void hpl_messages_wait(const hpl_messages_t *messages);

/* ---- any thread ---------------------------------------------------------- */

/* Notes are wanted, from none on, or no longer. */
void hpl_waits_want(bool wanted);

/* Waits that began or ended so far. */
unsigned hpl_waits_count(void);

/*
 * What it waits for; false: for nothing that it said. A wait that begins or
 * ends meanwhile may be read as parts of two.
 */
bool hpl_waits_read(hpl_wait_t *wait_p);

/* The notes of the last second in which there were any, at most HPL_WAITS_MOST;
 * returns their number. */
int hpl_waits_notes(hpl_wait_t list_p[HPL_WAITS_MOST]);
