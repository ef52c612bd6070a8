/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "hpl/comm/waits.h"
#include "hpl/pauxil/abort.h"

typedef struct {
    double *buffer;
    size_t count;
    int peer;
    int round;
    bool outgoing;
} message_t;

struct hpl_schedule {
    MPI_Comm comm;
    int tag;
    message_t *messages;
    int count, capacity;
    int rounds;            /* the round that new messages join */
    int started;           /* messages handed to MPI */
    MPI_Request *requests; /* requests of the round in flight */
    hpl_open_t *with;      /* peer of each request */
    int pending, request_capacity, with_capacity;
    hpl_schedule_t *beside; /* next schedule beside this one, or NULL */
};

size_t hpl_message_chunk = (size_t)1 << 26;
size_t hpl_message_piece = (size_t)1 << 17; /* 1 MiB */

size_t hpl_message_pieces(size_t count)
{
    const size_t most = 16;

    return Mmin(count / hpl_message_piece + 1, most);
}

static void *grow(void *array, int count, int *capacity_p, size_t size)
{
    if (count < *capacity_p)
        return array;
    *capacity_p = 2 * count + 8;
    array = realloc(array, (size_t)*capacity_p * size);
    if (array == NULL)
        HPL_pabort(__LINE__, "hpl_schedule", "out of memory");
    return array;
}

hpl_schedule_t *hpl_schedule_create(MPI_Comm comm, int tag)
{
    hpl_schedule_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        HPL_pabort(__LINE__, "hpl_schedule_create", "out of memory");
    s->comm = comm;
    s->tag = tag;
    return s;
}

static void add(hpl_schedule_t *s, message_t message)
{
    if (message.count == 0)
        return;
    s->messages = grow(s->messages, s->count, &s->capacity, sizeof(message_t));
    s->messages[s->count++] = message;
}

void hpl_schedule_send(hpl_schedule_t *s, double *buffer, size_t count,
                       int peer)
{
    add(s, (message_t){buffer, count, peer, s->rounds, true});
}

void hpl_schedule_receive(hpl_schedule_t *s, double *buffer, size_t count,
                          int peer)
{
    add(s, (message_t){buffer, count, peer, s->rounds, false});
}

void hpl_schedule_next_round(hpl_schedule_t *s)
{
    s->rounds++;
}

/* Length of the parts into which both ends cut a message of `count` doubles.
 * The number of parts is limited for the MPI library's sake. */
static size_t chunk_of(size_t count)
{
    const size_t parts_most = 1024;

    return Mmax(hpl_message_chunk, (count + parts_most - 1) / parts_most);
}

static void start_message(hpl_schedule_t *s, const message_t *m)
{
    size_t length, chunk = chunk_of(m->count);
    MPI_Request *request;

    for (size_t done = 0; done < m->count; done += length) {
        length = Mmin(m->count - done, chunk);
        s->requests = grow(s->requests, s->pending, &s->request_capacity,
                           sizeof(MPI_Request));
        s->with =
            grow(s->with, s->pending, &s->with_capacity, sizeof(hpl_open_t));
        s->with[s->pending] =
            (hpl_open_t){m->peer, (double)length * sizeof(double)};
        request = &s->requests[s->pending++];
        if (m->outgoing)
            MPI_Isend(m->buffer + done, (int)length, MPI_DOUBLE, m->peer,
                      s->tag, s->comm, request);
        else
            MPI_Irecv(m->buffer + done, (int)length, MPI_DOUBLE, m->peer,
                      s->tag, s->comm, request);
    }
}

hpl_schedule_t *hpl_schedule_beside(hpl_schedule_t *s)
{
    s->beside = hpl_schedule_create(s->comm, s->tag);
    return s->beside;
}

/* Start the next round, if there is one. */
static void start_round(hpl_schedule_t *s)
{
    int round;

    s->pending = 0;
    if (s->started == s->count)
        return;
    round = s->messages[s->started].round;
    while (s->started < s->count && s->messages[s->started].round == round)
        start_message(s, &s->messages[s->started++]);
}

void hpl_schedule_begin(hpl_schedule_t *s)
{
    for (; s != NULL; s = s->beside)
        start_round(s);
}

/* The first message of the round that ends before message number `end`. */
static int first_of_round(const hpl_schedule_t *s, int end)
{
    int i = end - 1;

    while (i > 0 && s->messages[i - 1].round == s->messages[end - 1].round)
        i--;
    return i;
}

static hpl_messages_t under_way(const hpl_schedule_t *s)
{
    return (hpl_messages_t){s->comm,     hpl_waits_name(s->comm),
                            s->tag,      s->pending,
                            s->requests, s->with};
}

static bool poll_alone(hpl_schedule_t *s)
{
    hpl_messages_t round;

    while (s->pending > 0) {
        round = under_way(s);
        if (!hpl_messages_test(&round))
            return false;
        start_round(s);
    }
    return true;
}

/* Is the first round in flight? Messages of one tag arrive in the order in
 * which they were sent. */
static bool is_in_first_round(const hpl_schedule_t *s)
{
    return s->pending > 0 && s->messages[s->started - 1].round == 0;
}

bool hpl_schedule_poll(hpl_schedule_t *s)
{
    bool done = true;

    hpl_abort_if_wanted(NULL);
    for (; s != NULL; s = s->beside) {
        done = poll_alone(s) && done;
        if (is_in_first_round(s))
            return false;
    }
    return done;
}

bool hpl_schedule_has_received(const hpl_schedule_t *s)
{
    for (; s != NULL; s = s->beside)
        for (int i = s->pending > 0 ? first_of_round(s, s->started) : s->count;
             i < s->count; i++)
            if (!s->messages[i].outgoing)
                return false;
    return true;
}

/* Finish a round of each schedule beside s. Returns false if there was none. */
static bool finish_rounds(hpl_schedule_t *s)
{
    hpl_messages_t round;
    bool any = false;

    for (; s != NULL; s = s->beside)
        if (s->pending > 0) {
            round = under_way(s);
            hpl_messages_wait(&round);
            start_round(s);
            any = true;
        }
    return any;
}

void hpl_schedule_end(hpl_schedule_t *s)
{
    hpl_schedule_t *beside;

    while (finish_rounds(s))
        ;
    for (; s != NULL; s = beside) {
        beside = s->beside;
        free(s->messages);
        free(s->requests);
        free(s->with);
        free(s);
    }
}

/* ---- upstream's blocking messages ---------------------------------------- */

int HPL_sdrv(double *SBUF, int SCOUNT, int STAG, double *RBUF, int RCOUNT,
             int RTAG, int PARTNER, MPI_Comm COMM)
{
    hpl_schedule_t *out = hpl_schedule_create(COMM, STAG);
    hpl_schedule_t *in = hpl_schedule_create(COMM, RTAG);

    hpl_schedule_receive(in, RBUF, (size_t)Mmax(RCOUNT, 0), PARTNER);
    hpl_schedule_send(out, SBUF, (size_t)Mmax(SCOUNT, 0), PARTNER);
    hpl_schedule_begin(in);
    hpl_schedule_begin(out);
    hpl_schedule_end(out);
    hpl_schedule_end(in);
    return HPL_SUCCESS;
}

int HPL_send(double *SBUF, int SCOUNT, int DEST, int STAG, MPI_Comm COMM)
{
    return HPL_sdrv(SBUF, SCOUNT, STAG, NULL, 0, 0, DEST, COMM);
}

int HPL_recv(double *RBUF, int RCOUNT, int SRC, int RTAG, MPI_Comm COMM)
{
    return HPL_sdrv(NULL, 0, 0, RBUF, RCOUNT, RTAG, SRC, COMM);
}
