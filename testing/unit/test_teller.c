/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/party.h"

#include <sys/wait.h>
#include <unistd.h>
#include "base/status.h"
#include "testing/unit/unit.h"

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

/* Take the connection that process 1 has begun, and answer what it says. */
static void answer(pair_t *p)
{
    struct pollfd listener = {.fd = p->party.listener, .events = POLLIN}, line;
    hyb_frame_t frame = hyb_party_frame(&p->party, HYB_HELLO);

    assert_int_equal(poll(&listener, 1, 5000), 1);
    p->line = hyb_wire_accept(p->party.listener);
    turn(p, 0.01);
    line = (struct pollfd){.fd = p->line.fd, .events = POLLIN};
    assert_int_equal(poll(&line, 1, 5000), 1);
    assert_int_equal(hyb_line_receive(&p->line), HYB_FRAME);
    assert_int_equal(p->line.in.word, HYB_HELLO);
    assert_true(hyb_line_send(&p->line, &frame));
}

/* Until what was sent is there. */
static void listen_once(pair_t *p)
{
    struct pollfd fd;

    assert_int_equal(hyb_teller_fds(&fd), 1);
    fd.events = POLLIN;
    assert_int_equal(poll(&fd, 1, 5000), 1);
    turn(p, 0.01);
}

static void meet(pair_t *p)
{
    static char host[2][HYB_HOST] = {"here", "here"};

    *p = (pair_t){.party = {.rank = 1,
                            .count = 2,
                            .host = host,
                            .patience = 100.0,
                            .limit = 1000.0},
                  .now = 1.0};
    p->party.listener = hyb_wire_listen(&p->party.meeting);
    assert_true(p->party.listener >= 0);
    hyb_teller_open();
    turn(p, 0.0);
    answer(p);
    listen_once(p);
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
    hyb_teller_close(&p.party);
    hyb_line_close(&p.line);
    close(p.party.listener);
}

/* Ends this process as soon as it takes process 0 for dead. */
static void lose_the_first(void)
{
    pair_t p;

    meet(&p);
    close(p.party.listener);
    reset(&p);
    while (p.now < 2.0 + HYB_GRACE_SECONDS)
        turn(&p, 0.5);
}

TEST(a_first_process_that_listens_no_more_has_ended)
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        lose_the_first();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), XH_EXIT_RUNTIME);
}

TEST_MAIN()
