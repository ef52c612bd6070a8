/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include "hybrid/device/cuda/cuda.h"

/* The interface of ROCm SMI, the management library, since ROCm 6. */

enum { /* values defined by ROCm SMI */
       SUCCESS = 0,
       JUNCTION = 1, /* the chip's hottest spot */
       CURRENT = 0,
       SYSTEM_CLOCK = 0,
       DEVICE_MEMORY = 0,
       FREQUENCIES = 33
};

typedef struct {
    bool has_deep_sleep;
    uint32_t count, current;
    uint64_t hertz[FREQUENCIES];
} frequencies_t;

static struct {
    int (*init)(uint64_t flags);
    int (*devices)(uint32_t *count_p);
    int (*address)(uint32_t device, uint64_t *address_p);
    int (*temperature)(uint32_t device, uint32_t sensor, int what,
                       int64_t *millidegrees_p);
    int (*clock)(uint32_t device, int which, frequencies_t *all_p);
    int (*power)(uint32_t device, uint64_t *microwatt_p, int *kind_p);
    int (*energy)(uint32_t device, uint64_t *count_p, float *microjoule_p,
                  uint64_t *time_p);
    int (*memory)(uint32_t device, int kind, uint64_t *bytes_p);
    int (*memory_used)(uint32_t device, int kind, uint64_t *bytes_p);
    int (*serial)(uint32_t device, char *text, uint32_t size);
} management;

static bool managed;

static void load_management(void)
{
    static const hyb_cuda_symbol_t symbols[] = {
        {"rsmi_init", &management.init},
        {"rsmi_num_monitor_devices", &management.devices},
        {"rsmi_dev_pci_id_get", &management.address},
        {"rsmi_dev_temp_metric_get", &management.temperature},
        {"rsmi_dev_gpu_clk_freq_get", &management.clock},
        {"rsmi_dev_power_get", &management.power},
        {"rsmi_dev_energy_count_get", &management.energy},
        {"rsmi_dev_memory_total_get", &management.memory},
        {"rsmi_dev_memory_usage_get", &management.memory_used},
        {"rsmi_dev_serial_number_get", &management.serial},
        {NULL, NULL}};
    static const char *const files[] = {
        "librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.6", NULL};
    char why[HYB_CUDA_WHY];

    managed = hyb_cuda_open_library(files, symbols, why) &&
              management.init(0) == SUCCESS;
}

/* Convert "0000:c1:00.0" to the library's number; 0 if it is not a PCI address.
 */
static uint64_t number_of(const char *pci_address)
{
    unsigned domain, bus, slot, function;

    if (sscanf(pci_address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) !=
        4)
        return 0;
    return (uint64_t)domain << 32 | bus << 8 | slot << 3 | function;
}

static bool find(const char *pci_address, uint32_t *device_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const uint64_t partition = 0xffff0000, wanted = number_of(pci_address);
    uint64_t number;
    uint32_t count = 0;

    pthread_once(&once, load_management);
    if (!managed || wanted == 0 || management.devices(&count) != SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (management.address(i, &number) == SUCCESS &&
            (number & ~partition) == wanted) {
            *device_p = i;
            return true;
        }
    return false;
}

static double clock_of(uint32_t device)
{
    frequencies_t all = {.count = 0};

    if (management.clock(device, SYSTEM_CLOCK, &all) != SUCCESS ||
        all.current >= all.count || all.count > FREQUENCIES)
        return NAN;
    return (double)all.hertz[all.current];
}

xh_status_t hyb_cuda_sensors(void *state, hyb_device_sensors_t *sensors_p)
{
    uint64_t counted = 0, time;
    int64_t millidegrees = 0;
    float microjoule = 0;
    uint32_t device;
    int kind;

    *sensors_p = (hyb_device_sensors_t){NAN, NAN, NAN, NAN};
    if (!find(((hyb_cuda_device_t *)state)->pci_address, &device))
        return XH_OK;
    if (management.temperature(device, JUNCTION, CURRENT, &millidegrees) ==
        SUCCESS)
        sensors_p->temperature = 1e-3 * (double)millidegrees;
    sensors_p->clock = clock_of(device);
    if (management.power(device, &counted, &kind) == SUCCESS)
        sensors_p->power = 1e-6 * (double)counted;
    if (management.energy(device, &counted, &microjoule, &time) == SUCCESS)
        sensors_p->energy = 1e-6 * (double)microjoule * (double)counted;
    return XH_OK;
}

bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p)
{
    uint64_t all, used;
    uint32_t device;

    if (!find(pci_address, &device) ||
        management.memory(device, DEVICE_MEMORY, &all) != SUCCESS ||
        management.memory_used(device, DEVICE_MEMORY, &used) != SUCCESS ||
        used > all)
        return false;
    *free_p = all - used;
    return true;
}

void hyb_cuda_serial(const char *pci_address, char text[HYB_CUDA_SERIAL])
{
    uint32_t device;

    if (!find(pci_address, &device) ||
        management.serial(device, text, HYB_CUDA_SERIAL) != SUCCESS)
        text[0] = '\0';
}
