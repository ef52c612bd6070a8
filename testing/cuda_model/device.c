/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

enum { MIB = 1 << 20, HOPPER = 9 };

/* ---- beginning and ending ------------------------------------------------ */

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

void cuda_model_begin(const char *faults)
{
    MODEL_CALL();

    model_streams_begin();
    model_memory_begin();
    for (int i = 0; i < MODEL_DEVICES; i++)
        model.device[i] = (model_device_t){.place = model.device[i].place};
    model.counts = (cuda_model_counts_t){.calls = 0};
    model.processors = (int)from_environment("CUDA_MODEL_PROCESSORS", 4);
    model.faults = faults;
    model.beginnings++;
}

cuda_model_counts_t cuda_model_counts(void)
{
    MODEL_CALL();

    model.counts.calls--;
    return model.counts;
}

static void report(void)
{
    cuda_model_counts_t c = cuda_model_counts();

    fprintf(
        stderr,
        "CUDA model: left memory %d, pinned %d, streams %d, events %d, "
        "handles %d, libraries %d; unpinned copies %d, emulated products %d\n",
        c.memory, c.pinned, c.streams, c.events, c.handles, c.libraries,
        c.unpinned_copies, c.emulated_products);
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
        model.device[i].place = lists[i] - '0';
}

__attribute__((constructor)) static void load(void)
{
    const char *visible = getenv("CUDA_MODEL_VISIBLE"),
               *faults = getenv("CUDA_MODEL_FAULT");

    model.count = (int)from_environment("CUDA_MODEL_DEVICES", 1);
    model.driver = (int)from_environment("CUDA_MODEL_DRIVER", CUDART_VERSION);
    model.memory = (size_t)from_environment("CUDA_MODEL_MEMORY", 256) * MIB;
    model.context = (size_t)from_environment("CUDA_MODEL_CONTEXT", 0) * MIB;
    model.peers = from_environment("CUDA_MODEL_PEERS", 1) != 0;
    model.pinnable =
        (size_t)from_environment("CUDA_MODEL_PINNABLE", 1 << 20) * MIB;
    if (getenv("CUDA_MODEL_SHARED") != NULL)
        model_memory_share(getenv("CUDA_MODEL_SHARED"));
    for (int i = 0; i < MODEL_DEVICES; i++)
        model.device[i].place = i;
    if (visible != NULL)
        read_visible(visible);
    if (model.count < 0 || model.count > MODEL_DEVICES)
        model_die("there cannot be %d devices", model.count);
    cuda_model_begin(faults != NULL ? faults : "");
    if (getenv("CUDA_MODEL_REPORT") != NULL)
        atexit(report);
}

/* ---- devices ----------------------------------------------------------------
 */

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static __thread char text[32];

    if (error == cudaErrorLaunchFailure)
        return "a kernel failed";
    snprintf(text, sizeof(text), "error %d", (int)error);
    return text;
}

/* ---- devices ------------------------------------------------------------- */

cudaError_t cudaDriverGetVersion(int *version_p)
{
    MODEL_CALL();

    *version_p = model.driver;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count_p)
{
    MODEL_CALL();

    if (model.driver < CUDART_VERSION)
        return cudaErrorInsufficientDriver;
    *count_p = model.count;
    return model.count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    MODEL_CALL();

    return model_context(
        device, flags == cudaInitDeviceFlagsAreValid ? device_flags : 0);
}

/* It makes the context, since CUDA 12. */
cudaError_t cudaSetDevice(int device)
{
    MODEL_CALL();

    MODEL_TRY(model_context(device, cudaDeviceScheduleAuto));
    model_current = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can_p, int device, int other)
{
    MODEL_CALL();

    if (device < 0 || other < 0 || device >= model.count ||
        other >= model.count)
        return cudaErrorInvalidDevice;
    *can_p = model.peers && device != other;
    return cudaSuccess;
}

/* Of this thread's device. */
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    model_device_t *d = &model.device[model_current];
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (other < 0 || other >= model.count || other == model_current)
        return cudaErrorInvalidDevice;
    if (flags != 0)
        return cudaErrorInvalidValue;
    if (!model.peers)
        return cudaErrorPeerAccessUnsupported;
    if ((d->reaches >> other & 1) != 0)
        return cudaErrorPeerAccessAlreadyEnabled;
    d->reaches |= 1u << other;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties_p,
                                    int device)
{
    MODEL_CALL();

    if (device < 0 || device >= model.count)
        return cudaErrorInvalidDevice;
    *properties_p =
        (struct cudaDeviceProp){.name = "model of a CUDA device",
                                .totalGlobalMem = model.memory,
                                .memPitch = MODEL_MOST_PITCH,
                                .multiProcessorCount = model.processors,
                                .cooperativeLaunch = model.processors > 0,
                                .major = HOPPER};
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text_p, int length, int device)
{
    MODEL_CALL();

    if (device < 0 || device >= model.count)
        return cudaErrorInvalidDevice;
    return snprintf(text_p, (size_t)length, "0000:A%d:00.0",
                    model.device[device].place) < length
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSynchronize(void)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    model.device[model_current].copies_under_way = false;
    return model_finish_device(model_current, __func__);
}

cudaError_t cudaMemGetInfo(size_t *free_p, size_t *all_p)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    *free_p = model_memory_left(model_current);
    *all_p = model.memory;
    return cudaSuccess;
}
