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
 * authentication code. Each later frame carries such a code: a keyed hash of
 * both nonces, the client's rank, the address on which the server was called,
 * the sender's role, the number of frames it sent before, and the frame itself.
 * Thus nobody without the secret can make a frame, alter one, or replay one in
 * this connection, in another one, or back to its sender; and nobody at another
 * address can relay the opening.
 */

/* How clients find process 0 and recognize it. */
typedef struct {
    uint64_t secret[2];
    hyb_addresses_t addresses;
} hyb_rendezvous_t;

typedef enum {
    HYB_FRAME_HELLO, /* opening; from process 0 also: a frame was received */
    HYB_FRAME_STATE, /* answer to HYB_FRAME_ASK */
    HYB_FRAME_STALL, /* the sender makes no progress */
    HYB_FRAME_ASK,   /* request for the receiver's state */
    HYB_FRAME_ABORT, /* the sender ends the job; state.position: why */
    HYB_FRAME_BYE    /* the sender ends in good order */
} hyb_frame_kind_t;

typedef struct {
    uint64_t nonce[2]; /* in the first frame each way */
    uint64_t number;   /* how many frames the sender sent before */
    int32_t kind, rank;
    hyb_state_t state;
    uint64_t mac; /* message authentication code */
} hyb_frame_t;

/* What a message authentication code covers besides the frame. */
typedef struct {
    uint64_t nonce[2][2]; /* of the server, of the client */
    uint64_t rank;        /* of the client */
    hyb_endpoint_t server;
} hyb_session_t;

/* One end of a connection; fd below 0: closed. */
typedef struct {
    int fd;
    bool is_server;        /* this end belongs to process 0 */
    bool has_nonces;       /* both nonces are known */
    bool is_authenticated; /* the peer knows the secret */
    uint64_t secret[2];
    uint64_t frames_sent, frames_received; /* authenticated ones */
    hyb_session_t session;
    hyb_endpoint_t client; /* only in the server's end; its port is 0 */
    size_t bytes_received; /* of frame */
    hyb_frame_t frame;     /* the one received last */
} hyb_connection_t;

typedef enum {
    HYB_RECEIVED_NOTHING,
    HYB_RECEIVED_FRAME,  /* an authenticated one */
    HYB_RECEIVED_CLOSE,  /* the peer closed, or its system reset, the connection
                          */
    HYB_RECEIVED_LOSS,   /* the peer's host does not answer */
    HYB_RECEIVED_FORGERY /* a frame that is not authenticated */
} hyb_received_t;

/* Listen on all addresses of this host, or on loopback only, and list them.
 * Returns a socket; below 0: there can be none. */
int hyb_connection_listen(bool only_loopback, hyb_rendezvous_t *rendezvous_p);

/*
 * Accept the next client. fd is below 0 if none has called, or if it called an
 * address that is not listed; *any_p tells whether one has called.
 */
hyb_connection_t hyb_connection_accept(int listener,
                                       const hyb_rendezvous_t *rendezvous,
                                       bool *any_p);

/* Begin to connect this process to the address of that number. */
hyb_connection_t hyb_connection_connect(const hyb_rendezvous_t *rendezvous,
                                        int address, int rank);

/* Open the session with the server; returns whether the frame was sent. */
bool hyb_connection_send_hello(hyb_connection_t *connection);

/*
 * Send a frame with its authentication code; returns whether it was sent. A
 * frame is dropped if it cannot be sent at once, or if the peer is not
 * authenticated.
 */
bool hyb_connection_send(hyb_connection_t *connection,
                         const hyb_frame_t *frame);

/*
 * Receive into connection->frame. The server answers the client's hello itself;
 * the next frame authenticates the client. After HYB_RECEIVED_CLOSE, _LOSS and
 * _FORGERY the connection is closed.
 */
hyb_received_t hyb_connection_receive(hyb_connection_t *connection);

/* Has the peer's system acknowledged all that was sent? */
bool hyb_connection_is_acknowledged(const hyb_connection_t *connection);

void hyb_connection_close(hyb_connection_t *connection);
