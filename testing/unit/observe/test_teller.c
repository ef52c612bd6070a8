/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/party.h"

#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/status.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/observe/wire_fixture.h"

/* Process 1 of two, and in place of process 0 its end of the connection. */
typedef struct {
    hyb_party_t party;
    hyb_line_t line;
    double now;
} pair_t;

static void turn(pair_t *p, double seconds)
{
    p->now += seconds;
    hyb_teller_turn(&p->party, p->now);
}

/* Take the connection that process 1 has begun, and answer its call. */
static void answer(pair_t *p)
{
    p->line = accept_one(p->party.listener, &p->party.meeting);
    turn(p, 0.01);
    assert_int_equal(receive_next(&p->line), HYB_NOTHING);
    assert_true(p->line.is_called && !p->line.is_proven);
}

/* Until what was sent is there. */
static void listen_once(pair_t *p)
{
    struct pollfd fd;

    assert_int_equal(hyb_teller_fds(&fd), 1);
    wait_for(fd.fd, POLLIN);
    turn(p, 0.01);
}

static void begin(pair_t *p)
{
    static char host[2][HYB_HOST] = {"here", "here"};

    *p = (pair_t){.party = {.rank = 1,
                            .count = 2,
                            .host = host,
                            .is_beside = true,
                            .patience = 100.0,
                            .limit = 1000.0},
                  .now = 1.0};
    p->party.listener = hyb_wire_listen(true, &p->party.meeting);
    assert_true(p->party.listener >= 0);
    hyb_teller_open();
    turn(p, 0.0);
}

static void meet(pair_t *p)
{
    begin(p);
    answer(p);
    listen_once(p);
    assert_int_equal(receive_next(&p->line), HYB_FRAME);
    assert_int_equal(p->line.in.word, HYB_STATE);
}

static void end(pair_t *p)
{
    hyb_teller_close(&p->party);
    hyb_line_close(&p->line);
    close(p->party.listener);
}

/* As a system does that takes the connection for lost. */
static void reset(pair_t *p)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(p->line.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    hyb_line_close(&p->line);
    listen_once(p);
}

TEST(a_connection_that_was_reset_begins_anew)
{
    pair_t p;

    meet(&p);
    for (int i = 0; i < 3; i++) {
        turn(&p, 2.0 * HYB_GRACE_SECONDS);
        reset(&p);
        answer(&p);
        listen_once(&p);
    }
    turn(&p, 2.0 * HYB_GRACE_SECONDS);
    end(&p);
}

/* Of a process of its own. */
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

/* A case in a process of its own, which ends with that status: that of a
 * process ends if it takes the other one for dead. */
#define TEST_OF_END(name, status)                                              \
    static void name##_run(void);                                              \
    TEST_CALL(name, assert_int_equal(status_of(name##_run), status))           \
    static void name##_run(void)

TEST_OF_END(a_first_process_that_listens_no_more_has_ended, XH_EXIT_RUNTIME)
{
    pair_t p;

    meet(&p);
    close(p.party.listener);
    reset(&p);
    while (p.now < 2.0 + HYB_GRACE_SECONDS)
        turn(&p, 0.5);
}

/* As where so many others come that process 0 needs a while for each. */
TEST(a_first_process_that_answers_late_is_waited_for)
{
    struct pollfd before, after;
    pair_t p;

    begin(&p);
    turn(&p, 0.01);
    assert_int_equal(hyb_teller_fds(&before), 1);
    for (int i = 0; i < 20; i++)
        turn(&p, 1.0);
    assert_int_equal(hyb_teller_fds(&after), 1);
    assert_int_equal(after.fd, before.fd);
    answer(&p);
    listen_once(&p);
    end(&p);
}

/* ---- process 0 ----------------------------------------------------------- */

static void collect(pair_t *p, double seconds)
{
    struct pollfd fds[1024];

    assert_in_range(hyb_collector_fds_most(&p->party), 1, 1024);
    poll(fds, (nfds_t)hyb_collector_fds(&p->party, fds), 20);
    p->now += seconds;
    hyb_collector_turn(&p->party, fds, p->now);
}

static void say(hyb_line_t *line, const hyb_party_t *party, hyb_word_t word)
{
    hyb_frame_t frame = hyb_party_frame(party, word);

    frame.rank = 1;
    assert_true(hyb_line_send(line, &frame));
}

static void collect_often(pair_t *p, int run_delay)
{
    for (int i = 0; i < run_delay; i++)
        collect(p, 0.01);
}

static void prove(pair_t *p, hyb_line_t *line)
{
    assert_int_equal(receive_next(line), HYB_FRAME);
    assert_true(line->is_proven);
    say(line, &p->party, HYB_STATE);
    collect_often(p, 3);
}

/* Process 1 comes, and proves who it is. */
static hyb_line_t join(pair_t *p)
{
    hyb_line_t line = call(&p->party.meeting);

    collect_often(p, 3);
    prove(p, &line);
    return line;
}

static void begin_as_first(pair_t *p)
{
    begin(p);
    p->party.rank = 0;
    assert_true(hyb_collector_open(&p->party));
}

static void end_as_first(pair_t *p)
{
    hyb_collector_close(&p->party);
    close(p->party.listener);
}

/* Ends this process if it takes the other one for dead. */
static void collect_from_one_that_goes(bool has_met)
{
    hyb_line_t line;
    pair_t p;

    begin_as_first(&p);
    line = has_met ? join(&p) : call(&p.party.meeting);
    collect_often(&p, 3);
    hyb_line_close(&line);
    for (int i = 0; i < 20; i++)
        collect(&p, 1.0);
    line = join(&p);
    end_as_first(&p);
    hyb_line_close(&line);
}

TEST_OF_END(who_gave_up_waiting_for_an_answer_may_come_again, 0)
{
    collect_from_one_that_goes(false);
}

TEST_OF_END(who_has_met_process_0_and_goes_has_ended, XH_EXIT_RUNTIME)
{
    collect_from_one_that_goes(true);
}

/* ---- strangers ----------------------------------------------------------- */

enum { STRANGERS = 300 }; /* more than have a place */

typedef struct {
    int fd[STRANGERS];
} crowd_t;

/* From an address where no process is, say nothing, or that they are rank 1. */
static int stranger(const pair_t *p, bool calls)
{
    const struct sockaddr_storage *to = &p->party.meeting.addresses.at[0];
    struct sockaddr_in from = {.sin_family = AF_INET};
    hyb_frame_t hello = {.word = HYB_HELLO, .rank = 1};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 7);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(
        connect(fd, (const struct sockaddr *)to, sizeof(struct sockaddr_in)),
        0);
    if (calls)
        assert_int_equal(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
    return fd;
}

static void crowd(pair_t *p, bool calls, crowd_t *crowd_p)
{
    for (int i = 0; i < STRANGERS; i++) {
        crowd_p->fd[i] = stranger(p, calls);
        if (i % 50 == 0)
            collect(p, 0.1);
    }
}

static void go(crowd_t *crowd_)
{
    for (int i = 0; i < STRANGERS; i++)
        close(crowd_->fd[i]);
}

/* The connection is taken for lost after a pause; strangers came meanwhile.
 * Ends this process if it takes the other one for dead. */
static void come_again_among(bool calls)
{
    hyb_line_t line;
    crowd_t strangers;
    pair_t p;

    begin_as_first(&p);
    line = join(&p);
    crowd(&p, calls, &strangers);
    hyb_line_close(&line);
    collect_often(&p, 3);
    line = call(&p.party.meeting);
    for (int i = 0; i < 3; i++)
        collect(&p, 0.5);
    prove(&p, &line);
    for (int i = 0; i < 20; i++)
        collect(&p, 1.0);
    assert_true(hyb_line_is_heard(&line));
    end_as_first(&p);
    hyb_line_close(&line);
    go(&strangers);
}

TEST_OF_END(idle_strangers_make_place, 0)
{
    come_again_among(false);
}

TEST_OF_END(strangers_that_called_make_place, 0)
{
    come_again_among(true);
}

/* It has called when strangers come, and proves itself after that. */
TEST_OF_END(a_host_that_is_known_keeps_its_place, 0)
{
    hyb_line_t line;
    crowd_t strangers;
    pair_t p;

    begin_as_first(&p);
    line = join(&p);
    hyb_line_close(&line);
    line = call(&p.party.meeting);
    collect_often(&p, 3);
    crowd(&p, false, &strangers);
    for (int i = 0; i < 5; i++)
        collect(&p, 0.5);
    prove(&p, &line);
    for (int i = 0; i < 20; i++)
        collect(&p, 1.0);
    end_as_first(&p);
    hyb_line_close(&line);
    go(&strangers);
}

/* It has called again, and is stopped before it can prove itself. */
TEST_OF_END(who_has_called_again_has_not_ended, 0)
{
    hyb_line_t line;
    pair_t p;

    begin_as_first(&p);
    line = join(&p);
    hyb_line_close(&line);
    line = call(&p.party.meeting);
    for (int i = 0; i < 9; i++)
        collect(&p, 1.0);
    prove(&p, &line);
    for (int i = 0; i < 9; i++)
        collect(&p, 1.0);
    end_as_first(&p);
    hyb_line_close(&line);
}

/* One that knows no secret: what it says is not obeyed. */
TEST_OF_END(a_first_process_that_proves_nothing_is_not_believed, 0)
{
    pair_t p;

    begin(&p);
    p.party.meeting.secret[0] ^= 1;
    answer(&p);
    p.party.meeting.secret[0] ^= 1;
    listen_once(&p);
    for (int i = 0; i < 40; i++)
        turn(&p, 0.5);
    end(&p);
}

/* While its host takes calls, process 0 is taken to live. */
TEST_OF_END(a_first_process_that_takes_calls_has_not_ended, 0)
{
    pair_t p;

    meet(&p);
    reset(&p);
    while (p.now < 20.0 + HYB_GRACE_SECONDS)
        turn(&p, 0.5);
    end(&p);
}

/* ---- who ends the job says so -------------------------------------------- */

static void be_told(void)
{
    hyb_frame_t last;
    pair_t p;

    meet(&p);
    last = hyb_party_last_frame(&p.party, "all wait for rank 3");
    assert_true(hyb_line_send(&p.line, &last));
    listen_once(&p);
    while (p.now < 4.0 + HYB_GRACE_SECONDS)
        turn(&p, 0.5);
}

TEST(who_ends_with_the_job_says_who_has_ended_it)
{
    assert_in(heard(assert_int_equal(status_of(be_told), XH_EXIT_RUNTIME)),
              "ends, as rank 0 on here has ended the job: all wait for rank 3");
}

/* Process 0 was stopped, and goes on when the others have ended. */
static void go_on_too_late(void)
{
    hyb_frame_t last;
    hyb_line_t line;
    pair_t p;

    begin_as_first(&p);
    line = join(&p);
    last = hyb_party_last_frame(&p.party, "rank 0 does not answer");
    last.rank = 1;
    assert_true(hyb_line_send(&line, &last));
    hyb_line_close(&line);
    collect_often(&p, 3);
}

TEST(a_first_process_that_was_stopped_says_who_has_ended_the_job)
{
    assert_in(
        heard(assert_int_equal(status_of(go_on_too_late), XH_EXIT_RUNTIME)),
        "rank 1 on here has ended the job: rank 0 does not answer");
}
