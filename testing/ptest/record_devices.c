/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdlib.h>
#include "testing/json/json.h"
#include "testing/ptest/processes.h"

enum { MOST = 16 };

/* the devices of one process; no pointers, so that they can be gathered */
typedef struct {
    int count;
    hpl_device_t device[MOST];
} devices_t;

static devices_t mine(void)
{
    devices_t devices = {.count = 0};

    if (hpl_solver()->devices != NULL)
        devices.count = hpl_solver()->devices(MOST, devices.device);
    return devices;
}

static json_t *device_at(int rank, const hpl_device_t *device)
{
    return XH_JSON_OBJECT(
        {"rank", json_integer(rank)}, {"name", xh_json_text(device->name)},
        {"model", xh_json_text(device->model)},
        {"memory_bytes", json_integer((int64_t)device->memory)},
        {"clock_mhz", xh_json_number(device->clock * 1e-6)},
        {"temperature_celsius", xh_json_number(device->temperature)},
        {"power_watts", xh_json_number(device->power)});
}

json_t *xhpl_record_devices(void)
{
    devices_t here = mine();
    devices_t *all = xhpl_gather(MPI_COMM_WORLD, &here, sizeof(here));
    json_t *list = all != NULL ? json_array() : NULL;

    for (int r = 0; all != NULL && r < xhpl_size(MPI_COMM_WORLD); r++)
        for (int i = 0; i < all[r].count; i++)
            json_array_append_new(list, device_at(r, &all[r].device[i]));
    free(all);
    return list;
}

double xhpl_record_devices_energy(void)
{
    devices_t here = mine();
    double sum = 0;

    for (int i = 0; i < here.count; i++)
        sum += here.device[i].energy;
    return sum;
}
