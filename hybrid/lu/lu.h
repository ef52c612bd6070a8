/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LU_H
#define HYB_LU_H

#include "hpl.h"
#include "hpl_solver.h"
#include "hpl/pauxil/map.h"
#include "hpl/pgesv/exchange.h"
#include "hpl/pgesv/progress.h"
#include "hybrid/lu/tuner/choice.h"
#include "hybrid/lu/tuner/lookahead.h"
#include "hybrid/lu/tuner/multiplier.h"
#include "hybrid/lu/tuner/regroup.h"
#include "hybrid/lu/columns.h"
#include "hybrid/observe/health.h"
#include "hybrid/observe/pace.h"
#include "hybrid/lu/l2_columns.h"
#include "hybrid/observe/iterations.h"
#include "hybrid/observe/timer.h"
#include "hybrid/lu/units.h"
#include "hybrid/cpu/chunk.h"
#include "hybrid/cpu/panel.h"
#include "hybrid/device/machine.h"

/*
 * A factorization under way: what the threads of this process share. Member 0
 * of the team leads: it alone calls MPI, opens iterations and factors panels,
 * with others' help; between these it works like all members, on chunks of
 * columns.
 *
 * Iteration k applies panel k. It is open from the moment panel k is known
 * here until all local columns to its right have met it; iteration k + 1 may
 * be open before that, and panel k + 2 be under way. Hence three of each.
 */
enum { HYB_IN_FLIGHT = 3 };

/* Panel k on this process. */
typedef struct {
    HPL_T_panel *hpl;      /* place, message, pivots, broadcast */
    hyb_factors_t factors; /* L1 and L2 for the update */
    hyb_swap_t swap;       /* where all rows are here; else source is */
    int *moves;            /* the memory of swap's lists */
    int zero;              /* 1 + first column without pivot, or 0 */
    _Atomic int loaded;    /* members that have copied their part in */
    bool travels;          /* its broadcast is under way; the leader's */
} hyb_lu_panel_t;

/* One iteration as its leader planned it. */
typedef struct {
    int k;
    hyb_lookahead_t mode;
    const char *reason;
    int panel_threads;   /* that factor panel k + 1 */
    hyb_deal_t prepare;  /* mode 1: all columns, swapped and solved first */
    hyb_deal_t next;     /* the columns of panel k + 1, where they are here */
    bool next_is_theirs; /* the devices update these, too */
    hyb_deal_t rest;     /* the team's other columns */
    _Atomic int64_t arrived;       /* columns up to here have their rows of U */
    double opened;                 /* when */
    hyb_timer_sum_t before;        /* what all members had spent by then */
    double leader[HYB_ACTIVITIES]; /* and the leader */
    double panel_seconds;          /* of panel k + 1, here */
    hyb_iteration_t row;           /* for the record, once it has ended */
    hyb_lookahead_times_t times;   /* likewise for the choice */
} hyb_plan_t;

enum {
    HYB_GROUP_COLUMNS = 256, /* of a row exchange under an update, at least */
    HYB_UNIT_COLUMNS = 32    /* of these, that a member packs at a time */
};

/* A group whose rows all members pack, unit by unit. */
typedef struct {
    hyb_units_t units; /* of HYB_UNIT_COLUMNS */
    hpl_exchange_t *exchange;
} hyb_packing_t;

/* The row exchanges of an iteration, group by group of whole blocks. */
typedef struct {
    int k;              /* iteration they belong to */
    int64_t position;   /* first column whose exchange has not begun */
    int64_t group;      /* first column of the one in flight, or -1 */
    int64_t group_end;  /* of the one in flight */
    int64_t width;      /* of the first group, a multiple of nb ... */
    int64_t growth;     /* ... and of the next one, times width */
    int64_t most;       /* growth at most: 1 where groups are all as wide */
    hpl_exchange_t *at; /* by a group's first block */
    int64_t *first;     /* by block: the first block of its last group ... */
    int64_t *end;       /* ... and the column where that ended */
    int64_t rows;       /* of a column in the next three: nb, or n if that is
                           less */
    double *gathered;   /* rows x columns: rows of U */
    double *displaced;  /* likewise: top rows on their way to new places */
    double *u;          /* likewise: U in columns, on whole pages, where the
                           matrix may have no room; or NULL */
    size_t u_bytes;     /* of u */
    int tag;            /* of the next exchange */
    bool packing;       /* the group has not started to move yet */
    hyb_packing_t pack;
} hyb_exchanges_t;

struct hyb_devices;

typedef struct hyb_lu {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat *mat;
    hyb_team_t *team;
    int members;
    const hyb_kernel_t *kernel;
    hyb_multiplier_t multiplier;
    bool offloads;    /* some process has devices */
    bool deals_ahead; /* who gets which columns is settled beforehand, and one
                         iteration ends before the next begins */
    hyb_panel_engine_t *engine;

    int panels;    /* in all */
    hpl_map_t map; /* of the columns */
    hyb_columns_t columns;
    hyb_lu_panel_t panel[HYB_IN_FLIGHT];
    hyb_plan_t plan[HYB_IN_FLIGHT];
    hyb_exchanges_t exchanges;
    bool in_columns; /* devices here, or the BLAS library, read L2 and U */
    hyb_l2_columns_t *flat;      /* L2 for them, or NULL */
    struct hyb_devices *devices; /* NULL: none works */
    int factored;                /* the last panel that was factored here */
    _Atomic int open;            /* iterations opened so far */

    double *memory; /* all that follows, in one piece */
    size_t memory_bytes;
    double *top; /* nb x nb: the top of the panel being factored */
    double *proposal, *others_proposal;
    double *u; /* packed rows of U, of each member's chunk */
    int64_t u_stride;
    int64_t chunk;   /* columns, at most */
    int64_t *pivots; /* nb */

    hyb_timer_t *spent; /* by member */
    hyb_pace_t *pace;   /* likewise */
    hyb_health_t health;
    hyb_choice_t choice;
    double devices_flop; /* of all iterations so far */
    double ended; /* when the last iteration that was learnt from was over */
    hyb_iterations_t *record;
    hpl_progress_t progress;
    hyb_regroup_t regroup;
    double thread_rate; /* flop/s of one in the last iteration, 0: unknown */
    double exchange_seconds;  /* swaps and solves then, by all members */
    double broadcast_seconds; /* of the last iteration, of the leader */
} hyb_lu_t;

static inline hyb_lu_panel_t *hyb_lu_panel(hyb_lu_t *lu, int k)
{
    return &lu->panel[k % HYB_IN_FLIGHT];
}

static inline hyb_plan_t *hyb_lu_plan(hyb_lu_t *lu, int k)
{
    return &lu->plan[k % HYB_IN_FLIGHT];
}

/* Is panel k's block column on this process? */
static inline bool hyb_lu_owns(const hyb_lu_t *lu, int k)
{
    return k < lu->panels &&
           hpl_map_owner(&lu->map, (int64_t)k * lu->mat->nb) == lu->map.me;
}

/* Are these flop of iteration k enough to tell the team's rate by? */
static inline bool hyb_lu_shows_rate(const hyb_lu_t *lu, int k, double flop)
{
    const hyb_tiles_t *l2 = &lu->panel[k % HYB_IN_FLIGHT].factors.l2;

    return flop > 0.0 && flop >= 2.0 * (double)l2->rows * (double)l2->cols *
                                     (double)lu->chunk;
}

/*
 * Working memory for lu, whose grid, algo, mat, panels, team, members, kernel,
 * multiplier, in_columns and deals_ahead are set; the first panels have theirs,
 * which does for those to come. Errors: XH_ERR_MEMORY; release then all the
 * same
 */
xh_status_t hyb_lu_allocate(hyb_lu_t *lu);
void hyb_lu_release(hyb_lu_t *lu);

/*
 * Have working memory backed, and L2 in columns where it is, before the clock
 * runs; in each member's part of its node. Some systems take milliseconds for a
 * huge page.
 */
void hyb_lu_touch(hyb_lu_t *lu);

/* Bytes of that on a process of shape, and of its panels. lu needs kernel,
 * multiplier, members and in_columns. */
uint64_t hyb_lu_bytes(const hyb_lu_t *lu, const hpl_shape_t *shape);

/* Columns of such an exchange for panels of nb: whole blocks. */
static inline int64_t hyb_lu_group(int64_t nb)
{
    return (HYB_GROUP_COLUMNS + nb - 1) / nb * nb;
}

/* Columns of a run, at most, for panels of nb. */
int64_t hyb_lu_chunk(const hyb_kernel_t *kernel, int64_t nb,
                     hyb_multiplier_t multiplier);

/*
 * Columns of a run of the next panel's: narrow, as the panel waits for the last
 * of them, and some members come late from the iteration before. The BLAS
 * library is too slow for so few.
 */
int64_t hyb_lu_narrow(const hyb_kernel_t *kernel, int64_t nb,
                      hyb_multiplier_t multiplier, int members);

#endif
