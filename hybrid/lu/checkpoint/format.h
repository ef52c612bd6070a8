/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHECKPOINT_FORMAT_H
#define HYB_CHECKPOINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "hpl/pauxil/deal.h"
#include "hybrid/lu/checkpoint/boundary.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * A process writes two kinds of files, in the byte order of the machine:
 *
 *   final       rows of U that no panel changes any more, appended by each
 *               checkpoint and never written again: pieces
 *   checkpoint  a header, and the other rows of all columns right of the
 *               finished ones: pieces
 *
 * A piece is a part of the local matrix, with sums of its own.
 */
enum { HYB_FORMAT_VERSION = 3, HYB_FORMAT_PIECE = 1 << 22 }; /* bytes, about */

typedef struct {
    char magic[8];
    int64_t version;
    int64_t n, nb, nprow, npcol, myrow, mycol, seed;
    uint64_t dealing;     /* hyb_header_dealing of its columns */
    int64_t first, over;  /* as hyb_boundary_t */
    int64_t info;         /* as mat->info */
    int64_t restarts;     /* of the run so far */
    int64_t final_bytes;  /* of the final file that it needs */
    int64_t rounding[6];  /* what bits depend on: PFACT, NBMIN, ... */
    char kernel[16];      /* likewise */
    double begun, moment; /* s since 1970: when the run and this began */
    double lost, between; /* s of these that earlier kills cost */
    double elapsed;       /* s of the run so far, never less than was seen to
                             pass on clocks that are never set */
    int64_t disagree;     /* 1: the clocks of its parts do not agree */
    uint64_t check;       /* of all before it */
} hyb_header_t;

typedef struct {
    uint64_t magic;
    int64_t row, rows, col, cols; /* local */
    uint64_t sums[2];             /* xh_checksum of the elements */
    uint64_t check;               /* of all before it */
} hyb_piece_t;

/* Tells one dealing of block columns from another; 0: in turn. */
uint64_t hyb_header_dealing(const hpl_deal_t *deal);

/* first and over, of a matrix with so many panels. */
static inline hyb_boundary_t hyb_header_boundary(const hyb_header_t *header,
                                                 int panels)
{
    return (hyb_boundary_t){(int)header->first, (int)header->over, panels};
}

/* Fill in magic, version and check. */
void hyb_header_seal(hyb_header_t *header);

/* Is it a whole header? NULL, or else what is wrong with it; static text. */
const char *hyb_header_fault(const hyb_header_t *header);

/*
 * The first member that tells another system than wanted: "N = 100, not 200";
 * of n to dealing. False: it is the same.
 */
bool hyb_header_differs(const hyb_header_t *header, const hyb_header_t *wanted,
                        char *text, int64_t size);

/* May bits differ, as something else computes? */
bool hyb_header_rounds_otherwise(const hyb_header_t *header,
                                 const hyb_header_t *wanted);

/* Columns of a piece with so many rows; elements of any, at most, if none has
 * more rows; bytes of one with its header. */
int64_t hyb_piece_columns(int64_t rows);
int64_t hyb_piece_most(int64_t rows);
int64_t hyb_piece_bytes(int64_t elements);

/* The header of a piece with elements, one after the other. */
hyb_piece_t hyb_piece_seal(int64_t row, int64_t rows, int64_t col, int64_t cols,
                           const double *elements);

/* Is it a piece's header, and within a matrix of mp x nq? */
bool hyb_piece_is_whole(const hyb_piece_t *piece, int64_t mp, int64_t nq);

/* Are these its elements? */
bool hyb_piece_holds(const hyb_piece_t *piece, const double *elements);

#endif
