/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_AGENDA_H
#define HYB_AGENDA_H

#include "hybrid/lu/lu.h"

/*
 * What the leader has to keep moving while it computes or waits: broadcasts
 * of panels, and the row exchanges of the open iteration, a group of
 * block columns at a time, begun in the same order on all processes of a
 * process column. Nothing here waits.
 */

/* Advance everything as far as it goes now. The leader. */
void hyb_agenda_poll(hyb_lu_t *lu);

/* The same, but for the devices: for who works on their tiles. */
void hyb_agenda_poll_messages(hyb_lu_t *lu);

/* Is nothing under way any more, and all exchanges have ended? */
bool hyb_agenda_done(hyb_lu_t *lu);

/*
 * One turn of a member's wait: while (!...) hyb_agenda_turn(lu, member,
 * &turns). The leader polls, as others wait for what it receives; all help the
 * devices where these have tiles to spare.
 */
void hyb_agenda_turn(hyb_lu_t *lu, int member, int *turns);

/* The same where others wait for this member: no tile that a device may take.
 */
void hyb_agenda_short_turn(hyb_lu_t *lu, int member, int *turns);

/* Let the exchanges of iteration k begin; those of k - 1 have all begun. */
void hyb_exchanges_open(hyb_lu_t *lu, int k);

/*
 * Can columns from .. to - 1 be swapped, solved and updated in iteration k
 * without waiting: have they met panel k - 1, and are their rows here?
 */
bool hyb_exchanges_reached(const hyb_lu_t *lu, int k, int64_t from, int64_t to);

/* Have all exchanges of the open iteration ended? */
bool hyb_exchanges_closed(const hyb_lu_t *lu);

/* Pack some rows that are to leave, if there are any. Any member. */
void hyb_exchanges_assist(hyb_lu_t *lu, int member);

/* The exchange that run's rows came with. */
const hpl_exchange_t *hyb_exchanges_of(const hyb_lu_t *lu, hyb_run_t run);

#endif
