/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl/pauxil/deal.h"

/*
 * The checkpoint of a process is a header, then pieces of its columns, from
 * left to right. Each piece has a header of its own, followed by its elements.
 * All numbers are in the byte order of the machine.
 */
enum { HYB_FORMAT_VERSION = 4 };
enum { HYB_FORMAT_PIECE = 1 << 22 }; /* approximate bytes of a piece */

/* Limit of valid times: seconds since 1970, or seconds of a run. */
#define HYB_MOMENT_MOST 1e11

typedef struct {
    char magic[8];
    int64_t version;
    int64_t n, nb, nprow, npcol, myrow, mycol, seed;
    uint64_t dealing;    /* hyb_header_dealing of the columns */
    int64_t first;       /* panel with which a restart begins */
    int64_t info;        /* mat->info */
    int64_t restarts;    /* restarts of the run so far */
    int64_t rounding[6]; /* parameters that rounding depends on: PFACT, NBMIN,
                            ... */
    char kernel[16];     /* name of the kernel, on which rounding depends too */
    double start;        /* of the run, s since 1970 */
    double moment;       /* of this checkpoint, s since 1970 */
    double lost;         /* s of work lost by kills so far */
    double gap;          /* s between a kill and a restart, so far */
    double elapsed; /* s of the run so far, at least those counted by clocks
                       that are never set */
    int64_t clocks_disagree; /* 1: clocks before and after a restart disagree */
    uint64_t check;          /* hash of all members before it */
} hyb_header_t;

typedef struct {
    int64_t column;   /* local number of the first column */
    uint64_t sums[2]; /* xh_checksum of the elements */
} hyb_piece_t;

/* Return a number that identifies a dealing of block columns; 0: in turn. */
uint64_t hyb_header_dealing(const hpl_deal_t *deal);

/* Set the members magic, version and check. */
void hyb_header_seal(hyb_header_t *header);

/* Return NULL if the header is valid, else static text that says what is wrong.
 */
const char *hyb_header_fault(const hyb_header_t *header);

/*
 * Do the headers belong to different systems? If so, `text` names the first of
 * the members n .. dealing that differs: "N = 100, not 200".
 */
bool hyb_header_differs(const hyb_header_t *header, const hyb_header_t *wanted,
                        char *text, int64_t size);

/* May results differ in their last bits, because kernel or parameters differ?
 */
bool hyb_header_rounds_otherwise(const hyb_header_t *header,
                                 const hyb_header_t *wanted);

/* Return the number of columns of a piece with `rows` rows. */
int64_t hyb_piece_columns(int64_t rows);

/* Return the bytes of a piece: its header and `count` elements. */
static inline size_t hyb_piece_bytes(int64_t count)
{
    return sizeof(hyb_piece_t) + (size_t)count * sizeof(double);
}

/* Return the header of a piece with `count` contiguous elements. */
hyb_piece_t hyb_piece_seal(int64_t column, const double *elements,
                           int64_t count);

/* Is `piece` the header for `column` and the given elements? */
bool hyb_piece_holds(const hyb_piece_t *piece, int64_t column,
                     const double *elements, int64_t count);
