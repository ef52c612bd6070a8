/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_MAP_H
#define HPL_MAP_H

#include <stdint.h>

/*
 * The block-cyclic distribution: blocks of nb are dealt to nprocs processes,
 * the first one to process 0. One object maps rows to process rows, another
 * columns to process columns; only these know the distribution.
 */
typedef struct {
    int64_t nb;
    int nprocs;
    int me; /* the process asking */
} hpl_map_t;

static inline hpl_map_t hpl_map(int64_t nb, int nprocs, int me)
{
    return (hpl_map_t){.nb = nb, .nprocs = nprocs, .me = me};
}

/* Process that holds global index g >= 0. */
static inline int hpl_map_owner(const hpl_map_t *map, int64_t g)
{
    return (int)(g / map->nb % map->nprocs);
}

/* Position of g among its owner's local indices. */
static inline int64_t hpl_map_local(const hpl_map_t *map, int64_t g)
{
    return g / map->nb / map->nprocs * map->nb + g % map->nb;
}

/* Global index of my local index l >= 0. */
static inline int64_t hpl_map_global(const hpl_map_t *map, int64_t l)
{
    return (l / map->nb * map->nprocs + map->me) * map->nb + l % map->nb;
}

/*
 * How many of the global indices 0 .. n - 1 I hold: also the local position of
 * the first index >= n that I hold.
 */
static inline int64_t hpl_map_count(const hpl_map_t *map, int64_t n)
{
    int64_t blocks = n / map->nb;
    int64_t mine = (blocks + map->nprocs - 1 - map->me) / map->nprocs;

    return mine * map->nb + (blocks % map->nprocs == map->me ? n % map->nb : 0);
}

#endif
