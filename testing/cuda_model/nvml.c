/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "testing/cuda_model/model.h"

/* What hybrid/device/cuda/sensor.c declares. */
enum { SUCCESS = 0, UNINITIALIZED = 1, NO_SUCH_VALUE = 2, NOT_FOUND = 6 };
enum { CLOCK_OF_MULTIPROCESSORS = 1 };

typedef struct {
    unsigned long long total, free, used;
} memory_t;

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device_p);
int nvmlDeviceGetTemperature(const void *device, int sensor,
                             unsigned *celsius_p);
int nvmlDeviceGetClockInfo(const void *device, int domain,
                           unsigned *megahertz_p);
int nvmlDeviceGetPowerUsage(const void *device, unsigned *milliwatt_p);
int nvmlDeviceGetTotalEnergyConsumption(const void *device,
                                        unsigned long long *millijoule_p);
int nvmlDeviceGetMemoryInfo(const void *device, memory_t *memory_p);

static bool initialized;

int nvmlInit_v2(void)
{
    initialized = true;
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device_p)
{
    unsigned domain, bus, slot, function;
    int index = 0;

    if (!initialized)
        return UNINITIALIZED;
    if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
        return NO_SUCH_VALUE;
    model_enter();
    while (index < model.count && model.place[index] != (int)bus - 0xA0)
        index++;
    model_leave(cudaSuccess);
    if (index >= model.count)
        return NOT_FOUND;
    *device_p = &model.device[index];
    return SUCCESS;
}

int nvmlDeviceGetTemperature(const void *device, int sensor,
                             unsigned *celsius_p)
{
    if (device == NULL || sensor != 0)
        return NO_SUCH_VALUE;
    *celsius_p = 40;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(const void *device, int domain,
                           unsigned *megahertz_p)
{
    if (device == NULL || domain != CLOCK_OF_MULTIPROCESSORS)
        return NO_SUCH_VALUE;
    *megahertz_p = 1500;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(const void *device, unsigned *milliwatt_p)
{
    if (device == NULL)
        return NO_SUCH_VALUE;
    *milliwatt_p = 300500;
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(const void *device,
                                        unsigned long long *millijoule_p)
{
    if (device == NULL)
        return NO_SUCH_VALUE;
    *millijoule_p = 7000250;
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(const void *device, memory_t *memory_p)
{
    const model_device_t *d = device;

    model_enter();
    *memory_p = (memory_t){model.memory, model.memory - d->used, d->used};
    model_leave(cudaSuccess);
    return SUCCESS;
}
