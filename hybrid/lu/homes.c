/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/homes.h"

#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/place_device.h"

int64_t hyb_homes_host_blocks(const hyb_means_t *means,
                              const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_map(shape->nb, shape->npcol, shape->mycol);
    int64_t columns_of_a = hpl_map_count(&map, shape->n);
    int64_t blocks = xh_units(columns_of_a, shape->nb) +
                     (hpl_system_columns(shape) > columns_of_a);

    return means->resident ? hyb_place_device_rest(means, shape, blocks)
                           : blocks;
}

int64_t hyb_homes_host_columns(const hyb_means_t *means,
                               const hpl_shape_t *shape)
{
    return xh_smaller(hyb_homes_host_blocks(means, shape) * shape->nb,
                      hpl_system_columns(shape));
}

xh_status_t hyb_homes_create(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);

    h->host = hyb_place_host;
    h->host.lu = lu;
    h->place[0] = &h->host;
    h->places = 1;
    h->host_blocks = hyb_homes_host_blocks(&lu->means, &shape);
    if (h->host_blocks < lu->ledger.blocks)
        h->places += hyb_machine_devices(lu->means.machine);
    for (int i = 1; i < h->places; i++)
        XH_TRY(hyb_place_device_create(lu, i, &h->place[i]));
    return XH_OK;
}

void hyb_homes_destroy(hyb_homes_t *h)
{
    while (h->places > 1)
        hyb_place_device_destroy(h->place[--h->places]);
}
