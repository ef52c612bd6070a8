/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DISKS_H
#define HYB_DISKS_H

#include <mpi.h>
#include "base/status.h"
#include "hpl_types.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * Whose disks a folder is on: all processes see the same files, or those of a
 * host do, where the folder is on a disk of its own. Then each process has a
 * partner on another disk that keeps copies of its files. Finding, bringing and
 * copying are collective.
 */
typedef struct {
    const char *folder;
    const HPL_T_grid *grid;
    bool is_refused;         /* this process must not use the folder */
    char why[HYB_STORE_WHY]; /* why this process cannot write there; or "" */
    int disks;               /* how many there are */
    int *first;   /* by rank: the lowest one that sees the same files */
    int *partner; /* by rank; itself, if there is one disk */
    struct hyb_saved *saved; /* the whole checkpoints on any of them, */
    int count;               /* as they were found */
} hyb_disks_t;

/*
 * Make the folder, if it is not there, and find out. Both outlive disks.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_disks_find(const HPL_T_grid *grid, const char *folder,
                           hyb_disks_t *disks_p);
void hyb_disks_free(hyb_disks_t *disks);

/* Files of checkpoint `first` come to each process that does not see its own,
 * and copies to each one's partner that has none. */
void hyb_disks_bring(const hyb_disks_t *disks, int first);
void hyb_disks_copy(const hyb_disks_t *disks, int first);

/* The iterations of checkpoints that all places of the grid have somewhere,
 * newest first, at most HYB_STORE_MOST; returns how many. */
int hyb_disks_common(const hyb_disks_t *disks, int *first_p);

/* Likewise of this process alone, on its disk: the newest; 0: there is none.
 * Does that hold one of a process outside of the grid? */
int hyb_disks_newest(const hyb_disks_t *disks);
bool hyb_disks_have_others(const hyb_disks_t *disks);

/* The files of rank, its own or copies of them. */
hyb_store_t hyb_disks_store(const hyb_disks_t *disks, int rank, bool is_copy);

#endif
