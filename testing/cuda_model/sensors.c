/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/cuda_model/model.h"

/*
 * The management libraries: NVML, as hybrid/device/cuda/library.c declares it,
 * and ROCm SMI, as hybrid/device/hip/sensors.c does.
 */
typedef const model_device_t *device_t;

/* A function that tells something, if that is known. */
#define TELL(name, parameters, known, ...)                                     \
    CALL(name, parameters, (known) ? cudaSuccess : cudaErrorInvalidValue,      \
         __VA_ARGS__)

static uint64_t bytes_left(device_t d)
{
    return (uint64_t)model_memory_left((int)(d - model.device));
}

/* ---- NVML ---------------------------------------------------------------- */

static bool has_nvml;

TELL(nvmlInit_v2, (void), true, has_nvml = true)

static device_t addressed(const char *address)
{
    char text[32];

    for (int i = 0; i < model.count; i++) {
        snprintf(text, sizeof(text), "0000:a%d:00.0", model.device[i].place);
        if (strcmp(text, address) == 0)
            return &model.device[i];
    }
    return NULL;
}

TELL(nvmlDeviceGetHandleByPciBusId_v2, (const char *address, device_t *d_p),
     has_nvml &&addressed(address), *d_p = addressed(address))
TELL(nvmlDeviceGetTemperature, (device_t d, int sensor, unsigned *celsius_p),
     d &&sensor == 0, *celsius_p = 40)
TELL(nvmlDeviceGetClockInfo, (device_t d, int domain, unsigned *megahertz_p),
     d &&domain == 1, *megahertz_p = 1500)
TELL(nvmlDeviceGetPowerUsage, (device_t d, unsigned *milliwatt_p), d,
     *milliwatt_p = 300500)
TELL(nvmlDeviceGetTotalEnergyConsumption,
     (device_t d, unsigned long long *millijoule_p), d, *millijoule_p = 7000250)
TELL(nvmlDeviceGetSerial, (device_t d, char *text_p, unsigned size), size >= 30,
     snprintf(text_p, size, "16500%05d", d->place))

/* Bytes in all, free and in use. */
TELL(nvmlDeviceGetMemoryInfo, (device_t d, unsigned long long memory_p[3]), d,
     memory_p[0] = (uint64_t)model.memory, memory_p[1] = bytes_left(d),
     memory_p[2] = memory_p[0] - memory_p[1])

/* ---- ROCm SMI ------------------------------------------------------------ */

static bool has_smi;

TELL(rsmi_init, (uint64_t flags), flags == 0, has_smi = true)

/* Devices are numbered from the last one on; one more is on another bus. */
TELL(rsmi_num_monitor_devices, (uint32_t * count_p), has_smi,
     *count_p = (uint32_t)model.count + 1)

static device_t numbered(uint32_t number)
{
    return number < (uint32_t)model.count
               ? &model.device[model.count - 1 - (int)number]
               : NULL;
}

/* Domain, a partition's number, bus, device and function. */
TELL(rsmi_dev_pci_id_get, (uint32_t number, uint64_t *address_p), true,
     const unsigned bus = numbered(number)
                              ? 0xa0 + (unsigned)numbered(number)->place
                              : 0x10;
     *address_p = UINT64_C(1) << 28 | bus << 8)

typedef struct {
    bool has_deep_sleep;
    uint32_t count, current;
    uint64_t hertz[33];
} frequencies_t;

TELL(rsmi_dev_temp_metric_get,
     (uint32_t number, uint32_t sensor, int what, int64_t *millidegrees_p),
     numbered(number) && sensor == 1 && what == 0, *millidegrees_p = 45500)
TELL(rsmi_dev_gpu_clk_freq_get,
     (uint32_t number, int which, frequencies_t *all_p),
     numbered(number) && which == 0,
     *all_p = (frequencies_t){true, 3, 1, {500000000, 1700000000, 2100000000}})
TELL(rsmi_dev_power_get, (uint32_t number, uint64_t *microwatt_p, int *kind_p),
     numbered(number), *microwatt_p = 300500000, *kind_p = 1)
TELL(rsmi_dev_energy_count_get,
     (uint32_t number, uint64_t *count_p, float *microjoule_p,
      uint64_t *time_p),
     numbered(number), *count_p = 2000000000, *microjoule_p = 15.25f,
     *time_p = 0)
TELL(rsmi_dev_memory_total_get, (uint32_t number, int kind, uint64_t *bytes_p),
     numbered(number) && kind == 0, *bytes_p = (uint64_t)model.memory)
TELL(rsmi_dev_memory_usage_get, (uint32_t number, int kind, uint64_t *bytes_p),
     numbered(number) && kind == 0,
     *bytes_p = (uint64_t)model.memory - bytes_left(numbered(number)))
TELL(rsmi_dev_serial_number_get, (uint32_t number, char *text_p, uint32_t size),
     numbered(number) && size >= 30,
     snprintf(text_p, size, "PCB0%05d", numbered(number)->place))
