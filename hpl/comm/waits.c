/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/comm/waits.h"

#include <pthread.h>
#include "base/clock.h"
#include "hpl.h"

/* ---- communicators ------------------------------------------------------- */

enum { KNOWN = 8 };

static struct {
    MPI_Comm comm;
    const char *what; /* NULL: this entry is free */
    hpl_ranks_t ranks;
} known[KNOWN];

/* Index of comm in known[]; KNOWN: not found. */
static int find(MPI_Comm comm)
{
    int i = 0;

    while (i < KNOWN && (known[i].what == NULL || known[i].comm != comm))
        i++;
    return i;
}

void hpl_waits_know(MPI_Comm comm, const char *what, hpl_ranks_t ranks)
{
    int i = 0;

    while (i < KNOWN && known[i].what != NULL)
        i++;
    if (i == KNOWN)
        return;
    known[i].comm = comm;
    known[i].what = what;
    known[i].ranks = ranks;
}

void hpl_waits_forget(MPI_Comm comm)
{
    int i = find(comm);

    if (i < KNOWN)
        known[i].what = NULL;
}

const char *hpl_waits_name(MPI_Comm comm)
{
    int i = find(comm);

    return i < KNOWN ? known[i].what : "a message";
}

/* Rank in MPI_COMM_WORLD of rank `peer` of comm. */
static int rank_in_world(MPI_Comm comm, int peer)
{
    MPI_Group group, world;
    int rank;

    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, 1, &peer, world, &rank);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return rank;
}

hpl_ranks_t hpl_waits_ranks(MPI_Comm comm, int peer)
{
    int i = find(comm);
    hpl_ranks_t all = {0, 1, 0};

    if (i < KNOWN)
        all = known[i].ranks;
    else if (peer >= 0)
        return (hpl_ranks_t){rank_in_world(comm, peer), 0, 1};
    else
        MPI_Comm_size(MPI_COMM_WORLD, &all.count);
    return peer < 0 ? all : (hpl_ranks_t){all.first + peer * all.apart, 0, 1};
}

/* ---- the published wait -------------------------------------------------- */

static struct {
    const char *_Atomic what; /* NULL: there is no wait */
    _Atomic int iteration, first, apart, count;
    _Atomic double bytes;
    _Atomic unsigned changes;
} now;

static void set(_Atomic int *to, int value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

void hpl_waits_step(void)
{
    unsigned so_far = atomic_load_explicit(&now.changes, memory_order_relaxed);

    atomic_store_explicit(&now.changes, so_far + 1, memory_order_relaxed);
}

void hpl_wait_begin(const hpl_wait_t *wait)
{
    set(&now.iteration, wait->iteration);
    set(&now.first, wait->whom.first);
    set(&now.apart, wait->whom.apart);
    set(&now.count, wait->whom.count);
    atomic_store_explicit(&now.bytes, wait->bytes, memory_order_relaxed);
    hpl_waits_step();
    atomic_store_explicit(&now.what, wait->what, memory_order_release);
}

void hpl_wait_end(void)
{
    atomic_store_explicit(&now.what, NULL, memory_order_release);
    hpl_waits_step();
}

void hpl_wait_begin_in(MPI_Comm comm, int peer, const char *what, double bytes)
{
    hpl_wait_begin(&(hpl_wait_t){.what = what,
                                 .iteration = -1,
                                 .bytes = bytes,
                                 .whom = hpl_waits_ranks(comm, peer)});
}

int hpl_waits_allreduce(void *values, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm)
{
    int error;

    hpl_wait_begin_in(comm, -1, "a result for all", 0.0);
    error = MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, comm);
    hpl_wait_end();
    return error;
}

unsigned hpl_waits_count(void)
{
    return atomic_load_explicit(&now.changes, memory_order_relaxed);
}

bool hpl_waits_read(hpl_wait_t *wait_p)
{
    hpl_wait_t wait = {.what = atomic_load(&now.what)};

    if (wait.what == NULL)
        return false;
    wait.iteration = atomic_load(&now.iteration);
    wait.bytes = atomic_load(&now.bytes);
    wait.whom = (hpl_ranks_t){atomic_load(&now.first), atomic_load(&now.apart),
                              atomic_load(&now.count)};
    *wait_p = wait;
    return true;
}

/* ---- notes of messages --------------------------------------------------- */

static const double fresh = 1.0; /* s in which all notes are taken again */

atomic_bool hpl_waits_wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    hpl_wait_t wait;
    double at; /* time by xh_clock_wall */
} note[HPL_WAITS_MOST];

static bool is_same(const hpl_wait_t *a, const hpl_wait_t *b)
{
    return a->what == b->what && a->iteration == b->iteration &&
           a->whom.first == b->whom.first && a->whom.count == b->whom.count;
}

/* Index of the note of this wait, or of the oldest note. The caller holds the
 * lock. */
static int place_of(const hpl_wait_t *wait)
{
    int oldest = 0, i = 0;

    while (i < HPL_WAITS_MOST && !is_same(&note[i].wait, wait))
        i++;
    for (int n = 1; n < HPL_WAITS_MOST; n++)
        if (note[n].at < note[oldest].at)
            oldest = n;
    return i < HPL_WAITS_MOST ? i : oldest;
}

void hpl_waits_note(const hpl_wait_t *wait)
{
    int i;

    pthread_mutex_lock(&lock);
    i = place_of(wait);
    note[i].wait = *wait;
    note[i].at = xh_clock_wall();
    pthread_mutex_unlock(&lock);
}

bool hpl_waits_test(MPI_Comm comm, double bytes, MPI_Request *request)
{
    int done = 0;

    if (*request != MPI_REQUEST_NULL)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (*request != MPI_REQUEST_NULL && hpl_waits_are_wanted())
        hpl_waits_note(&(hpl_wait_t){.what = hpl_waits_name(comm),
                                     .iteration = -1,
                                     .bytes = bytes,
                                     .whom = hpl_waits_ranks(comm, -1)});
    return done;
}

void hpl_waits_want(bool wanted)
{
    if (atomic_load(&hpl_waits_wanted) == wanted)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < HPL_WAITS_MOST; i++)
        note[i].wait.what = NULL;
    pthread_mutex_unlock(&lock);
    atomic_store(&hpl_waits_wanted, wanted);
}

int hpl_waits_notes(hpl_wait_t list_p[HPL_WAITS_MOST])
{
    double newest = 0.0;
    int count = 0, i;

    pthread_mutex_lock(&lock);
    for (i = 0; i < HPL_WAITS_MOST; i++)
        newest = Mmax(newest, note[i].at);
    for (i = 0; i < HPL_WAITS_MOST; i++)
        if (note[i].wait.what != NULL && note[i].at > newest - fresh)
            list_p[count++] = note[i].wait;
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- several messages ---------------------------------------------------- */

static hpl_wait_t wait_of(const hpl_messages_t *m, int i)
{
    return (hpl_wait_t){.what = m->what,
                        .iteration = m->iteration,
                        .bytes = m->with[i].bytes,
                        .whom = hpl_waits_ranks(m->comm, m->with[i].peer)};
}

static void note_open(const hpl_messages_t *m)
{
    hpl_wait_t wait;
    int done;

    for (int i = 0; i < m->count; i++) {
        MPI_Request_get_status(m->requests[i], &done, MPI_STATUS_IGNORE);
        wait = wait_of(m, i);
        if (!done)
            hpl_waits_note(&wait);
    }
}

bool hpl_messages_test(const hpl_messages_t *messages)
{
    int done = 0;

    if (MPI_Testall(messages->count, messages->requests, &done,
                    hpl_no_statuses) != MPI_SUCCESS)
        return true;
    if (!done && hpl_waits_are_wanted())
        note_open(messages);
    return done != 0;
}

void hpl_messages_wait(const hpl_messages_t *messages)
{
    hpl_wait_t wait;

    for (int i = 0; i < messages->count; i++) {
        wait = wait_of(messages, i);
        hpl_wait_begin(&wait);
        MPI_Wait(&messages->requests[i], MPI_STATUS_IGNORE);
        hpl_wait_end();
    }
}
