/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/status.h"
#include "hybrid/observe/hang/job.h"

/* in seconds */
static const double connect_timeout = 2.0; /* for each address */
static const double hello_timeout = 60.0;  /* process 0 serves all */
static const double retry_interval = 10.0; /* once all addresses were tried */
static const double longest_report_pause = 60.0; /* between two reports */

/* Times are those of xh_clock_wall. */
static struct {
    hyb_connection_t connection;
    int tried;              /* addresses tried since the first one */
    int address;            /* index of the address tried last */
    double connect_time;    /* when to reconnect, unless authenticated */
    bool is_hello_sent;     /* process 0's host has accepted the connection */
    bool is_authenticated;  /* process 0 has proven its identity on it */
    bool was_authenticated; /* on this or on an earlier connection */
    bool is_goodbye_said;   /* process 0 has said goodbye */
    double close_time; /* when the connection closed without a goodbye; 0: it
                          did not */
    double send_time;  /* when the oldest unanswered frame was sent; 0: none */
    double report_time, report_pause; /* of the next report of a stall */
    double exit_time;                 /* when to end this process; 0: not set */
    char abort_reason[HYB_POSITION_SIZE]; /* the reason given by process 0 */
    bool is_warned; /* this process itself has warned of its stall */
    double stall;   /* s of stall at that warning */
} client;

void hyb_hang_client_open(void)
{
    memset(&client, 0, sizeof(client));
    client.connection.fd = -1;
}

int hyb_hang_client_fds(struct pollfd *fds_p)
{
    fds_p[0].fd = client.connection.fd;
    fds_p[0].events = client.is_hello_sent ? POLLIN : POLLIN | POLLOUT;
    return client.connection.fd >= 0;
}

/* ---- the connection ------------------------------------------------------ */

/*
 * Index of the next address to try; negative: all were tried. An address at
 * which process 0 has answered is kept. On process 0's own host, loopback
 * addresses are tried first, although they come last in the list.
 */
static int next_address(const hyb_hang_job_t *job)
{
    const hyb_addresses_t *list = &job->rendezvous.addresses;
    bool is_same_host = job->is_same_host;
    int i;

    if (client.was_authenticated)
        return client.address;
    while (client.tried < list->count) {
        i = is_same_host ? list->count - 1 - client.tried : client.tried;
        client.tried++;
        if (is_same_host || !hyb_address_is_loopback(&list->at[i]))
            return i;
    }
    client.tried = 0;
    return -1;
}

/* Close the connection. Process 0 was alive at least until now, as its host had
 * accepted the connection. */
static void close_connection(double now)
{
    hyb_connection_close(&client.connection);
    if (client.is_hello_sent && client.close_time > 0.0)
        client.close_time = now;
    client.is_hello_sent = client.is_authenticated = false;
}

static void connect_to_server(const hyb_hang_job_t *job, double now)
{
    int i;

    if (job->rendezvous.addresses.count == 0 || now < client.connect_time)
        return;
    close_connection(now);
    i = next_address(job);
    client.connect_time = now + (i < 0 ? retry_interval : connect_timeout);
    if (i < 0)
        return;
    client.address = i;
    client.connection = hyb_connection_connect(&job->rendezvous, i, job->rank);
}

static void send_state(const hyb_hang_job_t *job, hyb_frame_kind_t kind,
                       double now)
{
    hyb_frame_t frame = hyb_hang_frame(job, kind);

    hyb_connection_send(&client.connection, &frame);
    if (client.send_time == 0.0)
        client.send_time = now;
}

static void send_hello(double now)
{
    client.is_hello_sent = hyb_connection_send_hello(&client.connection);
    if (client.is_hello_sent)
        client.connect_time = now + hello_timeout;
    if (client.send_time == 0.0)
        client.send_time = now;
}

/* Handle a frame. Answer the first answer, too, which authenticates this
 * process. */
static void handle_frame(const hyb_hang_job_t *job, double now)
{
    const hyb_frame_t *frame = &client.connection.frame;
    bool is_first = !client.is_authenticated;

    client.is_authenticated = client.was_authenticated = true;
    client.send_time = client.close_time = 0.0;
    if (frame->kind == HYB_FRAME_ASK || is_first)
        send_state(job, HYB_FRAME_STATE, now);
    if (frame->kind == HYB_FRAME_BYE)
        client.is_goodbye_said = true;
    if (frame->kind == HYB_FRAME_ABORT && client.exit_time == 0.0) {
        client.exit_time = now + HYB_GRACE_SECONDS;
        snprintf(client.abort_reason, sizeof(client.abort_reason), "%.*s",
                 HYB_POSITION_SIZE - 1, frame->state.position);
    }
}

static void receive_frames(const hyb_hang_job_t *job, double now)
{
    hyb_received_t received;

    while ((received = hyb_connection_receive(&client.connection)) ==
           HYB_RECEIVED_FRAME)
        handle_frame(job, now);
    if (received == HYB_RECEIVED_NOTHING)
        return;
    if (received == HYB_RECEIVED_FORGERY && client.is_authenticated)
        xh_log_warning("somebody altered the data on the connection to rank 0 "
                       "on %s, which was closed",
                       job->host[0]);
    if (received == HYB_RECEIVED_CLOSE && client.is_authenticated &&
        !client.is_goodbye_said && client.exit_time == 0.0)
        client.close_time = now;
    client.connect_time = client.is_authenticated ? now
                                                  : fmin(client.connect_time,
                                                         now + connect_timeout);
    close_connection(now);
}

/* ---- a process whose server does not answer ------------------------------ */

static bool is_alone(double now)
{
    return !client.is_authenticated ||
           (client.send_time > 0.0 &&
            now > client.send_time + HYB_ANSWER_SECONDS);
}

/* Describe process 0: "; rank 0 on n01 does not answer ...", or "". */
static void describe_server(const hyb_hang_job_t *job, double now, char *text,
                            size_t size)
{
    const char *how = "does not answer while its host does: it is stopped";

    text[0] = '\0';
    if (!client.was_authenticated || !is_alone(now))
        return;
    if (!client.is_authenticated ||
        !hyb_connection_is_acknowledged(&client.connection))
        how = "does not answer, and neither does its host: that host or this "
              "one is cut off";
    snprintf(text, size, "; rank 0 on %s %s", job->host[0], how);
}

/* Warn of the stall, or end the job. Between phases this process does not know
 * whether it waits, so only a stopped process 0 counts. */
static void report_alone(const hyb_hang_job_t *job, double now)
{
    char state[512], server[256], text[800];
    hyb_frame_t abort_frame;
    bool ends = job->limit > 0.0 && job->state.stall >= job->limit;

    if (job->state.kind == HYB_STATE_BETWEEN && !client.was_authenticated)
        return;
    hyb_describe_state(job, &job->state, state, sizeof(state));
    describe_server(job, now, server, sizeof(server));
    snprintf(text, sizeof(text), "no progress for %.0f s, %s%s",
             job->state.stall, state, server);
    if (ends) {
        abort_frame = hyb_hang_abort_frame(job, server[0] ? server + 2 : text);
        hyb_connection_send(&client.connection, &abort_frame);
        strncat(text, "; the job ends", sizeof(text) - strlen(text) - 1);
        hyb_hang_end_job(text);
    }
    if (!client.is_warned)
        xh_log_warning("%s", text);
    client.is_warned = true;
    client.stall = job->state.stall;
}

static void report_stall(const hyb_hang_job_t *job, double now)
{
    if (job->state.stall < job->patience) {
        if (client.is_warned)
            xh_log_warning("the job makes progress again, after %.0f s",
                           client.stall);
        client.is_warned = false;
        client.report_time = client.report_pause = 0.0;
        return;
    }
    if (client.is_authenticated && now > client.report_time) {
        send_state(job, HYB_FRAME_STALL, now);
        client.report_pause =
            fmin(fmax(1.0, 2.0 * client.report_pause), longest_report_pause);
        client.report_time = now + client.report_pause;
    }
    if (is_alone(now))
        report_alone(job, now);
}

/*
 * End this process if process 0 has ended or ends the job. First process 0 and
 * the launcher get time to end it, and ranks are staggered so that not all of
 * them log it at once. If process 0's system only reset the connection, as
 * after a pause of seconds, process 0 accepts another one.
 */
static void end_with_server(const hyb_hang_job_t *job, double now)
{
    double stagger = fmin(0.05 * job->rank, 2.0);
    char text[256];

    if (client.exit_time > 0.0 && now > client.exit_time) {
        xh_log_error("ends, as rank 0 on %s has ended the job: %s",
                     job->host[0], client.abort_reason);
        _exit(XH_EXIT_RUNTIME);
    }
    if (client.close_time == 0.0 || client.is_hello_sent ||
        now < client.close_time + HYB_GRACE_SECONDS + stagger)
        return;
    snprintf(text, sizeof(text),
             "rank 0 on %s has ended without a word; the job ends",
             job->host[0]);
    hyb_hang_end_job(text);
}

void hyb_hang_client_step(const hyb_hang_job_t *job, double now)
{
    receive_frames(job, now);
    if (!client.is_authenticated) {
        connect_to_server(job, now);
        if (!client.is_hello_sent)
            send_hello(now);
    }
    if (client.exit_time == 0.0 &&
        (client.close_time == 0.0 || client.is_hello_sent))
        report_stall(job, now);
    end_with_server(job, now);
}

void hyb_hang_client_close(const hyb_hang_job_t *job)
{
    send_state(job, HYB_FRAME_BYE, 0.0);
    hyb_connection_close(&client.connection);
}
