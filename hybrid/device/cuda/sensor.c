/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/sensor.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include "hybrid/device/cuda/library.h"

enum { /* values of the management library's interface */
       SUCCESS = 0,
       TEMPERATURE_OF_CHIP = 0,
       CLOCK_OF_MULTIPROCESSORS = 1
};

typedef void *handle_t;

typedef struct {
    unsigned long long total, free, used;
} memory_t;

static struct {
    int (*init)(void);
    int (*find)(const char *pci_address, handle_t *device_p);
    int (*temperature)(handle_t device, int sensor, unsigned *celsius_p);
    int (*clock)(handle_t device, int domain, unsigned *megahertz_p);
    int (*power)(handle_t device, unsigned *milliwatt_p);
    int (*energy)(handle_t device, unsigned long long *millijoule_p);
    int (*memory)(handle_t device, memory_t *memory_p);
} library;

#define SYMBOL(member, function)                                               \
    {                                                                          \
        function, offsetof(__typeof__(library), member)                        \
    }

static const hyb_cuda_symbol_t symbols[] = {
    SYMBOL(init, "nvmlInit_v2"),
    SYMBOL(find, "nvmlDeviceGetHandleByPciBusId_v2"),
    SYMBOL(temperature, "nvmlDeviceGetTemperature"),
    SYMBOL(clock, "nvmlDeviceGetClockInfo"),
    SYMBOL(power, "nvmlDeviceGetPowerUsage"),
    SYMBOL(energy, "nvmlDeviceGetTotalEnergyConsumption"),
    SYMBOL(memory, "nvmlDeviceGetMemoryInfo"),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static void load(void)
{
    char why[HYB_CUDA_WHY];

    ready = hyb_cuda_library_open("libnvidia-ml.so.1", symbols,
                                  sizeof(symbols) / sizeof(symbols[0]),
                                  &library, why) &&
            library.init() == SUCCESS;
}

static bool find(const char *pci_address, handle_t *device_p)
{
    pthread_once(&once, load);
    return ready && library.find(pci_address, device_p) == SUCCESS;
}

static double scaled(int result, unsigned long long value, double unit)
{
    return result == SUCCESS ? (double)value * unit : NAN;
}

hyb_device_sensors_t hyb_cuda_sensor_read(const char *pci_address)
{
    hyb_device_sensors_t sensors = {NAN, NAN, NAN, NAN};
    unsigned long long counted = 0;
    unsigned value = 0;
    handle_t device;
    int result;

    if (!find(pci_address, &device))
        return sensors;
    result = library.temperature(device, TEMPERATURE_OF_CHIP, &value);
    sensors.temperature = scaled(result, value, 1);
    result = library.clock(device, CLOCK_OF_MULTIPROCESSORS, &value);
    sensors.clock = scaled(result, value, 1e6);
    result = library.power(device, &value);
    sensors.power = scaled(result, value, 1e-3);
    result = library.energy(device, &counted);
    sensors.energy = scaled(result, counted, 1e-3);
    return sensors;
}

bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p)
{
    memory_t memory;
    handle_t device;

    if (!find(pci_address, &device) ||
        library.memory(device, &memory) != SUCCESS)
        return false;
    *free_p = memory.free;
    return true;
}
