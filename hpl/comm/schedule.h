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

/* Doubles of the shortest piece of a message that is passed on in pieces. */
extern size_t hpl_message_piece;

/* In how many one of count doubles is. */
size_t hpl_message_pieces(size_t count);

/* So many of these are under way from who has all of them: together they share
 * a link, and arrive together. */
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
 * An empty schedule that begins, advances and ends with s, the last one so far:
 * so a long message is passed on piece by piece, each as soon as it is here.
 * All that stand beside each other have two rounds at most, and the same peers
 * in a round.
 */
hpl_schedule_t *hpl_schedule_beside(hpl_schedule_t *s);

/* Start the first round. Buffers belong to the schedule until it is done. */
void hpl_schedule_begin(hpl_schedule_t *s);

/* Advance as far as possible without waiting; true once all is done. */
bool hpl_schedule_poll(hpl_schedule_t *s);

/* As of the last poll: is all here that is to come? Something may have to be
 * sent still. Accepts NULL. */
bool hpl_schedule_has_received(const hpl_schedule_t *s);

/* Wait until all is done, unless it never began, and free s; accepts NULL. */
void hpl_schedule_end(hpl_schedule_t *s);
