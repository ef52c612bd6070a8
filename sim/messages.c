/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include "hpl/pauxil/abort.h"
#include "hybrid/node/wait.h"
#include "sim/memory.h"
#include "sim/model.h"

/*
 * Messages of the program. The program holds handles of its requests, so that a
 * process that waits can wait for all of them: simulated time passes while a
 * process blocks, but never while it spins.
 */
typedef struct {
    MPI_Request real; /* null once the request is complete */
    double tested;    /* when a test last found it incomplete */
    int place;        /* index in `pending` */
} handle_t;

/* Data of one process; the simulator gives each process data of its own. */
static handle_t **pending;
static int count, capacity;
static int looks;       /* unsuccessful tests since something happened */
static bool has_waited; /* has the process had a turn of waiting since then? */

/* ---- handles ------------------------------------------------------------- */

static MPI_Request keep(MPI_Request real)
{
    handle_t *h = malloc(sizeof(*h));

    if (count == capacity) {
        capacity = 2 * capacity + 64;
        pending = realloc(pending, (size_t)capacity * sizeof(handle_t *));
    }
    if (h == NULL || pending == NULL)
        hpl_abort_job();
    *h = (handle_t){real, -1.0, count};
    pending[count++] = h;
    sim_event();
    return (MPI_Request)h;
}

static void complete(handle_t *h)
{
    h->real = MPI_REQUEST_NULL;
    pending[h->place] = pending[--count];
    pending[h->place]->place = h->place;
    sim_activities_forget();
}

static bool is_complete(handle_t *h)
{
    const double now = sim_now();
    int done = 1;

    if (h->real == MPI_REQUEST_NULL)
        return true;
    if (h->tested == now) /* no time has passed since the last test */
        return false;
    h->tested = now;
    PMPI_Test(&h->real, &done, MPI_STATUS_IGNORE);
    if (done)
        complete(h);
    return done != 0;
}

static void forget(MPI_Request *request)
{
    free(*request);
    *request = MPI_REQUEST_NULL;
}

/* ---- waiting ------------------------------------------------------------- */

void sim_event(void)
{
    looks = 0;
    has_waited = false;
}

/* Wait until any message of this process is complete. */
static void wait_for_any(void)
{
    MPI_Request *real = malloc((size_t)(count + 1) * sizeof(*real));
    int index;

    if (real == NULL)
        hpl_abort_job();
    for (int i = 0; i < count; i++)
        real[i] = pending[i]->real;
    PMPI_Waitany(count, real, &index, MPI_STATUS_IGNORE);
    free(real);
    complete(pending[index]);
    sim_event();
}

/* Called after an unsuccessful test. After a whole round of such tests in a
 * loop, wait. */
static void look_again(void)
{
    enum { ROUND = 32 };

    if (++looks > ROUND && count > 0)
        wait_for_any();
}

/* Replace spinning: by the second turn, the process has seen all that happened
 * before, so wait. */
static void take_turn(void)
{
    if (has_waited && count > 0)
        wait_for_any();
    else
        has_waited = true;
}

void __wrap_hyb_wait_until(bool (*is_so)(void *subject), void *subject,
                           hyb_turn_fn_t turn, void *context)
{
    while (!is_so(subject))
        if (turn == NULL || !turn(context))
            take_turn();
}

/* ---- functions called by the program ------------------------------------- */

/* Real memory for messages sent from or received to no real memory; all
 * processes share it. */
static void *allocate(size_t size)
{
    return SMPI_SHARED_MALLOC(size);
}

static void *place_of(const void *buffer)
{
    static void *real;

    if (!sim_is_nowhere(buffer))
        return (void *)(uintptr_t)buffer;
    if (real == NULL)
        real = SMPI_SHARED_CALL(allocate, "sim_nowhere", (size_t)1 << 30);
    return real;
}

int __wrap_MPI_Isend(const void *buffer, int length, MPI_Datatype type, int to,
                     int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_Request real;
    int size, error = PMPI_Isend(place_of(buffer), length, type, to, tag, comm,
                                 &real);

    MPI_Type_size(type, &size);
    sim_report_message((double)size * length);
    *request = keep(real);
    return error;
}

int __wrap_MPI_Irecv(void *buffer, int length, MPI_Datatype type, int from,
                     int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_Request real;
    int error =
        PMPI_Irecv(place_of(buffer), length, type, from, tag, comm, &real);

    *request = keep(real);
    return error;
}

int __wrap_MPI_Iallreduce(const void *sent, void *received, int length,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request)
{
    MPI_Request real;
    int error = PMPI_Iallreduce(sent, received, length, type, op, comm, &real);

    *request = keep(real);
    return error;
}

int __wrap_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    MPI_Request real;
    int error = PMPI_Ibarrier(comm, &real);

    *request = keep(real);
    return error;
}

int __wrap_MPI_Testall(int many, MPI_Request *request, int *done_p,
                       MPI_Status *status)
{
    (void)status;
    *done_p = 0;
    for (int i = 0; i < many; i++)
        if (request[i] != MPI_REQUEST_NULL &&
            !is_complete((handle_t *)request[i])) {
            look_again();
            return MPI_SUCCESS;
        }
    for (int i = 0; i < many; i++)
        if (request[i] != MPI_REQUEST_NULL)
            forget(&request[i]);
    sim_event();
    *done_p = 1;
    return MPI_SUCCESS;
}

int __wrap_MPI_Test(MPI_Request *request, int *done_p, MPI_Status *status)
{
    return __wrap_MPI_Testall(1, request, done_p, status);
}

int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    handle_t *h = (handle_t *)*request;

    (void)status;
    if (h == NULL)
        return MPI_SUCCESS;
    if (h->real != MPI_REQUEST_NULL) {
        PMPI_Wait(&h->real, MPI_STATUS_IGNORE);
        complete(h);
    }
    forget(request);
    sim_event();
    return MPI_SUCCESS;
}

int __wrap_MPI_Waitall(int many, MPI_Request *request, MPI_Status *statuses)
{
    (void)statuses;
    for (int i = 0; i < many; i++)
        __wrap_MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

int __wrap_MPI_Sendrecv(const void *sent, int length, MPI_Datatype type, int to,
                        int tag, void *received, int other_length,
                        MPI_Datatype other_type, int from, int other_tag,
                        MPI_Comm comm, MPI_Status *status)
{
    return PMPI_Sendrecv(place_of(sent), length, type, to, tag,
                         place_of(received), other_length, other_type, from,
                         other_tag, comm, status);
}

int __wrap_MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    int error = PMPI_Init_thread(argc, argv, wanted, provided);

    sim_activities_find();
    return error;
}

int __wrap_MPI_Finalize(void)
{
    sim_report_end();
    return PMPI_Finalize();
}
