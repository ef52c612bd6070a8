/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/inventory.h"

#include <math.h>
#include <stdio.h>
#include "base/integers.h"

static hpl_device_t look_at(hyb_device_t *device)
{
    hyb_device_sensors_t now = {NAN, NAN, NAN, NAN};
    hyb_device_info_t info = {.memory = 0};
    hpl_device_t found;

    hyb_device_describe(device, &info);
    hyb_device_sensors(device, &now);
    found = (hpl_device_t){.memory = info.memory,
                           .clock = now.clock,
                           .temperature = now.temperature,
                           .power = now.power,
                           .energy = now.energy};
    snprintf(found.name, sizeof(found.name), "%s:%d", info.backend, info.index);
    snprintf(found.model, sizeof(found.model), "%s", info.name);
    return found;
}

int hyb_inventory_devices(const hyb_machine_t *node, int most,
                          hpl_device_t *list_p)
{
    int i, count = (int)xh_smaller(most, hyb_machine_devices(node));

    for (i = 0; i < count; i++)
        list_p[i] = look_at(hyb_machine_device(node, i));
    return count;
}
