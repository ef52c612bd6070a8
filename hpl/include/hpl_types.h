/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_TYPES_H
#define HPL_TYPES_H

/*
 * The types and constants of the HPL 2.3 interface. Values and leading fields
 * are part of the contract with drivers written for upstream; what this
 * library adds to a structure stands after them.
 */
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <limits.h>
#include <time.h>

/* CBLAS has the same values. */
enum HPL_ORDER { HplRowMajor = 101, HplColumnMajor = 102 };
enum HPL_TRANS { HplNoTrans = 111, HplTrans = 112, HplConjTrans = 113 };
enum HPL_UPLO { HplUpper = 121, HplLower = 122 };
enum HPL_DIAG { HplNonUnit = 131, HplUnit = 132 };
enum HPL_SIDE { HplLeft = 141, HplRight = 142 };

typedef enum {
    HPL_NORM_A = 800,
    HPL_NORM_1 = 801,
    HPL_NORM_I = 802
} HPL_T_NORM;

typedef enum {
    HPL_MACH_EPS = 900,   /* relative machine precision */
    HPL_MACH_SFMIN = 901, /* smallest x for which 1 / x does not overflow */
    HPL_MACH_BASE = 902,  /* base */
    HPL_MACH_PREC = 903,  /* eps * base */
    HPL_MACH_MLEN = 904,  /* base digits of the mantissa */
    HPL_MACH_RND = 905,   /* 1 when addition rounds */
    HPL_MACH_EMIN = 906,  /* exponent where gradual underflow begins */
    HPL_MACH_RMIN = 907,  /* underflow threshold */
    HPL_MACH_EMAX = 908,  /* largest exponent before overflow */
    HPL_MACH_RMAX = 909   /* overflow threshold */
} HPL_T_MACH;

typedef enum {
    HPL_1RING = 401,
    HPL_1RING_M = 402,
    HPL_2RING = 403,
    HPL_2RING_M = 404,
    HPL_BLONG = 405,
    HPL_BLONG_M = 406
} HPL_T_TOP;

typedef enum {
    HPL_LEFT_LOOKING = 301,
    HPL_CROUT = 302,
    HPL_RIGHT_LOOKING = 303
} HPL_T_FACT;

typedef enum { HPL_INT = 100, HPL_DOUBLE = 101 } HPL_T_TYPE;

typedef enum { HPL_ROW_MAJOR = 201, HPL_COLUMN_MAJOR = 202 } HPL_T_ORDER;

typedef enum {
    HPL_SWAP00 = 451, /* binary exchange */
    HPL_SWAP01 = 452, /* spread-roll, "long" */
    HPL_SW_MIX = 453, /* the first for few columns, the second for many */
    HPL_NO_SWP = 499
} HPL_T_SWAP;

typedef enum { HPL_WALL_PTIME = 101, HPL_CPU_PTIME = 102 } HPL_T_PTIME;

typedef enum {
    HPL_AMAX_PTIME = 201,
    HPL_AMIN_PTIME = 202,
    HPL_SUM_PTIME = 203
} HPL_T_PTIME_OP;

typedef enum { HPL_WALL_TIME = 101, HPL_CPU_TIME = 102 } HPL_T_TIME;

typedef void (*HPL_T_OP)(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE);

enum { HPL_FAILURE = 0, HPL_SUCCESS = 1, HPL_KEEP_TESTING = 2 };

struct HPL_S_panel;
struct hpl_deal; /* hpl/pauxil/deal.h */

/* Types of the functions in hpl_pfact.h and hpl_pgesv.h. */
typedef void hpl_factor_fn_t(struct HPL_S_panel *PANEL, int M, int N, int ICOFF,
                             double *WORK);
typedef void hpl_update_fn_t(struct HPL_S_panel *PBCST, int *IFLAG,
                             struct HPL_S_panel *PANEL, int NN);
typedef hpl_factor_fn_t *HPL_T_PFA_FUN;
typedef hpl_factor_fn_t *HPL_T_RFA_FUN;
typedef hpl_update_fn_t *HPL_T_UPD_FUN;

/* a P x Q grid of processes */
typedef struct HPL_S_grid {
    MPI_Comm all_comm; /* every process of the grid */
    MPI_Comm row_comm; /* my process row: ranks are process columns */
    MPI_Comm col_comm; /* my process column: ranks are process rows */
    HPL_T_ORDER order; /* how ranks are laid on the grid */
    int iam, myrow, mycol, nprow, npcol, nprocs;
    int row_ip2, row_hdim, row_ip2m1, row_mask;
    int col_ip2, col_hdim, col_ip2m1, col_mask;
    /* One communicator for each kind of operation that may be in flight. */
    MPI_Comm bcast_comm;    /* along my process row: panel broadcast */
    MPI_Comm exchange_comm; /* along my process column: row exchange */
    char *hosts; /* of my process column, then row: hpl/grid/peers.h; or NULL */
    const struct hpl_deal *deal; /* of block columns; NULL: dealt in turn */
} HPL_T_grid;

/* the algorithm chosen for one test */
typedef struct HPL_S_palg {
    HPL_T_TOP btopo;     /* panel broadcast */
    int depth;           /* look-ahead depth */
    int nbdiv;           /* parts into which each recursion cuts a panel */
    int nbmin;           /* panels at most this wide are not cut */
    HPL_T_FACT pfact;    /* variant below nbmin */
    HPL_T_FACT rfact;    /* variant of the recursion */
    HPL_T_PFA_FUN pffun; /* function for pfact, by form of L1 */
    HPL_T_RFA_FUN rffun; /* function for rfact, by form of L1 */
    HPL_T_UPD_FUN upfun; /* the update, by form of L1 and U */
    HPL_T_SWAP fswap;    /* row exchange */
    int fsthr;           /* above so many columns HPL_SW_MIX uses HPL_SWAP01 */
    int equil;           /* 1: make pieces equal before the roll */
    int align;           /* alignment of buffers in doubles */
} HPL_T_palg;

/* the local part of the n x (n+1) matrix [ A | b ] */
typedef struct HPL_S_pmat {
    double *A; /* mp x nq, column-major */
    double *X; /* nq: x, laid out as the columns of A, same on all rows */
    int n;     /* order of A, global */
    int nb;    /* blocking factor, rows and columns */
    int ld;    /* doubles between columns of A, >= max(1, mp) */
    int mp;    /* local rows of A */
    int nq;    /* local columns of [ A | b ] */
    int info;  /* out: 0, or 1 + the first column whose pivot is 0 */
} HPL_T_pmat;

struct hpl_schedule;
struct hpl_pivots;

/* panel k: what one iteration factors, broadcasts and applies */
typedef struct HPL_S_panel {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat *pmat;
    double *A;     /* local trailing matrix, mp x nq, right of this panel */
    double *WORK;  /* one block that holds L2, L1, DPIV, DINFO */
    double *L2;    /* rows below L1, ld ldl2; part of A if L2 is not sent */
    double *L1;    /* jb x jb, unit lower L and upper U, ld jb */
    double *DPIV;  /* jb: global row of each pivot */
    double *DINFO; /* 1: as HPL_T_pmat.info, for this panel */
    double *U;     /* jb x n of the columns being updated */
    int *IWORK;    /* not used, like all fields up to status */
    void ***buffers[2];
    int counts[2];
    MPI_Datatype dtypes[2];
    MPI_Request request[1];
    MPI_Status status[1];
    int nb;   /* blocking factor */
    int jb;   /* columns of the panel, <= nb */
    int m, n; /* global rows and columns from (ia, ja) on */
    int ia, ja;
    int mp;     /* local rows from row ia on */
    int nq;     /* local columns right of the panel not updated yet */
    int ii, jj; /* local row of ia, local column that A points to */
    int lda;
    int prow, pcol; /* grid coordinates of the panel's owner */
    int msgid;
    int ldl2;
    int len; /* doubles in the broadcast message; see also length */
    /* Fields that this library adds: */
    double *top;      /* the panel's columns in the local matrix, row ia on */
    size_t length;    /* doubles in the broadcast message */
    size_t capacity;  /* doubles that WORK holds */
    size_t ucapacity; /* doubles that U holds */
    struct hpl_schedule *bcast; /* the broadcast in flight, or NULL */
    struct hpl_pivots *pivots;  /* which rows move, once DPIV is known */
} HPL_T_panel;

/* The tests of one run, and their results. */
typedef struct HPL_S_test {
    double epsil; /* relative machine precision */
    double thrsh; /* residuals below it pass */
    FILE *outfp;  /* the report; process 0 only */
    int kfail, kpass, kskip, ktest;
} HPL_T_test;

#endif
