/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "testing/cuda_model/model.h"

/*
 * ROCm's management library, as hybrid/device/hip/sensors.c declares it. It
 * numbers devices from the last one on, and there is one more, of another bus.
 */
enum { SUCCESS = 0, INVALID = 1, NOT_SUPPORTED = 2 };

static bool initialized;

int rsmi_init(uint64_t flags)
{
    initialized = flags == 0;
    return initialized ? SUCCESS : INVALID;
}

int rsmi_num_monitor_devices(uint32_t *count_p)
{
    *count_p = (uint32_t)model.count + 1;
    return initialized ? SUCCESS : INVALID;
}

static const model_device_t *device_of(uint32_t number)
{
    return number < (uint32_t)model.count
               ? &model.device[model.count - 1 - (int)number]
               : NULL;
}

/* Domain, a partition's number, bus, device and function. */
int rsmi_dev_pci_id_get(uint32_t number, uint64_t *address_p)
{
    const model_device_t *d = device_of(number);
    const unsigned bus = d == NULL ? 0x10 : 0xa0 + (unsigned)d->place;

    *address_p = UINT64_C(1) << 28 | bus << 8;
    return SUCCESS;
}

static int told(uint32_t number, bool known)
{
    return device_of(number) != NULL && known ? SUCCESS : NOT_SUPPORTED;
}

int rsmi_dev_temp_metric_get(uint32_t number, uint32_t sensor, int what,
                             int64_t *millidegrees_p)
{
    *millidegrees_p = 45500;
    return told(number, sensor == 1 && what == 0);
}

typedef struct {
    bool has_deep_sleep;
    uint32_t count, current;
    uint64_t hertz[33];
} frequencies_t;

int rsmi_dev_gpu_clk_freq_get(uint32_t number, int which, frequencies_t *all_p)
{
    *all_p = (frequencies_t){true, 3, 1, {500000000, 1700000000, 2100000000}};
    return told(number, which == 0);
}

int rsmi_dev_power_get(uint32_t number, uint64_t *microwatt_p, int *kind_p)
{
    *microwatt_p = 300500000;
    *kind_p = 1;
    return told(number, true);
}

int rsmi_dev_energy_count_get(uint32_t number, uint64_t *count_p,
                              float *microjoule_p, uint64_t *time_p)
{
    *count_p = 2000000000;
    *microjoule_p = 15.25f;
    *time_p = 0;
    return told(number, true);
}

int rsmi_dev_memory_total_get(uint32_t number, int kind, uint64_t *bytes_p)
{
    *bytes_p = model.memory;
    return told(number, kind == 0);
}

int rsmi_dev_memory_usage_get(uint32_t number, int kind, uint64_t *bytes_p)
{
    MODEL_CALL();

    if (told(number, kind == 0) != SUCCESS)
        return NOT_SUPPORTED;
    *bytes_p = model.memory -
               model_memory_left((int)(device_of(number) - model.device));
    return SUCCESS;
}

int rsmi_dev_serial_number_get(uint32_t number, char *text, uint32_t size)
{
    if (told(number, size >= 30) != SUCCESS)
        return NOT_SUPPORTED;
    snprintf(text, size, "PCB0%05d", device_of(number)->place);
    return SUCCESS;
}
