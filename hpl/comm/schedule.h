/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One process's part of a collective operation, written down before it runs:
 * rounds of messages, where the messages of a round travel together and a
 * round starts once the one before is complete here. Broadcast and row
 * exchange are schedules, so beginning, polling and ending exist once.
 *
 *     schedule = hpl_schedule_create(comm, tag);
 *     hpl_schedule_receive(schedule, buffer, count, parent);
 *     hpl_schedule_next_round(schedule);
 *     hpl_schedule_send(schedule, buffer, count, child);
 *     hpl_schedule_begin(schedule);
 *     while (!hpl_schedule_poll(schedule))
 *         compute_something();
 *     hpl_schedule_end(schedule);
 *
 * Messages longer than hpl_message_chunk doubles are cut, into 1024 parts at
 * most; both ends cut alike.
 * Two schedules may be in flight on one communicator when their tags differ.
 * A failure inside MPI ends the job.
 */
typedef struct hpl_schedule hpl_schedule_t;

/* Doubles in the longest message given to MPI, 1 .. INT_MAX. */
extern size_t hpl_message_chunk;

/* Doubles in the shortest piece of a message that is passed on in pieces. */
extern size_t hpl_message_piece;

/* Number of pieces of a message of `count` doubles. */
size_t hpl_message_pieces(size_t count);

/* Number of pieces that a process with all pieces sends at a time: pieces in
 * flight together share the link, and arrive together. */
enum { HPL_PIECES_TOGETHER = 8 };

/* An empty schedule. comm is borrowed. */
hpl_schedule_t *hpl_schedule_create(MPI_Comm comm, int tag);

/* Add a message of count doubles to the current round; count 0 adds none. */
typedef void hpl_schedule_add_t(hpl_schedule_t *s, double *buffer, size_t count,
                                int peer);
hpl_schedule_add_t hpl_schedule_send, hpl_schedule_receive;

/* Later messages wait for those added so far. */
void hpl_schedule_next_round(hpl_schedule_t *s);

/*
 * Create an empty schedule that begins, advances and ends with s, the last such
 * schedule so far. Thus a long message is passed on piece by piece, as each
 * arrives. Schedules beside each other have two rounds at most, and in each
 * round the same peers.
 */
hpl_schedule_t *hpl_schedule_beside(hpl_schedule_t *s);

/* Start the first round. Buffers belong to the schedule until it is done. */
void hpl_schedule_begin(hpl_schedule_t *s);

/* Advance as far as possible without waiting. Returns true once all messages
 * are complete. */
bool hpl_schedule_poll(hpl_schedule_t *s);

/* Had all messages that this process receives arrived at the last poll? Some
 * may still have to be sent. Accepts NULL. */
bool hpl_schedule_has_received(const hpl_schedule_t *s);

/* Wait until all messages are complete, unless s never began, and free s;
 * accepts NULL. */
void hpl_schedule_end(hpl_schedule_t *s);
