/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "testing/cuda_model/model.h"

/* The management library, as hybrid/device/cuda/library.c declares it. */
enum { SUCCESS = 0, UNINITIALIZED = 1, NO_SUCH_VALUE = 2, NOT_FOUND = 6 };

static bool initialized;

int nvmlInit_v2(void)
{
    initialized = true;
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device_p)
{
    int place;

    if (!initialized)
        return UNINITIALIZED;
    if (sscanf(address, "0000:a%d:00.0", &place) != 1)
        return NO_SUCH_VALUE;
    for (int i = 0; i < model.count; i++) {
        *device_p = &model.device[i];
        if (model.device[i].place == place)
            return SUCCESS;
    }
    return NOT_FOUND;
}

static int tell(unsigned *value_p, unsigned value, bool known)
{
    *value_p = value;
    return known ? SUCCESS : NO_SUCH_VALUE;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius_p)
{
    return tell(celsius_p, 40, device != NULL && sensor == 0);
}

int nvmlDeviceGetClockInfo(void *device, int domain, unsigned *megahertz_p)
{
    return tell(megahertz_p, 1500, device != NULL && domain == 1);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt_p)
{
    return tell(milliwatt_p, 300500, device != NULL);
}

int nvmlDeviceGetTotalEnergyConsumption(void *device,
                                        unsigned long long *millijoule_p)
{
    *millijoule_p = 7000250;
    return device != NULL ? SUCCESS : NO_SUCH_VALUE;
}

int nvmlDeviceGetSerial(const model_device_t *device, char *text, unsigned size)
{
    if (device == NULL || size < 30)
        return NO_SUCH_VALUE;
    snprintf(text, size, "16500%05d", device->place);
    return SUCCESS;
}

/* Bytes in all, free and in use. */
int nvmlDeviceGetMemoryInfo(const model_device_t *device,
                            unsigned long long memory_p[3])
{
    MODEL_CALL();

    memory_p[0] = model.memory;
    memory_p[1] = model_memory_left((int)(device - model.device));
    memory_p[2] = model.memory - memory_p[1];
    return SUCCESS;
}
