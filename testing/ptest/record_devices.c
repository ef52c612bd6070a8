/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_devices.h"

#include <mpi.h>
#include <stdlib.h>
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

json_t *xhpl_record_devices(void)
{
    devices_t here = mine();
    devices_t *all = xhpl_record_gather(MPI_COMM_WORLD, &here, sizeof(here));
    json_t *list = NULL;
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (all != NULL)
        list = json_array();
    for (int r = 0; list != NULL && r < processes; r++)
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
