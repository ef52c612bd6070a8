/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/comm/schedule.h"

/*
 * A vector cut in as many consecutive pieces as there are members, and ways to
 * move the pieces, of which broadcast and row exchange consist. Members are
 * counted from a root: member g is rank (root + g) mod nprocs, and ranks root +
 * 1 .. root + skip are not members.
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
 * There are sources x members pieces: member g < sources holds pieces g members
 * .. (g + 1) members - 1; afterwards member i holds piece i of each source.
 */
void hpl_pieces_deal(hpl_schedule_t *s, const hpl_pieces_t *p, int sources);

/*
 * Member g holds piece g, or member 0 holds all and receives none; afterwards
 * every member holds all. This takes the least traffic, by a ring.
 */
typedef enum { HPL_FIRST_HAS_ITS_OWN, HPL_FIRST_HAS_ALL } hpl_pieces_start_t;
void hpl_pieces_roll(hpl_schedule_t *s, const hpl_pieces_t *p,
                     hpl_pieces_start_t start);

/* The same as roll with HPL_FIRST_HAS_ITS_OWN, in the fewest rounds. */
void hpl_pieces_double(hpl_schedule_t *s, const hpl_pieces_t *p);

/*
 * Member g holds piece g of the vector cut by p; afterwards it holds piece g of
 * the vector cut by `offset` (members + 1 entries).
 */
void hpl_pieces_recut(hpl_schedule_t *s, const hpl_pieces_t *p,
                      const size_t *offset);

/* Fill `offset` (members + 1 entries) so that the pieces of `total` elements
 * differ by at most 1. */
void hpl_pieces_even(size_t *offset, int members, size_t total);
