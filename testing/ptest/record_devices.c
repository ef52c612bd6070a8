/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_devices.h"

#include <mpi.h>
#include "hpl_solver.h"
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

enum { MOST = 16 };

/* the devices of one process; flat, so that a gather carries them */
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
    json_t *object = json_object();

    xhpl_json_set_count(object, "rank", rank);
    xhpl_json_set_text(object, "name", device->name);
    xhpl_json_set_text(object, "model", device->model);
    xhpl_json_set_count(object, "memory_bytes", (int64_t)device->memory);
    xhpl_json_set_number(object, "clock_mhz", device->clock * 1e-6);
    xhpl_json_set_number(object, "temperature_celsius", device->temperature);
    xhpl_json_set_number(object, "power_watts", device->power);
    return object;
}

static json_t *list_of(void *all, int count)
{
    const devices_t *of = all;
    json_t *list = json_array();

    for (int r = 0; r < count; r++)
        for (int i = 0; i < of[r].count; i++)
            json_array_append_new(list, device_at(r, &of[r].device[i]));
    return list;
}

json_t *xhpl_record_devices(void)
{
    devices_t here = mine();

    return xhpl_record_gathered(MPI_COMM_WORLD, &here, sizeof(here), list_of);
}

double xhpl_record_devices_energy(void)
{
    devices_t here = mine();
    double sum = 0;

    for (int i = 0; i < here.count; i++)
        sum += here.device[i].energy;
    return sum;
}
