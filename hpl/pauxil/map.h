/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hpl/pauxil/deal.h"
#include "hpl_types.h"

/*
 * The distribution: blocks of nb are dealt to nprocs processes, in turn, the
 * first one to process 0, or as `deal` says. One map is for rows and process
 * rows, another for columns and process columns; only maps know the
 * distribution.
 */
typedef struct {
    int64_t nb;
    int nprocs;
    int me;                 /* process whose local indices count */
    const hpl_deal_t *deal; /* NULL: in turn */
} hpl_map_t;

/* A map of rows, or of columns that are dealt in turn. */
static inline hpl_map_t hpl_map(int64_t nb, int nprocs, int me)
{
    return (hpl_map_t){.nb = nb, .nprocs = nprocs, .me = me};
}

/* A map of the columns of `grid`. */
static inline hpl_map_t hpl_map_columns(const HPL_T_grid *grid, int64_t nb)
{
    return (hpl_map_t){
        .nb = nb, .nprocs = grid->npcol, .me = grid->mycol, .deal = grid->deal};
}

/* ---- blocks -------------------------------------------------------------- */

static inline int hpl_map_block_owner(const hpl_map_t *map, int64_t block)
{
    return map->deal != NULL ? map->deal->owner[block]
                             : (int)(block % map->nprocs);
}

/* Position of a block among its owner's blocks. */
static inline int64_t hpl_map_block_local(const hpl_map_t *map, int64_t block)
{
    return map->deal != NULL ? map->deal->local[block] : block / map->nprocs;
}

/* Global number of my local block l; beyond my last block, a number after all
 * blocks. */
static inline int64_t hpl_map_block_global(const hpl_map_t *map, int64_t l)
{
    if (map->deal == NULL)
        return l * map->nprocs + map->me;
    l += map->deal->first[map->me];
    return l < map->deal->first[map->me + 1] ? map->deal->list[l]
                                             : map->deal->blocks;
}

/* Number of the blocks 0 .. blocks - 1 that I hold. */
static inline int64_t hpl_map_block_count(const hpl_map_t *map, int64_t blocks)
{
    return map->deal != NULL
               ? hpl_deal_count(map->deal, blocks, map->me)
               : (blocks + map->nprocs - 1 - map->me) / map->nprocs;
}

/* ---- indices ------------------------------------------------------------- */

/* Process that holds global index g >= 0. */
static inline int hpl_map_owner(const hpl_map_t *map, int64_t g)
{
    return hpl_map_block_owner(map, g / map->nb);
}

/* Position of g among its owner's local indices. */
static inline int64_t hpl_map_local(const hpl_map_t *map, int64_t g)
{
    return hpl_map_block_local(map, g / map->nb) * map->nb + g % map->nb;
}

/* Global index of my local index l >= 0. */
static inline int64_t hpl_map_global(const hpl_map_t *map, int64_t l)
{
    return hpl_map_block_global(map, l / map->nb) * map->nb + l % map->nb;
}

/*
 * Number of the global indices 0 .. n - 1 that I hold, which is also the local
 * position of my first index >= n.
 */
static inline int64_t hpl_map_count(const hpl_map_t *map, int64_t n)
{
    int64_t blocks = n / map->nb, mine = hpl_map_block_count(map, blocks);
    bool is_cut =
        n % map->nb > 0 && hpl_map_block_owner(map, blocks) == map->me;

    return mine * map->nb + (is_cut ? n % map->nb : 0);
}
