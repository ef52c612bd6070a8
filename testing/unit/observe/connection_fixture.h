/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Both ends of a connection beside MPI, in one process. */
#include <poll.h>
#include "hybrid/observe/hang/connection.h"
#include "testing/unit/unit.h"

static inline void wait_for(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    assert_int_equal(poll(&one, 1, 5000), 1);
}

static inline hyb_received_t receive(hyb_connection_t *connection)
{
    wait_for(connection->fd, POLLIN);
    return hyb_connection_receive(connection);
}

/* Connect process 1 to process 0, and send its hello. */
static inline hyb_connection_t
connect_client(const hyb_rendezvous_t *rendezvous)
{
    hyb_connection_t c = hyb_connection_connect(rendezvous, 0, 1);

    wait_for(c.fd, POLLOUT);
    assert_true(hyb_connection_send_hello(&c));
    return c;
}

static inline hyb_connection_t accept_one(int listener,
                                          const hyb_rendezvous_t *rendezvous)
{
    bool any;

    wait_for(listener, POLLIN);
    return hyb_connection_accept(listener, rendezvous, &any);
}
