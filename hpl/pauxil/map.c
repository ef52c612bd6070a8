/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/map.h"

hpl_map_t hpl_map(int64_t nb, int nprocs, int me)
{
    return (hpl_map_t){.nb = nb, .nprocs = nprocs, .me = me};
}

int hpl_map_owner(const hpl_map_t *map, int64_t g)
{
    return (int)(g / map->nb % map->nprocs);
}

int64_t hpl_map_local(const hpl_map_t *map, int64_t g)
{
    return g / map->nb / map->nprocs * map->nb + g % map->nb;
}

int64_t hpl_map_global(const hpl_map_t *map, int64_t l)
{
    return (l / map->nb * map->nprocs + map->me) * map->nb + l % map->nb;
}

int64_t hpl_map_count(const hpl_map_t *map, int64_t n)
{
    int64_t blocks = n / map->nb;
    int64_t mine = (blocks + map->nprocs - 1 - map->me) / map->nprocs;

    if (blocks % map->nprocs == map->me)
        return mine * map->nb + n % map->nb;
    return mine * map->nb;
}
