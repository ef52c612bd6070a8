/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl/pauxil/deal.h"

/*
 * A checkpoint of a process is a header, then pieces of its columns, from the
 * left to the right: each has a header of its own, then elements. All in the
 * byte order of the machine.
 */
enum { HYB_FORMAT_VERSION = 4, HYB_FORMAT_PIECE = 1 << 22 }; /* bytes, about */

/* s since 1970, and of any run: what is more is no moment */
#define HYB_MOMENT_MOST 1e11

typedef struct {
    char magic[8];
    int64_t version;
    int64_t n, nb, nprow, npcol, myrow, mycol, seed;
    uint64_t dealing;     /* hyb_header_dealing of its columns */
    int64_t first;        /* panel that a restart begins with */
    int64_t info;         /* as mat->info */
    int64_t restarts;     /* of the run so far */
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
    int64_t column;   /* local: its first one */
    uint64_t sums[2]; /* xh_checksum of the elements */
} hyb_piece_t;

/* Tells one dealing of block columns from another; 0: in turn. */
uint64_t hyb_header_dealing(const hpl_deal_t *deal);

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

/* Columns of a piece with so many rows; bytes of one with its elements, which
 * stand behind it. */
int64_t hyb_piece_columns(int64_t rows);

static inline size_t hyb_piece_bytes(int64_t count)
{
    return sizeof(hyb_piece_t) + (size_t)count * sizeof(double);
}

/* The header of a piece with so many elements, one after the other. */
hyb_piece_t hyb_piece_seal(int64_t column, const double *elements,
                           int64_t count);

/* Is this its header, and are these its elements? */
bool hyb_piece_holds(const hyb_piece_t *piece, int64_t column,
                     const double *elements, int64_t count);
