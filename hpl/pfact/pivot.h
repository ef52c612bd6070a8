/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl/blas/matrix.h"
#include "hpl_types.h"

/*
 * Bring the pivot of panel column c to the diagonal: find the entry of largest
 * magnitude in my m rows and those of the other processes of the column, copy
 * its row to row c of l1 on all of them, put the current row in its place, and
 * divide the column below by the pivot. A zero pivot is recorded in DINFO, and
 * nothing is divided by it.
 *
 * m     in       local rows from the diagonal on
 * l1    in,out   the panel's L1 in its form
 * work  scratch  hpl_proposal_doubles
 *
 * Order: collective over the process column.
 * Ties:  the first local row; between processes, the lowest process row.
 */
void hpl_pivot_column(HPL_T_panel *panel, int m, int c, hpl_matrix_t l1,
                      double *work);

/*
 * What the processes of a column agree on for one pivot: the best candidate
 * with its whole row, and the current row, which only its owner knows. A
 * proposal is an array of doubles: these numbers, then the two rows, jb doubles
 * each.
 */
enum {
    HPL_PROPOSAL_KEY,   /* magnitude; INFINITY for a NaN; -1: no candidate */
    HPL_PROPOSAL_ROW,   /* global row of the candidate */
    HPL_PROPOSAL_OWNER, /* process row of the candidate */
    HPL_PROPOSAL_HAS_CURRENT, /* not 0: the sender has the current row */
    HPL_PROPOSAL_SEAL,        /* checksum of the preceding values and rows */
    HPL_PROPOSAL_ROWS
};

static inline size_t hpl_proposal_doubles(int jb)
{
    return HPL_PROPOSAL_ROWS + 2 * (size_t)jb;
}

/*
 * Number of processes whose proposals a process receives per round. A round
 * with several short messages takes little more time than with one, and fewer
 * rounds are needed.
 */
enum { HPL_PIVOT_PEERS = 3 };

/* Number of rounds until all processes of a column know what each knew. */
static inline int hpl_pivot_rounds(int nprow)
{
    int rounds = 0;

    for (int64_t known = 1; known < nprow; known *= HPL_PIVOT_PEERS + 1)
        rounds++;
    return rounds;
}

static inline size_t hpl_pivot_scratch_doubles(int jb)
{
    return HPL_PIVOT_PEERS * hpl_proposal_doubles(jb);
}

/* How to wait for an agreement in progress. */
typedef struct {
    double *scratch; /* hpl_pivot_scratch_doubles */
    /* Return once is_so(subject) is true. NULL: wait inside MPI. */
    void (*until)(bool (*is_so)(void *subject), void *subject, void *context);
    void *context;
} hpl_pivot_wait_t;

/*
 * proposal := the best of all processes' proposals; collective over the
 * process column. panel needs grid, nb, jb, and the rows ia .. ia + m - 1.
 * Errors: a proposal with row numbers outside the panel ends the job.
 */
void hpl_pivot_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait);
