/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WIRE_H
#define HYB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include "hybrid/observe/hang/state.h"

/*
 * Connections over TCP beside MPI, by which processes tell the first one where
 * they stand. None of these functions waits. The system closes them when a
 * process ends, and itself asks a host that says nothing whether it is there:
 * after about nine seconds without an answer a connection is lost.
 */
enum { HYB_ADDRESSES_MOST = 16 };

/* Where the first process listens; it has no secret but from its own job. */
typedef struct {
    uint64_t secret[2];
    int count;
    struct sockaddr_storage address[HYB_ADDRESSES_MOST];
} hyb_meeting_t;

typedef enum {
    HYB_HELLO, /* also: it was heard */
    HYB_STATE, /* as it was asked for */
    HYB_STALL, /* nothing moves */
    HYB_ASK,
    HYB_ABORT, /* the job ends */
    HYB_BYE
} hyb_word_t;

typedef struct {
    uint64_t secret[2];
    int32_t word, rank;
    hyb_state_t state;
} hyb_frame_t;

/* One end; fd below 0: there is none. */
typedef struct {
    int fd;
    size_t have; /* bytes of in */
    hyb_frame_t in;
} hyb_line_t;

typedef enum {
    HYB_NOTHING,
    HYB_FRAME,
    HYB_CLOSED, /* by the other end, or its system, which ended, or took it for
                   lost */
    HYB_LOST    /* nothing came back from there */
} hyb_heard_t;

/* Listen on all addresses of this host, and list them, those for others first.
 * Returns a socket; below 0: there can be none. */
int hyb_wire_listen(hyb_meeting_t *meeting_p);

/* Take the next one who has come; fd below 0: nobody has. */
hyb_line_t hyb_wire_accept(int listener);

/* Begin to connect. */
hyb_line_t hyb_wire_connect(const struct sockaddr_storage *address);

/* Is this the host itself, by that address alone? */
bool hyb_wire_is_loopback(const struct sockaddr_storage *address);

/* The frame is lost if it cannot leave at once; did it? */
bool hyb_line_send(const hyb_line_t *line, const hyb_frame_t *frame);

/* A frame is in line->in; after HYB_CLOSED and HYB_LOST the line is no more. */
hyb_heard_t hyb_line_receive(hyb_line_t *line);

/* Did the other end's system get all that was sent? */
bool hyb_line_is_heard(const hyb_line_t *line);

void hyb_line_close(hyb_line_t *line);

#endif
