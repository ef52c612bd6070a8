/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hybrid/observe/hang/addresses.h"
#include "hybrid/observe/hang/state.h"

/*
 * Connections over TCP beside MPI, by which processes tell the first one where
 * they stand. None of these functions waits. The system closes them when a
 * process ends, and itself asks a host that says nothing whether it is there:
 * after about nine seconds without an answer a connection is lost.
 *
 * Nothing is believed without proof. The processes of a job share a secret that
 * MPI brought them, and that no message contains. Who calls process 0 says its
 * rank and a fresh number; process 0 answers with another one, and with the
 * first proof. Each frame from then on carries a proof: a keyed hash of both
 * numbers, the rank, the address that was called, who of both sends it, how
 * many it sent before, and of the frame itself. So none can be made by others,
 * altered, sent again, in another connection, or back to where it came from;
 * and who stands at another address cannot pass on the call.
 */

/* Where the first process listens; it has no secret but from its own job. */
typedef struct {
    uint64_t secret[2];
    hyb_addresses_t addresses;
} hyb_meeting_t;

typedef enum {
    HYB_HELLO, /* from process 0: it was heard */
    HYB_STATE, /* as it was asked for */
    HYB_STALL, /* nothing moves */
    HYB_ASK,
    HYB_ABORT, /* the sender ends the job; state.where: why */
    HYB_BYE
} hyb_word_t;

typedef struct {
    uint64_t nonce[2]; /* of the first frame each way */
    uint64_t number;   /* of frames that were sent before */
    int32_t word, rank;
    hyb_state_t state;
    uint64_t proof;
} hyb_frame_t;

/* What proofs of a connection are bound to. */
typedef struct {
    uint64_t nonce[2][2]; /* of process 0, of the other */
    uint64_t rank;        /* of the other */
    hyb_place_t called;   /* where process 0 listens */
} hyb_call_t;

/* One end; fd below 0: there is none. */
typedef struct {
    int fd;
    bool is_first;  /* the end of process 0 */
    bool is_called; /* both numbers are known */
    bool is_proven; /* the other end has proven that it knows the secret */
    uint64_t secret[2];
    uint64_t sent, heard; /* frames with a proof */
    hyb_call_t call;
    hyb_place_t from; /* the host that called process 0; its port is 0 */
    size_t have;      /* bytes of in */
    hyb_frame_t in;
} hyb_line_t;

typedef enum {
    HYB_NOTHING,
    HYB_FRAME,  /* with its proof */
    HYB_CLOSED, /* by the other end, or its system, which ended, or took it for
                   lost */
    HYB_LOST,   /* nothing came back from there */
    HYB_FORGED  /* what came has no proof */
} hyb_heard_t;

/* Listen on all addresses of this host, or on loopback only, and list them.
 * Returns a socket; below 0: there can be none. */
int hyb_wire_listen(bool only_loopback, hyb_meeting_t *meeting_p);

/* Take the next one who has come; fd below 0: nobody has, or one at an address
 * that is not listed: *any_p says whether anybody has. */
hyb_line_t hyb_wire_accept(int listener, const hyb_meeting_t *meeting,
                           bool *any_p);

/* Begin to connect this process to that address. */
hyb_line_t hyb_wire_connect(const hyb_meeting_t *meeting, int address,
                            int rank);

/* Call process 0; did it leave? The line is not proven before the answer. */
bool hyb_line_call(hyb_line_t *line);

/* Send a frame, with its proof; it is lost if it cannot leave at once, or the
 * other end has proven nothing. Did it leave? */
bool hyb_line_send(hyb_line_t *line, const hyb_frame_t *frame);

/* A frame is in line->in. Process 0 answers a call by itself, and the line is
 * proven with the frame that follows. After HYB_CLOSED, HYB_LOST and HYB_FORGED
 * the line is no more. */
hyb_heard_t hyb_line_receive(hyb_line_t *line);

/* Did the other end's system get all that was sent? */
bool hyb_line_is_heard(const hyb_line_t *line);

void hyb_line_close(hyb_line_t *line);
