/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Both ends of a connection beside MPI, in one process. */
#include <poll.h>
#include "hybrid/observe/hang/wire.h"
#include "testing/unit/unit.h"

static inline void wait_for(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    assert_int_equal(poll(&one, 1, 5000), 1);
}

static inline hyb_heard_t receive_next(hyb_line_t *line)
{
    wait_for(line->fd, POLLIN);
    return hyb_line_receive(line);
}

/* Process 1 calls process 0. */
static inline hyb_line_t call(const hyb_meeting_t *meeting)
{
    hyb_line_t line = hyb_wire_connect(meeting, 0, 1);

    wait_for(line.fd, POLLOUT);
    assert_true(hyb_line_call(&line));
    return line;
}

static inline hyb_line_t accept_one(int listener, const hyb_meeting_t *meeting)
{
    bool any;

    wait_for(listener, POLLIN);
    return hyb_wire_accept(listener, meeting, &any);
}
