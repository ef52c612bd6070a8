/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/comm/schedule.h"

/*
 * A vector cut in as many consecutive pieces as there are members, and the
 * ways of moving them that broadcast and row exchange are made of. Members
 * are counted from a root: member g is rank (root + g) mod nprocs, and with
 * skip, ranks root + 1 .. root + skip are no members.
 *
 * Each function adds my part to a schedule, in rounds of its own; every
 * member must add the same with equal arguments. Source of spread and roll:
 * HPL's "long" algorithms; of doubling: Bruck's all-gather, which needs
 * ceil(log2(members)) rounds for any number of members.
 */
typedef struct {
    double *data;
    const size_t *offset; /* members + 1: piece g is [offset[g], offset[g+1]) */
    int members;          /* nprocs - skip */
    int me;               /* my member number */
    int root;             /* rank of member 0 */
    int skip;
    int nprocs;
} hpl_pieces_t;

/* Member 0 holds all pieces; afterwards member g holds piece g. */
void hpl_pieces_spread(hpl_schedule_t *s, const hpl_pieces_t *p);

/*
 * The pieces are sources x members: source g, a member, holds pieces g members
 * to (g + 1) members - 1; afterwards member i holds each source's piece i.
 */
void hpl_pieces_deal(hpl_schedule_t *s, const hpl_pieces_t *p, int sources);

/*
 * Member g holds piece g, or the first has all and receives none; afterwards
 * all hold all. Least traffic: a ring.
 */
typedef enum { HPL_FIRST_HAS_ITS_OWN, HPL_FIRST_HAS_ALL } hpl_pieces_start_t;
void hpl_pieces_roll(hpl_schedule_t *s, const hpl_pieces_t *p,
                     hpl_pieces_start_t start);

/* As roll from its own, in the fewest rounds. */
void hpl_pieces_double(hpl_schedule_t *s, const hpl_pieces_t *p);

/*
 * Member g holds piece g as p cuts the vector; afterwards it holds piece g as
 * offset (members + 1) cuts it.
 */
void hpl_pieces_recut(hpl_schedule_t *s, const hpl_pieces_t *p,
                      const size_t *offset);

/* Fill offset (members + 1) with pieces of total units that differ by <= 1. */
void hpl_pieces_even(size_t *offset, int members, size_t total);
