/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a function; if it is a macro, the name that it expands to. */
#define NAME(x) #x
#define NAME_OF(function) NAME(function)

/* ---- finding ------------------------------------------------------------ */

static void say_why(cudaError_t error, int driver, char *why_p)
{
    if (driver == 0)
        snprintf(why_p, HYB_CUDA_WHY, "there is no NVIDIA driver");
    else if (error == cudaErrorInsufficientDriver)
        snprintf(why_p, HYB_CUDA_WHY,
                 "the NVIDIA driver supports CUDA %d.%d, and %d.%d is needed",
                 driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
    else if (error == cudaErrorNoDevice || error == cudaSuccess)
        snprintf(why_p, HYB_CUDA_WHY, "the NVIDIA driver shows no device");
    else
        snprintf(why_p, HYB_CUDA_WHY, "the NVIDIA driver cannot be used: %s",
                 cudaGetErrorString(error));
}

#if CUDART_VERSION < 12080
hyb_cuda_driver_t hyb_cuda_driver;

static bool load_driver(char *why_p)
{
#define SYMBOL(name, arguments) {"cu" #name, &hyb_cuda_driver.name},
    static const hyb_cuda_symbol_t symbols[] = {
        HYB_CUDA_DRIVER_FUNCTIONS(SYMBOL){NULL, NULL}};
    static const char *const files[] = {"libcuda.so.1", NULL};

    return hyb_cuda_open_library(files, symbols, why_p);
}
#else
static bool load_driver(char *why_p)
{
    (void)why_p;
    return true;
}
#endif

int hyb_cuda_find_devices(char *why_p)
{
    int driver = 0;
    int found = 0;
    cudaError_t error = cudaDriverGetVersion(&driver);

    if (error == cudaSuccess && driver > 0)
        error = cudaGetDeviceCount(&found);
    cudaGetLastError();
    if (error == cudaSuccess && found > 0)
        return load_driver(why_p) ? found : 0;
    say_why(error, driver, why_p);
    return 0;
}

/* ---- cuBLAS ------------------------------------------------------------- */

/* The libraries that will do, beginning with the version of this build. */
static const char *const blas_files[] = {
#if CUBLAS_VER_MAJOR < 13
    "libcublas.so.12", "libcublas.so.13", NULL
#else
    "libcublas.so.13", "libcublas.so.12", NULL
#endif
};

/*
 * An environment variable makes cuBLAS emulate double precision. Overrule it
 * before cuBLAS is loaded, unless another library has loaded cuBLAS already.
 */
static bool settle_environment(char *why_p)
{
    static const char name[] = "CUBLAS_EMULATE_DOUBLE_PRECISION";
    const char *value = getenv(name);

    if (value == NULL || strcmp(value, "0") == 0 || hyb_cuda_emulates_doubles())
        return true;
    for (const char *const *file = blas_files; *file != NULL; file++)
        if (dlopen(*file, RTLD_NOW | RTLD_NOLOAD) != NULL) {
            snprintf(why_p, HYB_CUDA_WHY,
                     "it was loaded with %s=%s, which fp64=native forbids",
                     name, value);
            return false;
        }
    hyb_cuda_host->log(
        XH_LOG_WARNING, HYB_CUDA_NAME, 0,
        "%s=%s has no effect: only fp64=emulated emulates double precision",
        name, value);
    return setenv(name, "0", 1) == 0;
}

xh_status_t hyb_cuda_load_blas(hyb_cuda_blas_t *blas, char *why_p)
{
    const hyb_cuda_symbol_t symbols[] = {
        {NAME_OF(cublasCreate), &blas->create},
        {NAME_OF(cublasDestroy), &blas->destroy},
        {NAME_OF(cublasSetStream), &blas->set_stream},
        {NAME_OF(cublasSetWorkspace), &blas->set_workspace},
        {NAME_OF(cublasSetMathMode), &blas->set_math},
        {NAME_OF(cublasGetMathMode), &blas->math},
        {NAME_OF(cublasDgemm_64), &blas->dgemm},
        {NAME_OF(cublasDtrsm_64), &blas->dtrsm},
        {NAME_OF(cublasDgemv_64), &blas->dgemv},
        {NAME_OF(cublasGetStatusString), &blas->status_text},
        {NULL, NULL}};

    if (!settle_environment(why_p))
        return XH_ERR_INPUT;
    return hyb_cuda_open_library(blas_files, symbols, why_p) ? XH_OK
                                                             : XH_ERR_DEVICE;
}

/* ---- the management library --------------------------------------------- */

enum { /* values defined by the management library */
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
    int (*serial)(handle_t device, char *text, unsigned size);
} management;

static bool managed;

static void load_management(void)
{
    static const hyb_cuda_symbol_t symbols[] = {
        {"nvmlInit_v2", &management.init},
        {"nvmlDeviceGetHandleByPciBusId_v2", &management.find},
        {"nvmlDeviceGetTemperature", &management.temperature},
        {"nvmlDeviceGetClockInfo", &management.clock},
        {"nvmlDeviceGetPowerUsage", &management.power},
        {"nvmlDeviceGetTotalEnergyConsumption", &management.energy},
        {"nvmlDeviceGetMemoryInfo", &management.memory},
        {"nvmlDeviceGetSerial", &management.serial},
        {NULL, NULL}};
    static const char *const files[] = {"libnvidia-ml.so.1", NULL};
    char why[HYB_CUDA_WHY];

    managed = hyb_cuda_open_library(files, symbols, why) &&
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

xh_status_t hyb_cuda_sensors(void *state, hyb_device_sensors_t *sensors_p)
{
    unsigned long long counted = 0;
    unsigned value = 0;
    handle_t device;
    int result;

    *sensors_p = (hyb_device_sensors_t){NAN, NAN, NAN, NAN};
    if (!find(((hyb_cuda_device_t *)state)->pci_address, &device))
        return XH_OK;
    result = management.temperature(device, TEMPERATURE_OF_CHIP, &value);
    sensors_p->temperature = scaled(result, value, 1);
    result = management.clock(device, CLOCK_OF_MULTIPROCESSORS, &value);
    sensors_p->clock = scaled(result, value, 1e6);
    result = management.power(device, &value);
    sensors_p->power = scaled(result, value, 1e-3);
    result = management.energy(device, &counted);
    sensors_p->energy = scaled(result, counted, 1e-3);
    return XH_OK;
}

void hyb_cuda_serial(const char *pci_address, char text[HYB_CUDA_SERIAL])
{
    handle_t device;

    if (!find(pci_address, &device) ||
        management.serial(device, text, HYB_CUDA_SERIAL) != SUCCESS)
        text[0] = '\0'; /* desktop boards have none */
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
