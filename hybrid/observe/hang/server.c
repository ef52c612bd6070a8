/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "hybrid/observe/hang/job.h"

enum {
    PENDING = 256,  /* connections not authenticated yet, at most */
    STATE_LINES = 8 /* states reported, at most */
};

/* in seconds */
static const double pending_timeout = 10.0; /* to authenticate */
static const double pending_least = 0.25;   /* until it may be replaced */
static const double least_pause = 0.2;      /* between two questions */

/* Times are those of xh_clock_wall. */
typedef struct {
    hyb_connection_t connection;
    double ask_time;       /* of the first unanswered question; 0: none */
    double close_time;     /* when the connection closed; 0: it did not */
    bool is_goodbye_said;  /* the client has said goodbye */
    bool has_answered;     /* the client has answered the current question */
    bool is_loss_reported; /* a message said that its host does not answer */
} client_t;

typedef struct {
    hyb_connection_t connection;
    double accept_time;
    bool is_host_known; /* was a client from that host authenticated before? */
} pending_t;

static struct {
    client_t *clients; /* by rank */
    hyb_process_t *processes;
    pending_t pending[PENDING];
    bool is_full;           /* further connections must wait */
    double full_time;       /* when one last waited or was replaced; 0: never */
    bool is_asking;         /* some answers to a question are outstanding */
    double ask_time;        /* when the newest question was asked, or its end */
    bool is_stall_reported; /* by a client, since the newest question */
    bool is_wait_long;      /* a process in a phase has waited patience / 2 */
    hyb_blame_t blame;      /* the last blame reported */
} server;

bool hyb_hang_server_open(const hyb_hang_job_t *job)
{
    size_t count = (size_t)job->count;

    memset(&server, 0, sizeof(server));
    server.clients = calloc(count, sizeof(*server.clients));
    server.processes = calloc(count, sizeof(*server.processes));
    for (int i = 0; i < PENDING; i++)
        server.pending[i].connection.fd = -1;
    if (server.clients == NULL || server.processes == NULL) {
        free(server.clients);
        free(server.processes);
        return false;
    }
    server.processes[0].contact = HYB_CONTACT_ANSWERS;
    for (int rank = 1; rank < job->count; rank++) {
        server.clients[rank].connection.fd = -1;
        server.processes[rank].contact = HYB_CONTACT_NONE;
    }
    return true;
}

int hyb_hang_server_fds_limit(const hyb_hang_job_t *job)
{
    return job->count + PENDING;
}

/* List the listener, the clients by rank from 1 on, then the pending
 * connections. poll() ignores negative descriptors, which are closed. */
int hyb_hang_server_fds(const hyb_hang_job_t *job, struct pollfd *fds_p)
{
    fds_p[0] = (struct pollfd){.fd = server.is_full ? -1 : job->listener,
                               .events = POLLIN};
    for (int rank = 1; rank < job->count; rank++)
        fds_p[rank] = (struct pollfd){.fd = server.clients[rank].connection.fd,
                                      .events = POLLIN};
    for (int i = 0; i < PENDING; i++)
        fds_p[job->count + i] = (struct pollfd){
            .fd = server.pending[i].connection.fd, .events = POLLIN};
    return hyb_hang_server_fds_limit(job);
}

/* ---- pending connections ------------------------------------------------- */

static bool is_host_known(const hyb_hang_job_t *job, const hyb_connection_t *c)
{
    for (int rank = 1; rank < job->count; rank++)
        if (hyb_endpoint_equals(&server.clients[rank].connection.client,
                                &c->client))
            return true;
    return false;
}

/* Is `a` replaced before `b`? Closed connections go first, then those of
 * unknown hosts, then older ones. */
static bool is_replaced_before(const pending_t *a, const pending_t *b)
{
    bool is_closed = a->connection.fd < 0;

    if (is_closed || b->connection.fd < 0)
        return is_closed;
    if (a->is_host_known != b->is_host_known)
        return b->is_host_known;
    return a->accept_time < b->accept_time;
}

/* The pending connection that a new one may replace; NULL: none yet. */
static pending_t *find_replaceable(double now)
{
    pending_t *found = server.pending;

    for (int i = 1; i < PENDING; i++)
        if (is_replaced_before(&server.pending[i], found))
            found = &server.pending[i];
    return found->connection.fd < 0 || now > found->accept_time + pending_least
               ? found
               : NULL;
}

/* Replace `old` by `c`, except a known host by an unknown one. */
static void replace(pending_t *old, hyb_connection_t *c, bool host_known,
                    double now)
{
    if (old->connection.fd >= 0) {
        server.full_time = now;
        if (old->is_host_known && !host_known) {
            hyb_connection_close(c);
            return;
        }
    }
    hyb_connection_close(&old->connection);
    *old = (pending_t){
        .connection = *c, .accept_time = now, .is_host_known = host_known};
}

static void accept_connections(const hyb_hang_job_t *job, double now)
{
    hyb_connection_t c;
    pending_t *old;
    bool any = true;

    while (any && (old = find_replaceable(now)) != NULL) {
        c = hyb_connection_accept(job->listener, &job->rendezvous, &any);
        if (c.fd >= 0)
            replace(old, &c, is_host_known(job, &c), now);
    }
    server.is_full = any;
    if (any)
        server.full_time = now;
}

/* ---- frames -------------------------------------------------------------- */

/* Copy the state of a frame, and make its count and the ends of its texts safe.
 */
static void copy_state(const hyb_frame_t *frame)
{
    hyb_state_t *state = &server.processes[frame->rank].state;

    *state = frame->state;
    if (state->wait_count < 0 || state->wait_count > HPL_WAITS_MOST)
        state->wait_count = 0;
    state->position[HYB_POSITION_SIZE - 1] = '\0';
    for (int i = 0; i < state->wait_count; i++)
        state->waits[i].what[HYB_WHAT_SIZE - 1] = '\0';
}

/* Note that `rank`, or nobody if negative, made the job wait for `seconds`. */
static void note_hang(const hyb_hang_job_t *job, int rank, double seconds,
                      const char *text, bool ends)
{
    hpl_hang_t hang = {.rank = rank, .seconds = seconds, .ended = ends};

    if (rank >= 0)
        memcpy(hang.host, job->host[rank], HYB_HOST_SIZE);
    snprintf(hang.text, sizeof(hang.text), "%s", text);
    hpl_hang_note(&hang);
}

/* Another process has ended the job, because this one was stopped: end. */
static void end_for_client(const hyb_hang_job_t *job, const hyb_frame_t *frame)
{
    char text[512];

    snprintf(text, sizeof(text), "rank %d on %s has ended the job: %.*s",
             frame->rank, job->host[frame->rank], HYB_POSITION_SIZE - 1,
             frame->state.position);
    note_hang(job, 0, frame->state.stall, text, true);
    hyb_hang_end_job(text);
}

static void handle_frame(const hyb_hang_job_t *job, const hyb_frame_t *frame)
{
    client_t *client = &server.clients[frame->rank];
    hyb_process_t *process = &server.processes[frame->rank];
    hyb_frame_t answer = hyb_hang_frame(job, HYB_FRAME_HELLO);

    copy_state(frame);
    if (frame->kind == HYB_FRAME_ABORT)
        end_for_client(job, frame);
    if (frame->kind == HYB_FRAME_BYE) {
        client->is_goodbye_said = true;
        process->state.stall = 0.0;
    }
    process->contact = HYB_CONTACT_ANSWERS;
    process->silence = client->ask_time = 0.0;
    if (client->is_loss_reported)
        xh_log_warning_of(frame->rank, job->host[frame->rank],
                          "it answers again");
    client->is_loss_reported = false;
    client->has_answered = true;
    server.is_stall_reported |= frame->kind == HYB_FRAME_STALL;
    hyb_connection_send(&client->connection, &answer);
}

/* Let the authenticated connection replace the client's earlier one. */
static void become_client(const hyb_hang_job_t *job, hyb_connection_t *c)
{
    client_t *client = &server.clients[c->frame.rank];

    hyb_connection_close(&client->connection);
    client->connection = *c;
    client->close_time = 0.0;
    c->fd = -1;
    handle_frame(job, &client->connection.frame);
}

static void receive_from_pending(const hyb_hang_job_t *job, double now)
{
    for (int i = 0; i < PENDING; i++) {
        hyb_connection_t *c = &server.pending[i].connection;
        hyb_received_t received = hyb_connection_receive(c);

        if (received == HYB_RECEIVED_FRAME && c->frame.rank > 0 &&
            c->frame.rank < job->count)
            become_client(job, c);
        else if (received == HYB_RECEIVED_FRAME ||
                 now > server.pending[i].accept_time + pending_timeout)
            hyb_connection_close(c);
    }
}

static void report_loss(const hyb_hang_job_t *job, int rank)
{
    client_t *client = &server.clients[rank];

    server.processes[rank].contact = HYB_CONTACT_CUT_OFF;
    if (!client->is_loss_reported)
        xh_log_warning_of(rank, job->host[rank],
                          "its host does not answer: it is down, or cut off");
    client->is_loss_reported = true;
}

static void receive_from_client(const hyb_hang_job_t *job, int rank, double now)
{
    client_t *client = &server.clients[rank];
    hyb_connection_t *c = &client->connection;
    hyb_received_t received;

    while ((received = hyb_connection_receive(c)) == HYB_RECEIVED_FRAME)
        if (c->frame.rank == rank)
            handle_frame(job, &c->frame);
    if (client->is_goodbye_said || received == HYB_RECEIVED_NOTHING)
        return;
    if (received == HYB_RECEIVED_LOSS)
        report_loss(job, rank);
    else if (received == HYB_RECEIVED_CLOSE)
        client->close_time = now;
    else {
        server.processes[rank].contact = HYB_CONTACT_NONE;
        xh_log_warning_of(
            rank, job->host[rank],
            "somebody altered the data on its connection, which was closed");
    }
    if (client->ask_time == 0.0)
        client->ask_time = now;
}

static void send_to_all(const hyb_hang_job_t *job, hyb_frame_t frame)
{
    for (int rank = 1; rank < job->count; rank++)
        hyb_connection_send(&server.clients[rank].connection, &frame);
}

/* Tell all clients why the job ends, and end it. */
static void end_job(const hyb_hang_job_t *job, const char *text)
{
    send_to_all(job, hyb_hang_abort_frame(job, text));
    hyb_hang_end_job(text);
}

/* ---- ended processes ----------------------------------------------------- */

/* Does a pending connection claim to belong to `rank`? */
static bool is_pending(int rank)
{
    for (int i = 0; i < PENDING; i++) {
        const hyb_connection_t *c = &server.pending[i].connection;

        if (c->has_nonces && c->session.rank == (uint64_t)rank)
            return true;
    }
    return false;
}

/* A process has ended, and the launcher has not ended the job: end it. */
static void end_for_ended(const hyb_hang_job_t *job, int rank)
{
    char text[512];

    snprintf(text, sizeof(text),
             "rank %d on %s has ended without a word, last seen %.*s; the job "
             "ends",
             rank, job->host[rank], HYB_POSITION_SIZE,
             server.processes[rank].state.position);
    note_hang(job, rank, 0.0, text, true);
    end_job(job, text);
}

/* A client without a connection that has not said goodbye has ended if it could
 * have reconnected for long enough. */
static void find_ended(const hyb_hang_job_t *job, double now)
{
    for (int rank = 1; rank < job->count; rank++) {
        const client_t *client = &server.clients[rank];

        if (client->close_time == 0.0 || client->is_goodbye_said)
            continue;
        server.processes[rank].contact = HYB_CONTACT_CLOSED;
        if (!is_pending(rank) &&
            now >
                fmax(client->close_time, server.full_time) + HYB_GRACE_SECONDS)
            end_for_ended(job, rank);
    }
}

/* ---- questions ----------------------------------------------------------- */

static void ask(const hyb_hang_job_t *job, double now)
{
    for (int rank = 1; rank < job->count; rank++) {
        client_t *client = &server.clients[rank];

        client->has_answered = client->connection.fd < 0;
        if (client->ask_time == 0.0)
            client->ask_time = now;
    }
    send_to_all(job, hyb_hang_frame(job, HYB_FRAME_ASK));
    server.is_asking = true;
    server.ask_time = now;
    server.is_stall_reported = false;
}

/* Have all processes answered that answered the last question? */
static bool have_all_answered(const hyb_hang_job_t *job)
{
    for (int rank = 1; rank < job->count; rank++)
        if (!server.clients[rank].has_answered &&
            server.processes[rank].contact == HYB_CONTACT_ANSWERS)
            return false;
    return true;
}

static void note_silence(const hyb_hang_job_t *job, double now)
{
    for (int rank = 1; rank < job->count; rank++) {
        const client_t *client = &server.clients[rank];
        const hyb_connection_t *c = &client->connection;
        hyb_process_t *process = &server.processes[rank];

        if (client->has_answered && c->fd >= 0)
            continue;
        process->silence =
            client->ask_time > 0.0 ? now - client->ask_time : 0.0;
        if (c->fd >= 0)
            process->contact = hyb_connection_is_acknowledged(c)
                                   ? HYB_CONTACT_SILENT
                                   : HYB_CONTACT_CUT_OFF;
    }
}

/* ---- judgement ----------------------------------------------------------- */

/* Has the process waited for `seconds` in a phase? */
static bool is_stalled(int rank, double seconds)
{
    const hyb_process_t *process = &server.processes[rank];

    return process->contact == HYB_CONTACT_ANSWERS &&
           process->state.kind != HYB_STATE_BETWEEN &&
           process->state.stall >= seconds;
}

static void report_states(const hyb_hang_job_t *job)
{
    char text[512];
    int lines = 0;

    for (int rank = 0; rank < job->count && lines < STATE_LINES; rank++) {
        const hyb_state_t *state = &server.processes[rank].state;

        if (!is_stalled(rank, job->patience))
            continue;
        hyb_describe_state(job, state, text, sizeof(text));
        xh_log_warning_of(rank, job->host[rank], "no progress for %.0f s, %s",
                          state->stall, text);
        lines++;
    }
}

/* Report a blame that differs from the last one, and end the job at its time
 * limit. */
static void report_blame(const hyb_hang_job_t *job, const hyb_blame_t *blame)
{
    char text[512];
    bool ends = job->limit > 0.0 && blame->stall >= job->limit;

    if (!ends && server.blame.fault == blame->fault &&
        server.blame.rank == blame->rank)
        return;
    hyb_describe_blame(job, server.processes, blame, text, sizeof(text));
    if (server.blame.fault == HYB_FAULT_NONE)
        report_states(job);
    server.blame = *blame;
    note_hang(job, blame->rank, blame->stall, text, ends);
    if (!ends) {
        xh_log_warning_of(-1, "", "%s", text);
        return;
    }
    strncat(text, "; the job ends", sizeof(text) - strlen(text) - 1);
    end_job(job, text);
}

static void judge(const hyb_hang_job_t *job)
{
    hyb_blame_t blame = hyb_blame(server.processes, job->count, job->patience);

    server.is_wait_long = false;
    for (int rank = 0; rank < job->count; rank++)
        server.is_wait_long |= is_stalled(rank, job->patience / 2.0);
    if (blame.fault != HYB_FAULT_NONE) {
        report_blame(job, &blame);
        server.blame.stall = blame.stall;
    } else if (server.blame.fault != HYB_FAULT_NONE) {
        xh_log_warning_of(-1, "", "the job makes progress again, after %.0f s",
                          server.blame.stall);
        server.blame.fault = HYB_FAULT_NONE;
    }
}

/* Seconds from one question to the next. */
static double question_pause(const hyb_hang_job_t *job)
{
    double most = server.is_wait_long || server.blame.fault != HYB_FAULT_NONE
                      ? 2.0
                      : 60.0;

    if (server.is_stall_reported)
        return least_pause;
    return fmax(least_pause, fmin(job->patience / 4.0, most));
}

void hyb_hang_server_step(const hyb_hang_job_t *job, const struct pollfd *fds,
                          double now)
{
    accept_connections(job, now);
    receive_from_pending(job, now);
    for (int rank = 1; rank < job->count; rank++)
        if (fds[rank].revents != 0)
            receive_from_client(job, rank, now);
    server.processes[0].state = job->state;
    find_ended(job, now);
    if (!server.is_asking && now > server.ask_time + question_pause(job))
        ask(job, now);
    if (!server.is_asking ||
        (!have_all_answered(job) && now < server.ask_time + HYB_ANSWER_SECONDS))
        return;
    note_silence(job, now);
    server.is_asking = false;
    server.ask_time = now;
    judge(job);
}

void hyb_hang_server_close(const hyb_hang_job_t *job)
{
    send_to_all(job, hyb_hang_frame(job, HYB_FRAME_BYE));
    for (int rank = 1; rank < job->count; rank++)
        hyb_connection_close(&server.clients[rank].connection);
    for (int i = 0; i < PENDING; i++)
        hyb_connection_close(&server.pending[i].connection);
    free(server.clients);
    free(server.processes);
}
