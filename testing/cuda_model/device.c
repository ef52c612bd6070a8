/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

enum { MIB = 1 << 20, OF_CONTEXT = 1 << 20, HOPPER = 9 };

model_t model = {.lock = PTHREAD_MUTEX_INITIALIZER,
                 .changed = PTHREAD_COND_INITIALIZER};

static __thread int current;
static __thread cudaError_t last_error;

void model_die(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fputs("CUDA model: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    abort();
}

/* ---- beginning and ending ------------------------------------------------ */

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

static void report(void)
{
    cuda_model_counts_t c = cuda_model_counts();

    fprintf(stderr,
            "CUDA model: left memory %d, pinned %d, streams %d, events %d, "
            "handles %d; unpinned copies %d\n",
            c.memory, c.pinned, c.streams, c.events, c.handles,
            c.unpinned_copies);
}

/* Of lists such as "01/23" that of this process, as launchers number it. */
static void read_visible(const char *lists)
{
    long rank = from_environment("OMPI_COMM_WORLD_LOCAL_RANK",
                                 from_environment("MPI_LOCALRANKID", 0));

    for (; rank > 0 && strchr(lists, '/') != NULL; rank--)
        lists = strchr(lists, '/') + 1;
    model.count = (int)strspn(lists, "0123");
    for (int i = 0; i < model.count && i < MODEL_DEVICES; i++)
        model.place[i] = lists[i] - '0';
}

static void first_time(void)
{
    model.count = (int)from_environment("CUDA_MODEL_DEVICES", 1);
    for (int i = 0; i < MODEL_DEVICES; i++)
        model.place[i] = i;
    if (getenv("CUDA_MODEL_VISIBLE") != NULL)
        read_visible(getenv("CUDA_MODEL_VISIBLE"));
    model.driver = (int)from_environment("CUDA_MODEL_DRIVER", CUDART_VERSION);
    model.memory = (size_t)from_environment("CUDA_MODEL_MEMORY", 256) * MIB;
    if (model.count < 0 || model.count > MODEL_DEVICES)
        model_die("there cannot be %d devices", model.count);
    model_memory_begin();
    model_faults_read_environment();
    if (getenv("CUDA_MODEL_REPORT") != NULL)
        atexit(report);
}

static void take_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, first_time);
    pthread_mutex_lock(&model.lock);
}

void model_enter(void)
{
    take_lock();
    model.counts.calls++;
}

cudaError_t model_leave(cudaError_t error)
{
    pthread_mutex_unlock(&model.lock);
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

void cuda_model_begin(const char *faults)
{
    int i;

    model_enter();
    model_streams_begin();
    for (i = 0; i < model.count; i++) {
        model_device_t *d = &model.device[i];

        d->broken = cudaSuccess;
        d->breaking = d->context = false;
        memset(d->calls, 0, sizeof(d->calls));
    }
    model_memory_begin();
    memset(&model.counts, 0, sizeof(model.counts));
    model_faults_read(faults);
    model_leave(cudaSuccess);
}

cuda_model_counts_t cuda_model_counts(void)
{
    cuda_model_counts_t counts;

    take_lock();
    counts = model.counts;
    model_leave(cudaSuccess);
    return counts;
}

/* ---- contexts, errors ---------------------------------------------------- */

int model_current(void)
{
    return current;
}

static cudaError_t make_context(int index, unsigned flags)
{
    model_device_t *d = &model.device[index];

    if (index < 0 || index >= model.count)
        return cudaErrorInvalidDevice;
    if (d->context)
        return cudaSuccess;
    if (model_memory_free(index) < OF_CONTEXT)
        return cudaErrorMemoryAllocation;
    d->context = true;
    d->flags = flags;
    d->used += OF_CONTEXT;
    model.counts.contexts++;
    model.counts.flags = model.device[0].flags;
    return cudaSuccess;
}

cudaError_t model_check(int device)
{
    cudaError_t error = make_context(current, cudaDeviceScheduleAuto);

    if (error != cudaSuccess)
        return error;
    if (device != current)
        return cudaErrorInvalidResourceHandle;
    return model.device[device].broken;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static const struct {
        cudaError_t error;
        const char *text;
    } texts[] = {
        {cudaSuccess, "none"},
        {cudaErrorInvalidValue, "a value is out of range"},
        {cudaErrorMemoryAllocation, "memory is exhausted"},
        {cudaErrorInvalidPitchValue, "no such pitch"},
        {cudaErrorNoDevice, "there is no device"},
        {cudaErrorInvalidDevice, "no such device"},
        {cudaErrorInvalidResourceHandle, "no such stream or event here"},
        {cudaErrorNotReady, "it goes on"},
        {cudaErrorIllegalAddress, "a kernel used an address that is not its"},
        {cudaErrorLaunchFailure, "a kernel failed"},
        {cudaErrorHostMemoryAlreadyRegistered, "it is pinned"},
        {cudaErrorHostMemoryNotRegistered, "it is not pinned"},
    };
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].error == error)
            return texts[i].text;
    return "an error";
}

/* ---- devices ------------------------------------------------------------- */

cudaError_t cudaDriverGetVersion(int *version_p)
{
    model_enter();
    *version_p = model.driver;
    return model_leave(cudaSuccess);
}

/* May another call than cudaDriverGetVersion be made at all? */
static cudaError_t usable(void)
{
    if (model.driver < CUDART_VERSION)
        return cudaErrorInsufficientDriver;
    return model.count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceCount(int *count_p)
{
    cudaError_t error;

    model_enter();
    error = usable();
    if (error == cudaSuccess)
        *count_p = model.count;
    return model_leave(error);
}

/* All of selecting a device but that it is this thread's then. */
static cudaError_t prepare(int device, bool with_flags, unsigned flags)
{
    cudaError_t error = usable();

    if (error == cudaSuccess && (device < 0 || device >= model.count))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = model_refusal(model_fault(device, MODEL_SELECT));
    if (error == cudaSuccess)
        error = make_context(device, flags);
    if (error == cudaSuccess && with_flags)
        model.device[device].flags = flags;
    return error;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    bool valid = (flags & cudaInitDeviceFlagsAreValid) != 0;

    model_enter();
    return model_leave(prepare(device, valid, valid ? device_flags : 0));
}

/* It makes the context, since CUDA 12. */
cudaError_t cudaSetDevice(int device)
{
    cudaError_t error;

    model_enter();
    error = prepare(device, false, cudaDeviceScheduleAuto);
    if (error == cudaSuccess)
        current = device;
    return model_leave(error);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t error;

    model_enter();
    error = make_context(current, flags);
    if (error == cudaSuccess)
        error = model.device[current].broken;
    if (error == cudaSuccess)
        model.device[current].flags = flags;
    return model_leave(error);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties_p,
                                    int device)
{
    model_enter();
    if (device < 0 || device >= model.count)
        return model_leave(cudaErrorInvalidDevice);
    memset(properties_p, 0, sizeof(*properties_p));
    snprintf(properties_p->name, sizeof(properties_p->name),
             "model of a CUDA device");
    properties_p->totalGlobalMem = model.memory;
    properties_p->memPitch = MODEL_MOST_PITCH;
    properties_p->major = HOPPER;
    return model_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *text_p, int length, int device)
{
    int needed = (int)strlen("0000:A0:00.0");

    model_enter();
    if (device < 0 || device >= model.count)
        return model_leave(cudaErrorInvalidDevice);
    if (length <= needed)
        return model_leave(cudaErrorInvalidValue);
    snprintf(text_p, (size_t)length, "0000:%02X:00.0",
             0xA0 + (unsigned)model.place[device]);
    return model_leave(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free_p, size_t *all_p)
{
    cudaError_t error;

    model_enter();
    error = model_check(current);
    if (error == cudaSuccess) {
        *free_p = model_memory_free(current);
        *all_p = model.memory;
    }
    return model_leave(error);
}
