/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "hpl/comm/waits.h"
#include "hpl/grid/agree.h"
#include "hybrid/node/wait.h"

enum { TAG = 18 };

typedef enum { FREE, GIVEN, SENDING } giving_t;

typedef enum {
    IN_HEADER,  /* the leader waits for it; */
    IN_DATA,    /* for what follows */
    TO_WRITE,   /* the thread's turn */
    IS_WRITTEN, /* the leader's */
    IS_CLOSED
} taking_t;

typedef enum {
    FINAL, /* bytes of that file */
    PART,  /* of the checkpoint that is being written */
    WHOLE, /* it is: it gets its name */
    GIVEN_UP,
    CLOSES /* nothing follows */
} kind_t;

typedef struct {  /* what is sent before data */
    int64_t kind; /* kind_t */
    int64_t first, offset, bytes;
} message_t;

typedef struct { /* one whose copies come here */
    int rank;
    hyb_store_t store;
    message_t what;
    char *data;
    MPI_Request request;
    _Atomic int state; /* taking_t */
    int final, part;   /* files, or -1 */
    bool failed;       /* of the present one: said */
    _Atomic int ended; /* how many have: whole, or not */
    _Atomic bool is_whole;
} source_t;

struct hyb_copies {
    MPI_Comm comm; /* for votes and copies alone */
    int to;
    message_t what; /* what is given */
    const void *data;
    MPI_Request request[2];
    _Atomic int giving; /* giving_t */
    bool closes;        /* nobody gives any more */
    source_t *source;
    int sources, begun;
    int first; /* panel of the checkpoint that is written */
    pthread_t thread;
    bool runs; /* the thread, until ends */
    bool ends;
    pthread_mutex_t lock;
    pthread_cond_t change;
};

/* ---- giving: the writer's thread, and the leader ------------------------- */

static void give(struct hyb_copies *c, kind_t kind, int64_t offset,
                 const void *data, size_t bytes)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    if (!c->closes) {
        c->what = (message_t){kind, c->first, offset, (int64_t)bytes};
        c->data = data;
        atomic_store(&c->giving, GIVEN);
    }
    while (atomic_load(&c->giving) != FREE)
        pthread_cond_wait(&c->change, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void hyb_copies_give(struct hyb_copies *c, bool is_final, int64_t offset,
                     const void *data, size_t bytes)
{
    give(c, is_final ? FINAL : PART, offset, data, bytes);
}

void hyb_copies_end(struct hyb_copies *c, bool is_whole)
{
    give(c, is_whole ? WHOLE : GIVEN_UP, 0, NULL, 0);
}

static void set_free(struct hyb_copies *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->giving, FREE);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
}

static void send(struct hyb_copies *c)
{
    MPI_Isend(&c->what, (int)sizeof(c->what), MPI_BYTE, c->to, TAG, c->comm,
              &c->request[0]);
    c->request[1] = MPI_REQUEST_NULL;
    if (c->what.bytes > 0)
        MPI_Isend(c->data, (int)c->what.bytes, MPI_BYTE, c->to, TAG, c->comm,
                  &c->request[1]);
    atomic_store(&c->giving, SENDING);
}

static void poll_giving(struct hyb_copies *c)
{
    int done;

    if (atomic_load(&c->giving) == GIVEN)
        send(c);
    if (atomic_load(&c->giving) != SENDING)
        return;
    MPI_Testall(2, c->request, &done, hpl_no_statuses);
    if (done)
        set_free(c);
}

/* ---- taking: the leader -------------------------------------------------- */

static void await_header(struct hyb_copies *c, source_t *s)
{
    MPI_Irecv(&s->what, (int)sizeof(s->what), MPI_BYTE, s->rank, TAG, c->comm,
              &s->request);
    atomic_store(&s->state, IN_HEADER);
}

static void hand_over(struct hyb_copies *c, source_t *s)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(&s->state, TO_WRITE);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
}

static void take_header(struct hyb_copies *c, source_t *s)
{
    if (s->what.bytes == 0) {
        hand_over(c, s);
        return;
    }
    MPI_Irecv(s->data, (int)s->what.bytes, MPI_BYTE, s->rank, TAG, c->comm,
              &s->request);
    atomic_store(&s->state, IN_DATA);
}

static void poll_source(struct hyb_copies *c, source_t *s)
{
    int state = atomic_load(&s->state), done;

    if (state == IS_WRITTEN) {
        await_header(c, s);
        return;
    }
    if (state != IN_HEADER && state != IN_DATA)
        return;
    MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
    if (done && state == IN_HEADER)
        take_header(c, s);
    else if (done)
        hand_over(c, s);
}

void hyb_copies_poll(void *copies)
{
    struct hyb_copies *c = copies;

    poll_giving(c);
    for (int i = 0; i < c->sources; i++)
        poll_source(c, &c->source[i]);
}

/* ---- writing: a thread of its own ---------------------------------------- */

static void fail(source_t *s, const char *path)
{
    if (!s->failed)
        xh_log_warning("the copy of rank %d's checkpoint of iteration %lld "
                       "failed: cannot write %s: %s; the run goes on",
                       s->rank, (long long)s->what.first, path,
                       strerror(errno));
    s->failed = true;
}

static void write_bytes(source_t *s, int *file, const char *suffix)
{
    char path[HYB_STORE_PATH];

    if (s->failed)
        return;
    hyb_store_path(&s->store, suffix, path);
    if (*file < 0)
        *file = hyb_store_open(path, O_WRONLY | O_CREAT);
    if (*file < 0 ||
        !hyb_store_write(*file, s->data, (size_t)s->what.bytes, s->what.offset))
        fail(s, path);
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static void name_it(source_t *s)
{
    char part[HYB_STORE_PATH], path[HYB_STORE_PATH];

    hyb_store_path(&s->store, "part", part);
    hyb_store_checkpoint_path(&s->store, (int)s->what.first, path);
    if ((s->final >= 0 && fdatasync(s->final) != 0) || s->part < 0 ||
        fdatasync(s->part) != 0 || hyb_store_rename(part, path) != 0 ||
        !hyb_store_sync(s->store.folder))
        fail(s, path);
}

static void end_one(source_t *s, bool is_whole)
{
    char path[HYB_STORE_PATH];

    if (is_whole && !s->failed)
        name_it(s);
    close_file(&s->final);
    close_file(&s->part);
    hyb_store_path(&s->store, "part", path);
    hyb_store_unlink(path);
    atomic_store(&s->is_whole, is_whole && !s->failed);
    s->failed = false;
    atomic_fetch_add(&s->ended, 1);
}

static void write_one(source_t *s)
{
    bool closes = s->what.kind == CLOSES;

    if (s->what.kind == FINAL)
        write_bytes(s, &s->final, "final");
    else if (s->what.kind == PART)
        write_bytes(s, &s->part, "part");
    else
        end_one(s, s->what.kind == WHOLE);
    atomic_store(&s->state, closes ? IS_CLOSED : IS_WRITTEN);
}

static source_t *next_to_write(struct hyb_copies *c)
{
    for (int i = 0; i < c->sources; i++)
        if (atomic_load(&c->source[i].state) == TO_WRITE)
            return &c->source[i];
    return NULL;
}

static void *work(void *argument)
{
    struct hyb_copies *c = argument;
    source_t *s;

    pthread_mutex_lock(&c->lock);
    while (!c->ends) {
        s = next_to_write(c);
        if (s == NULL) {
            pthread_cond_wait(&c->change, &c->lock);
            continue;
        }
        pthread_mutex_unlock(&c->lock);
        write_one(s);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- a checkpoint -------------------------------------------------------- */

void hyb_copies_begin(struct hyb_copies *c, int first)
{
    if (c == NULL)
        return;
    c->first = first;
    c->begun++;
}

bool hyb_copies_have_ended(const struct hyb_copies *c)
{
    for (int i = 0; c != NULL && i < c->sources; i++)
        if (atomic_load(&c->source[i].ended) < c->begun)
            return false;
    return true;
}

bool hyb_copies_are_whole(const struct hyb_copies *c)
{
    for (int i = 0; c != NULL && i < c->sources; i++)
        if (!atomic_load(&c->source[i].is_whole))
            return false;
    return true;
}

void hyb_copies_remove(const struct hyb_copies *c, int first)
{
    for (int i = 0; c != NULL && i < c->sources; i++)
        hyb_store_remove(&c->source[i].store, first);
}

void hyb_copies_keep(const struct hyb_copies *c, const int *first, int count)
{
    for (int i = 0; c != NULL && i < c->sources; i++)
        hyb_store_keep(&c->source[i].store, first, count);
}

/* ---- create and destroy -------------------------------------------------- */

static bool add_sources(struct hyb_copies *c, const hyb_disks_t *d,
                        int64_t piece)
{
    c->source = calloc((size_t)d->grid->nprocs, sizeof(*c->source));
    for (int r = 0; r < d->grid->nprocs && c->source != NULL; r++) {
        source_t *s = &c->source[c->sources];

        if (d->partner[r] != d->grid->iam)
            continue;
        *s = (source_t){.rank = r,
                        .store = hyb_disks_store(d, r, true),
                        .data = malloc((size_t)piece),
                        .request = MPI_REQUEST_NULL,
                        .final = -1,
                        .part = -1};
        if (s->data == NULL)
            return false;
        c->sources++;
    }
    return c->source != NULL;
}

xh_status_t hyb_copies_create(const hyb_disks_t *disks, MPI_Comm comm,
                              int64_t piece, struct hyb_copies **copies_p)
{
    struct hyb_copies *c = calloc(1, sizeof(*c));

    MPI_Allreduce(MPI_IN_PLACE, &piece, 1, MPI_INT64_T, MPI_MAX, comm);
    if (c != NULL) {
        c->comm = comm;
        c->to = disks->partner[disks->grid->iam];
        pthread_mutex_init(&c->lock, NULL);
        pthread_cond_init(&c->change, NULL);
        c->runs = add_sources(c, disks, piece) &&
                  pthread_create(&c->thread, NULL, work, c) == 0;
    }
    if (hpl_agree(comm, c != NULL && c->runs ? XH_OK : XH_ERR_MEMORY) !=
        XH_OK) {
        hyb_copies_destroy(c);
        return XH_ERR_MEMORY;
    }
    for (int i = 0; i < c->sources; i++)
        await_header(c, &c->source[i]);
    *copies_p = c;
    return XH_OK;
}

static void end_thread(struct hyb_copies *c)
{
    pthread_mutex_lock(&c->lock);
    c->ends = true;
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
}

/* Whose sources were not closed: they never began. */
static void free_source(source_t *s)
{
    if (s->request != MPI_REQUEST_NULL) {
        MPI_Cancel(&s->request);
        MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    }
    free(s->data);
}

void hyb_copies_destroy(struct hyb_copies *c)
{
    if (c == NULL)
        return;
    if (c->runs)
        end_thread(c);
    for (int i = 0; i < c->sources; i++)
        free_source(&c->source[i]);
    free(c->source);
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool is_free(void *copies)
{
    return atomic_load(&((struct hyb_copies *)copies)->giving) == FREE;
}

static bool are_closed(void *copies)
{
    const struct hyb_copies *c = copies;

    if (!is_free(copies))
        return false;
    for (int i = 0; i < c->sources; i++)
        if (atomic_load(&c->source[i].state) != IS_CLOSED)
            return false;
    return true;
}

static bool poll_turn(void *copies)
{
    hyb_copies_poll(copies);
    return false;
}

void hyb_copies_close(struct hyb_copies *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->closes = true;
    if (atomic_load(&c->giving) == GIVEN)
        atomic_store(&c->giving, FREE);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
    hyb_wait_until(is_free, c, poll_turn, c);
    c->what = (message_t){.kind = CLOSES};
    atomic_store(&c->giving, GIVEN);
    hyb_wait_until(are_closed, c, poll_turn, c);
}
