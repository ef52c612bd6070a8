/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/places.h"

#include <stdlib.h>
#include "base/log.h"
#include "hpl/comm/waits.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/dealing.h"

/* ---- dealing columns ----------------------------------------------------- */

/* Deal the last blocks, which are check columns: one to the host if it has
 * columns, and one to each device with columns. */
static void deal_check_columns(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;
    int64_t b = lu->ledger.check;
    int devices = h->resident ? h->places - 1 : 0;
    bool host = lu->ledger.blocks - b > devices;

    for (int i = 0; i < h->places; i++) {
        bool any = lu->ledger.blocks > b && (i > 0 ? h->resident : host);

        h->check[i] = any ? b++ : -1;
        if (any && h->number != NULL)
            h->number[h->check[i]] = i;
    }
}

/* Deal the devices' blocks among from .. to - 1 to the devices, as each has
 * memory. */
static xh_status_t deal_run(hyb_homes_t *h, const hyb_dealing_t *dealing,
                            int64_t from, int64_t to, const hpl_dealt_t *device)
{
    int64_t count = hyb_dealing_devices_blocks(dealing, from, to), next = 0;
    int *device_p = calloc((size_t)count + 1, sizeof(*device_p));

    if (device_p == NULL)
        return XH_ERR_MEMORY;
    hyb_deal_by_rate(device, dealing->devices, count, device_p);
    for (int64_t b = from; b < to; b++)
        if (hyb_dealing_is_teams(dealing, b))
            h->team_end = b + 1;
        else
            h->number[b] = 1 + device_p[next++];
    free(device_p);
    return XH_OK;
}

/* Deal all blocks. Guests are dealt by rate alone, because they need seats, not
 * memory. */
static xh_status_t deal(hyb_lu_t *lu, const hyb_dealing_t *dealing)
{
    hyb_homes_t *h = &lu->homes;
    hpl_dealt_t seats[HYB_EXECUTORS];

    for (int i = 0; i < dealing->devices; i++)
        seats[i] = (hpl_dealt_t){.rate = dealing->device[i].rate,
                                 .room = dealing->guests};
    h->number = calloc((size_t)lu->ledger.blocks + 1, sizeof(*h->number));
    if (h->number == NULL)
        return XH_ERR_MEMORY;
    lu->ledger.place = h->number;
    h->team_end = 0;
    XH_TRY(deal_run(h, dealing, 0, dealing->guests, seats));
    return deal_run(h, dealing, dealing->guests, dealing->all, dealing->device);
}

xh_status_t hyb_places_deal(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);
    hyb_dealing_t dealing = hyb_deal(&lu->resources, &shape);

    h->blocks = lu->ledger.blocks;
    h->seats = dealing.seats;
    h->resident = dealing.resident;
    h->takes_visits = !dealing.resident &&
                      hyb_machine_working_devices(lu->resources.machine) > 0;
    h->places = h->resident ? 1 + dealing.devices
                : h->takes_visits
                    ? 1 + hyb_machine_devices(lu->resources.machine)
                    : 1;
    h->guests = dealing.guests;
    h->team_end = lu->ledger.blocks;
    if (h->resident)
        XH_TRY(deal(lu, &dealing));
    deal_check_columns(lu);
    return XH_OK;
}

/* Can each device read the memory of each other device? */
static bool are_peers(const hyb_homes_t *h)
{
    bool all = h->resident && h->places > 2;

    for (int i = 1; i < h->places && all; i++)
        for (int j = 1; j < h->places && all; j++)
            all = i == j || hyb_place_device_reaches(h->place[i], h->place[j]);
    return all;
}

xh_status_t hyb_places_create(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;

    h->host = hyb_place_host;
    h->host.lu = lu;
    h->place[0] = &h->host;
    for (int i = 1; i < h->places; i++)
        XH_TRY(hyb_place_device_create(lu, i, &h->place[i]));
    h->peers = are_peers(h);
    for (int i = 1; i < h->places; i++)
        XH_TRY(hyb_place_device_warm_up(h->place[i]));
    return XH_OK;
}

static bool can_factor(const hyb_homes_t *h)
{
    for (int i = 1; i < h->places; i++)
        if (h->place[i]->factor_panel == NULL)
            return false;
    return true;
}

void hyb_places_agree(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;

    h->can_factor = can_factor(h);
    if (!h->can_factor && lu->grid->iam == 0 &&
        lu->resources.self_test == NULL &&
        strcmp(hyb_resources_panel(&lu->resources), "device") == 0)
        xh_log_info("panel=device: a device of process 0 cannot factor panels: "
                    "the cores factor them");
    if (lu->grid->nprow > 1)
        hpl_waits_allreduce(&h->can_factor, 1, MPI_INT, MPI_MIN,
                            lu->grid->col_comm);
}

void hyb_places_destroy(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;

    while (h->places > 1)
        hyb_place_device_destroy(h->place[--h->places]);
    free(h->number);
}
