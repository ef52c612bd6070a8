/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/job.h"

#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/status.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/observe/connection_fixture.h"

/* Process 1 of two, and in place of process 0 its end of the connection; or the
 * reverse. */
typedef struct {
    hyb_hang_job_t job;
    hyb_connection_t server;
    double now;
} pair_t;

static void step(pair_t *p, double seconds)
{
    p->now += seconds;
    hyb_hang_client_step(&p->job, p->now);
}

/* Accept the connection of process 1, and answer its hello. */
static void answer(pair_t *p)
{
    p->server = accept_one(p->job.listener, &p->job.rendezvous);
    step(p, 0.01);
    assert_int_equal(receive(&p->server), HYB_RECEIVED_NOTHING);
    assert_true(p->server.has_nonces && !p->server.is_authenticated);
}

/* Process 1 receives what was sent. */
static void receive_once(pair_t *p)
{
    struct pollfd fd;

    assert_int_equal(hyb_hang_client_fds(&fd), 1);
    wait_for(fd.fd, POLLIN);
    step(p, 0.01);
}

static void begin(pair_t *p)
{
    static char host[2][HYB_HOST_SIZE] = {"here", "here"};

    *p = (pair_t){.job = {.rank = 1,
                          .count = 2,
                          .host = host,
                          .is_same_host = true,
                          .patience = 100.0,
                          .limit = 1000.0},
                  .now = 1.0};
    p->job.listener = hyb_connection_listen(true, &p->job.rendezvous);
    assert_true(p->job.listener >= 0);
    hyb_hang_client_open();
    step(p, 0.0);
}

static void authenticate(pair_t *p)
{
    begin(p);
    answer(p);
    receive_once(p);
    assert_int_equal(receive(&p->server), HYB_RECEIVED_FRAME);
    assert_int_equal(p->server.frame.kind, HYB_FRAME_STATE);
}

static void end(pair_t *p)
{
    hyb_hang_client_close(&p->job);
    hyb_connection_close(&p->server);
    close(p->job.listener);
}

/* A system does the same when it considers the connection lost. */
static void reset(pair_t *p)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(p->server.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    hyb_connection_close(&p->server);
    receive_once(p);
}

TEST(a_client_reconnects_after_a_reset)
{
    pair_t p;

    authenticate(&p);
    for (int i = 0; i < 3; i++) {
        step(&p, 2.0 * HYB_GRACE_SECONDS);
        reset(&p);
        answer(&p);
        receive_once(&p);
    }
    step(&p, 2.0 * HYB_GRACE_SECONDS);
    end(&p);
}

/* The exit status of run in a process of its own. */
static int status_of(void (*run)(void))
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A test in a process of its own, which leaves all open and ends with status:
 * XH_EXIT_RUNTIME if it considers the other process ended. */
#define TEST_OF_STATUS(name, status)                                           \
    static void name##_run(void);                                              \
    TEST_CALL(name, assert_int_equal(status_of(name##_run), status))           \
    static void name##_run(void)

TEST_OF_STATUS(a_server_that_no_longer_listens_has_ended, XH_EXIT_RUNTIME)
{
    pair_t p;

    authenticate(&p);
    close(p.job.listener);
    reset(&p);
    while (p.now < 2.0 + HYB_GRACE_SECONDS)
        step(&p, 0.5);
}

/* Process 0 may need a while, as in a job of many processes. */
TEST(a_client_waits_for_a_server_that_answers_late)
{
    struct pollfd before, after;
    pair_t p;

    begin(&p);
    step(&p, 0.01);
    assert_int_equal(hyb_hang_client_fds(&before), 1);
    for (int i = 0; i < 20; i++)
        step(&p, 1.0);
    assert_int_equal(hyb_hang_client_fds(&after), 1);
    assert_int_equal(after.fd, before.fd);
    answer(&p);
    receive_once(&p);
    end(&p);
}

/* ---- process 0 ----------------------------------------------------------- */

static void step_server(pair_t *p, double seconds)
{
    struct pollfd fds[1024];

    assert_in_range(hyb_hang_server_fds_limit(&p->job), 1, 1024);
    poll(fds, (nfds_t)hyb_hang_server_fds(&p->job, fds), 20);
    p->now += seconds;
    hyb_hang_server_step(&p->job, fds, p->now);
}

static void send_frame(hyb_connection_t *client, const hyb_hang_job_t *job,
                       hyb_frame_kind_t kind)
{
    hyb_frame_t frame = hyb_hang_frame(job, kind);

    frame.rank = 1;
    assert_true(hyb_connection_send(client, &frame));
}

static void step_server_often(pair_t *p, int count, double seconds)
{
    for (int i = 0; i < count; i++)
        step_server(p, seconds);
}

static void prove_identity(pair_t *p, hyb_connection_t *client)
{
    assert_int_equal(receive(client), HYB_RECEIVED_FRAME);
    assert_true(client->is_authenticated);
    send_frame(client, &p->job, HYB_FRAME_STATE);
    step_server_often(p, 3, 0.01);
}

/* Process 1 connects and is authenticated. */
static hyb_connection_t join(pair_t *p)
{
    hyb_connection_t client = connect_client(&p->job.rendezvous);

    step_server_often(p, 3, 0.01);
    prove_identity(p, &client);
    return client;
}

static void begin_as_server(pair_t *p)
{
    begin(p);
    p->job.rank = 0;
    assert_true(hyb_hang_server_open(&p->job));
}

/* A client closes and connects again after 20 s. Ends this process if the
 * server considers it ended. */
static void lose_client(bool is_authenticated)
{
    hyb_connection_t client;
    pair_t p;

    begin_as_server(&p);
    client = is_authenticated ? join(&p) : connect_client(&p.job.rendezvous);
    step_server_often(&p, 3, 0.01);
    hyb_connection_close(&client);
    step_server_often(&p, 20, 1.0);
    join(&p);
}

TEST_OF_STATUS(a_client_that_was_not_answered_may_connect_again, 0)
{
    lose_client(false);
}

TEST_OF_STATUS(an_authenticated_client_that_closes_has_ended, XH_EXIT_RUNTIME)
{
    lose_client(true);
}

/* ---- strangers ----------------------------------------------------------- */

/* Connect from an address without processes; if says_hello, claim rank 1. */
static void connect_stranger(const pair_t *p, bool says_hello)
{
    const struct sockaddr_storage *to = &p->job.rendezvous.addresses.at[0];
    struct sockaddr_in from = {.sin_family = AF_INET};
    hyb_frame_t hello = {.kind = HYB_FRAME_HELLO, .rank = 1};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 7);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(
        connect(fd, (const struct sockaddr *)to, sizeof(struct sockaddr_in)),
        0);
    if (says_hello)
        assert_int_equal(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
}

/* More than can be pending. */
static void connect_strangers(pair_t *p, bool say_hello)
{
    for (int i = 0; i < 300; i++) {
        connect_stranger(p, say_hello);
        if (i % 50 == 0)
            step_server(p, 0.1);
    }
}

/* A client's connection is lost. Strangers connect before it reconnects, or
 * between its hello and its authentication. Ends this process if the server
 * considers the client ended. */
static void reconnect_among_strangers(bool say_hello, bool after_its_hello)
{
    hyb_connection_t client;
    pair_t p;

    begin_as_server(&p);
    client = join(&p);
    if (!after_its_hello)
        connect_strangers(&p, say_hello);
    hyb_connection_close(&client);
    step_server_often(&p, 3, 0.01);
    client = connect_client(&p.job.rendezvous);
    if (after_its_hello) {
        step_server_often(&p, 3, 0.01);
        connect_strangers(&p, say_hello);
    }
    step_server_often(&p, 5, 0.5);
    prove_identity(&p, &client);
    step_server_often(&p, 20, 1.0);
    assert_true(hyb_connection_is_acknowledged(&client));
}

TEST_OF_STATUS(a_client_replaces_idle_strangers, 0)
{
    reconnect_among_strangers(false, false);
}

TEST_OF_STATUS(a_client_replaces_strangers_that_said_hello, 0)
{
    reconnect_among_strangers(true, false);
}

TEST_OF_STATUS(strangers_do_not_replace_a_known_host, 0)
{
    reconnect_among_strangers(false, true);
}

/* A client reconnects and is stopped before it authenticates itself. */
TEST_OF_STATUS(a_client_that_said_hello_again_has_not_ended, 0)
{
    hyb_connection_t client;
    pair_t p;

    begin_as_server(&p);
    client = join(&p);
    hyb_connection_close(&client);
    client = connect_client(&p.job.rendezvous);
    step_server_often(&p, 9, 1.0);
    prove_identity(&p, &client);
    step_server_often(&p, 9, 1.0);
}

/* This server does not know the secret. */
TEST_OF_STATUS(a_server_that_is_not_authenticated_is_not_believed, 0)
{
    pair_t p;

    begin(&p);
    p.job.rendezvous.secret[0] ^= 1;
    answer(&p);
    p.job.rendezvous.secret[0] ^= 1;
    receive_once(&p);
    for (int i = 0; i < 40; i++)
        step(&p, 0.5);
}

/* Process 0 lives as long as its host accepts connections. */
TEST_OF_STATUS(a_server_whose_host_accepts_has_not_ended, 0)
{
    pair_t p;

    authenticate(&p);
    reset(&p);
    while (p.now < 20.0 + HYB_GRACE_SECONDS)
        step(&p, 0.5);
}

/* ---- the reason of an abort ---------------------------------------------- */

static void receive_abort(void)
{
    hyb_frame_t abort_frame;
    pair_t p;

    authenticate(&p);
    abort_frame = hyb_hang_abort_frame(&p.job, "all wait for rank 3");
    assert_true(hyb_connection_send(&p.server, &abort_frame));
    receive_once(&p);
    while (p.now < 4.0 + HYB_GRACE_SECONDS)
        step(&p, 0.5);
}

TEST(a_client_says_who_has_ended_the_job)
{
    assert_in(
        heard(assert_int_equal(status_of(receive_abort), XH_EXIT_RUNTIME)),
        "ends, as rank 0 on here has ended the job: all wait for rank 3");
}

/* Process 0 was stopped, and continues when the clients have ended. */
static void continue_too_late(void)
{
    hyb_frame_t abort_frame;
    hyb_connection_t client;
    pair_t p;

    begin_as_server(&p);
    client = join(&p);
    abort_frame = hyb_hang_abort_frame(&p.job, "rank 0 does not answer");
    abort_frame.rank = 1;
    assert_true(hyb_connection_send(&client, &abort_frame));
    hyb_connection_close(&client);
    step_server_often(&p, 3, 0.01);
}

TEST(a_stopped_server_says_who_has_ended_the_job)
{
    assert_in(
        heard(assert_int_equal(status_of(continue_too_late), XH_EXIT_RUNTIME)),
        "rank 1 on here has ended the job: rank 0 does not answer");
}
