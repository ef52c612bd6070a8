/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DISKS_H
#define HYB_DISKS_H

#include "base/status.h"
#include "hpl_types.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * Whose disks a folder is on: all processes see the same files, or those of a
 * host do, where the folder is on a disk of its own. Then each process has a
 * partner on another disk that keeps copies of its files. All but the last two
 * functions are collective.
 */
typedef struct {
    const char *folder;
    int rank, ranks;
    int disks;         /* how many there are */
    int *first;        /* by rank: the lowest one that sees the same files */
    int *row, *column; /* by rank: its place in the grid */
    int *partner;      /* by rank; itself, if there is one disk */
} hyb_disks_t;

typedef struct { /* a whole checkpoint of a process, and who sees it */
    hyb_saved_t saved;
    int rank;
} hyb_holding_t;

typedef struct {
    hyb_holding_t *holding;
    int count;
} hyb_holdings_t;

/*
 * Make the folder, if it is not there, and find out. folder outlives disks.
 * Errors: XH_ERR_MEMORY
 *         XH_ERR_INPUT   somebody cannot write there, who has to: said
 */
typedef enum { HYB_DISKS_TO_READ, HYB_DISKS_TO_WRITE } hyb_disks_use_t;
xh_status_t hyb_disks_find(const HPL_T_grid *grid, const char *folder,
                           hyb_disks_use_t use, hyb_disks_t *disks_p);
void hyb_disks_free(hyb_disks_t *disks);

/* All that is on any of them. Errors: XH_ERR_MEMORY */
xh_status_t hyb_disks_list(const hyb_disks_t *disks, MPI_Comm comm,
                           hyb_holdings_t *holdings_p);
void hyb_holdings_free(hyb_holdings_t *holdings);

/* Files of checkpoint `first` come to each process that does not see its own,
 * and copies to each one's partner that has none. */
void hyb_disks_bring(const hyb_disks_t *disks, MPI_Comm comm,
                     const hyb_holdings_t *holdings, int first);
void hyb_disks_copy(const hyb_disks_t *disks, MPI_Comm comm,
                    const hyb_holdings_t *holdings, int first);

/* The iterations of checkpoints that all places of the grid have somewhere,
 * newest first, at most HYB_STORE_MOST; returns how many. */
int hyb_disks_common(const hyb_disks_t *disks, const hyb_holdings_t *holdings,
                     int *first_p);

/* The files of rank, its own or copies of them. */
hyb_store_t hyb_disks_store(const hyb_disks_t *disks, int rank, bool is_copy);

#endif
