/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * Publish which processes this process waits for, so that another thread can
 * read it if nothing moves. The thread that calls MPI publishes a wait for a
 * single thing, which takes a few stores. When it polls messages in flight, it
 * takes notes only while another thread wants them.
 */

/* Ranks first, first + apart, ... of MPI_COMM_WORLD; count 0: unknown. */
typedef struct {
    int first, apart, count;
} hpl_ranks_t;

/*
 * MPI_STATUSES_IGNORE as a variable: MPICH's constant is the address 1, which
 * gcc takes for an array that is too short, so it warns.
 */
extern MPI_Status *const hpl_no_statuses;

typedef struct {
    const char *what; /* static memory: "a pivot" */
    int iteration;    /* negative: of no iteration */
    double bytes;
    hpl_ranks_t whom;
} hpl_wait_t;

enum { HPL_WAITS_MOST = 8 }; /* a round of pivots has six peers */

/* ---- the thread that calls MPI ------------------------------------------- */

/* Register comm: `what` names its messages, `ranks` are its ranks in
 * MPI_COMM_WORLD. Forget comm before freeing it. */
void hpl_waits_know(MPI_Comm comm, const char *what, hpl_ranks_t ranks);
void hpl_waits_forget(MPI_Comm comm);

/* The rank in MPI_COMM_WORLD of `peer` in comm. If `peer` is negative: all
 * ranks of comm, or of MPI_COMM_WORLD if comm is not registered. */
hpl_ranks_t hpl_waits_ranks(MPI_Comm comm, int peer);

/* The name of messages in comm. */
const char *hpl_waits_name(MPI_Comm comm);

/* Publish a wait from now on until hpl_wait_end; not nested. */
void hpl_wait_begin(const hpl_wait_t *wait);
void hpl_wait_end(void);

/* Note progress without a wait. */
void hpl_waits_step(void);

/* Publish a wait in a call that involves all processes of comm, or only `peer`.
 */
void hpl_wait_begin_in(MPI_Comm comm, int peer, const char *what, double bytes);

/* Call MPI_Allreduce in place, and publish it meanwhile. */
int hpl_waits_allreduce(void *values, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm);

/* Does another thread want notes? If so, each poll takes some. */

extern atomic_bool hpl_waits_wanted;

static inline bool hpl_waits_are_wanted(void)
{
    return atomic_load_explicit(&hpl_waits_wanted, memory_order_relaxed);
}

/* Take a note of a wait. */
void hpl_waits_note(const hpl_wait_t *wait);

/* Has the reduction of `bytes` bytes in comm just completed? If it is still in
 * flight, take a note. If *request is MPI_REQUEST_NULL, there is none. */
bool hpl_waits_test(MPI_Comm comm, double bytes, MPI_Request *request);

/* ---- several messages ---------------------------------------------------- */

typedef struct { /* the peer of a request */
    int peer;    /* rank in comm */
    double bytes;
} hpl_open_t;

typedef struct {
    MPI_Comm comm;
    const char *what; /* static memory */
    int iteration;    /* negative: of no iteration */
    int count;
    MPI_Request *requests;
    const hpl_open_t *with; /* one entry per request */
} hpl_messages_t;

/* Are all messages complete? If not, take a note of each open one. After an
 * error of MPI stop waiting. */
bool hpl_messages_test(const hpl_messages_t *messages);

/* Wait inside MPI until all messages are complete, one after another; the
 * message being waited for is published. */
void hpl_messages_wait(const hpl_messages_t *messages);

/* ---- any thread ---------------------------------------------------------- */

/* Say whether notes are wanted; existing notes are dropped when that begins. */
void hpl_waits_want(bool wanted);

/* Number of waits that began or ended so far. */
unsigned hpl_waits_count(void);

/*
 * Read the published wait; false: there is none. If the wait changes meanwhile,
 * the result may mix parts of two waits.
 */
bool hpl_waits_read(hpl_wait_t *wait_p);

/* Read the notes of the last second in which any were taken, at most
 * HPL_WAITS_MOST. Returns their number. */
int hpl_waits_notes(hpl_wait_t list_p[HPL_WAITS_MOST]);
