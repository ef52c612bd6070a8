/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/library.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define FILE_OF(major) "libcublas.so." TEXT_OF(major)

enum { WHY = 512 }; /* bytes of the longest reason, with its end */

typedef struct { /* a function of a library, and where its address goes */
    const char *name;
    size_t offset; /* bytes from the start of the table that is filled */
} symbol_t;

/*
 * Open the library called file for the rest of the process's life and fill a
 * table of function pointers. Returns whether all is there; if not, why_p, of
 * WHY bytes, says what is missing.
 */
static bool open_library(const char *file, const symbol_t *symbols,
                         size_t count, void *table_p, char *why_p)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *address;
    size_t i;

    if (library == NULL) {
        snprintf(why_p, WHY, "%s", dlerror());
        return false;
    }
    for (i = 0; i < count; i++) {
        address = dlsym(library, symbols[i].name);
        if (address == NULL) {
            snprintf(why_p, WHY, "%s has no %s", file, symbols[i].name);
            dlclose(library);
            return false;
        }
        memcpy((char *)table_p + symbols[i].offset, &address, sizeof(address));
    }
    return true;
}

/* ---- cuBLAS ------------------------------------------------------------- */

/* function may be a macro: the name is that of what it stands for */
#define SYMBOL(member, function)                                               \
    {                                                                          \
        TEXT_OF(function), offsetof(hyb_cuda_blas_t, member)                   \
    }

static const symbol_t blas_symbols[] = {
    SYMBOL(create, cublasCreate),
    SYMBOL(destroy, cublasDestroy),
    SYMBOL(set_stream, cublasSetStream),
    SYMBOL(set_workspace, cublasSetWorkspace),
    SYMBOL(dgemm, cublasDgemm_64),
    SYMBOL(dtrsm, cublasDtrsm_64),
    SYMBOL(dgemv, cublasDgemv_64),
    SYMBOL(status_text, cublasGetStatusString),
};

#undef SYMBOL

static hyb_cuda_blas_t blas;
static bool blas_loaded;
static char blas_reason[WHY];

static void load_blas(void)
{
    blas_loaded = open_library(FILE_OF(CUBLAS_VER_MAJOR), blas_symbols,
                               sizeof(blas_symbols) / sizeof(blas_symbols[0]),
                               &blas, blas_reason);
}

const hyb_cuda_blas_t *hyb_cuda_blas(const char **why_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_blas);
    *why_p = blas_reason;
    return blas_loaded ? &blas : NULL;
}

/* ---- the management library --------------------------------------------- */

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
} management;

#define SYMBOL(member, function)                                               \
    {                                                                          \
        function, offsetof(__typeof__(management), member)                     \
    }

static const symbol_t management_symbols[] = {
    SYMBOL(init, "nvmlInit_v2"),
    SYMBOL(find, "nvmlDeviceGetHandleByPciBusId_v2"),
    SYMBOL(temperature, "nvmlDeviceGetTemperature"),
    SYMBOL(clock, "nvmlDeviceGetClockInfo"),
    SYMBOL(power, "nvmlDeviceGetPowerUsage"),
    SYMBOL(energy, "nvmlDeviceGetTotalEnergyConsumption"),
    SYMBOL(memory, "nvmlDeviceGetMemoryInfo"),
};

static bool managed;

static void load_management(void)
{
    char why[WHY];

    managed =
        open_library("libnvidia-ml.so.1", management_symbols,
                     sizeof(management_symbols) / sizeof(management_symbols[0]),
                     &management, why) &&
        management.init() == SUCCESS;
}

static bool find(const char *pci_address, handle_t *device_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_management);
    return managed && management.find(pci_address, device_p) == SUCCESS;
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
    result = management.temperature(device, TEMPERATURE_OF_CHIP, &value);
    sensors.temperature = scaled(result, value, 1);
    result = management.clock(device, CLOCK_OF_MULTIPROCESSORS, &value);
    sensors.clock = scaled(result, value, 1e6);
    result = management.power(device, &value);
    sensors.power = scaled(result, value, 1e-3);
    result = management.energy(device, &counted);
    sensors.energy = scaled(result, counted, 1e-3);
    return sensors;
}

bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p)
{
    memory_t memory;
    handle_t device;

    if (!find(pci_address, &device) ||
        management.memory(device, &memory) != SUCCESS)
        return false;
    *free_p = memory.free;
    return true;
}
