/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hybrid/observe/hang/addresses.h"
#include "hybrid/observe/hang/state.h"

/*
 * TCP connections beside MPI. Process 0 is the server, every other process a
 * client that reports its state. No function blocks. The system closes a
 * connection when its process ends. The system also probes a silent host: after
 * about nine seconds without an answer the connection is lost.
 *
 * Every frame is authenticated. The processes of a job share a secret that MPI
 * distributes and that no frame contains. A client opens with its rank and a
 * nonce; the server answers with its own nonce and the first message
 * authentication code. Each later frame carries such a code, which is a keyed
 * hash of both nonces, the client's rank, the server's address that the client
 * called, the sender's role, the number of frames it sent before, and the frame
 * itself. Thus nobody without the secret can forge, alter or replay a frame, in
 * this connection, in another one, or back to its sender; and nobody at another
 * address can relay the opening.
 */

/* How clients find process 0 and recognize it. */
typedef struct {
    uint64_t secret[2];
    hyb_addresses_t addresses;
} hyb_rendezvous_t;

typedef enum {
    HYB_FRAME_HELLO, /* opening; from process 0, also an acknowledgement */
    HYB_FRAME_STATE, /* the answer to HYB_FRAME_ASK */
    HYB_FRAME_STALL, /* the sender makes no progress */
    HYB_FRAME_ASK,   /* request for the receiver's state */
    HYB_FRAME_ABORT, /* the sender ends the job; state.position says why */
    HYB_FRAME_BYE    /* the sender ends normally */
} hyb_frame_kind_t;

typedef struct {
    uint64_t nonce[2]; /* only in the first frame each way */
    uint64_t number;   /* number of frames that the sender sent before */
    int32_t kind, rank;
    hyb_state_t state;
    uint64_t mac; /* message authentication code */
} hyb_frame_t;

/* Other data covered by a message authentication code, besides the frame. */
typedef struct {
    uint64_t nonce[2][2]; /* the server's, the client's */
    uint64_t rank;        /* the client's */
    hyb_endpoint_t server;
} hyb_session_t;

/* One end of a connection; a negative fd means closed. */
typedef struct {
    int fd;
    bool is_server;        /* this end belongs to process 0, the server */
    bool has_nonces;       /* both nonces are known */
    bool is_authenticated; /* the peer knows the secret */
    uint64_t secret[2];
    uint64_t frames_sent, frames_received; /* numbers of authenticated frames */
    hyb_session_t session;
    hyb_endpoint_t client; /* only in the server's end; port is 0 */
    size_t bytes_received; /* bytes of `frame` received so far */
    hyb_frame_t frame;     /* the frame received last, or now */
} hyb_connection_t;

typedef enum {
    HYB_RECEIVED_NOTHING,
    HYB_RECEIVED_FRAME,  /* an authenticated frame */
    HYB_RECEIVED_CLOSE,  /* the peer closed the connection, or its system reset
                            it */
    HYB_RECEIVED_LOSS,   /* the peer's host does not answer */
    HYB_RECEIVED_FORGERY /* a frame without valid authentication */
} hyb_received_t;

/* Listen on all addresses of this host, or on loopback only, and list them.
 * Returns a socket; negative: none could be opened. */
int hyb_connection_listen(bool only_loopback, hyb_rendezvous_t *rendezvous_p);

/*
 * Accept the next client. fd is negative if no client has called, or if it
 * called an address that is not listed; *any_p tells whether one has called.
 */
hyb_connection_t hyb_connection_accept(int listener,
                                       const hyb_rendezvous_t *rendezvous,
                                       bool *any_p);

/* Begin to connect this process to address number `address` of the list. */
hyb_connection_t hyb_connection_connect(const hyb_rendezvous_t *rendezvous,
                                        int address, int rank);

/* Open the session with the server. Returns whether the frame was sent. */
bool hyb_connection_send_hello(hyb_connection_t *connection);

/*
 * Send a frame with its authentication code. Returns whether the frame was
 * sent: it is dropped if it cannot be sent at once, or if the peer is not
 * authenticated.
 */
bool hyb_connection_send(hyb_connection_t *connection,
                         const hyb_frame_t *frame);

/*
 * Receive into connection->frame. On the server, this function answers the
 * client's hello; the next frame authenticates the client. After
 * HYB_RECEIVED_CLOSE, _LOSS and _FORGERY the connection is closed.
 */
hyb_received_t hyb_connection_receive(hyb_connection_t *connection);

/* Has the peer's system acknowledged all data sent? */
bool hyb_connection_is_acknowledged(const hyb_connection_t *connection);

void hyb_connection_close(hyb_connection_t *connection);
