/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "hybrid/device/opencl/opencl.h"

/* All kernels, as make puts them into one text. */
static const char source[] =
#include "hybrid/device/kernels/source.inc"
    ;

/*
 * Cores have vectors and large caches: an item alone has 3 vectors by as many
 * columns as leave a few of its registers free. GPUs have many items, which
 * share on-chip memory.
 */
static hyb_opencl_tile_t choose_tile(const hyb_opencl_device_t *device)
{
    static const hyb_opencl_tile_t of_gpus = {128, 64, 16, 16, 16, 1, 1};
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    cl_uint width = 1;

    hyb_cl.GetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    if ((type & CL_DEVICE_TYPE_CPU) == 0)
        return of_gpus;
    hyb_cl.GetDeviceInfo(device->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                         sizeof(width), &width, NULL);
    width = width >= 8 ? 8 : width >= 4 ? 4 : 2;
    return (hyb_opencl_tile_t){
        3 * (int)width, width == 8 ? 8 : 4, 1, 1, 4, (int)width, 0};
}

/* A line of the log takes the beginning. */
static void tell_log(const hyb_opencl_device_t *device)
{
    size_t bytes = 0;
    char *text;

    hyb_cl.GetProgramBuildInfo(device->program, device->id,
                               CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    text = calloc(1, bytes + 1);
    if (text == NULL)
        return;
    hyb_cl.GetProgramBuildInfo(device->program, device->id,
                               CL_PROGRAM_BUILD_LOG, bytes, text, NULL);
    hyb_opencl_host->log(XH_LOG_ERROR, "opencl", device->index,
                         "its compiler says: %s", text);
    free(text);
}

xh_status_t hyb_opencl_build(hyb_opencl_device_t *device)
{
    const hyb_opencl_tile_t t = device->tile = choose_tile(device);
    const size_t length = sizeof(source) - 1;
    const char *text = source;
    char options[256];
    cl_int error;

    snprintf(options, sizeof(options),
             "-cl-std=CL1.2 -DITEMS=%d -DINVERTED=%d -DTILE_M=%d -DTILE_N=%d "
             "-DITEMS_M=%d -DITEMS_N=%d -DDEPTH=%d -DVECTOR=%d -DSTAGED=%d",
             HYB_OPENCL_ITEMS, HYB_OPENCL_INVERTED, t.tile_m, t.tile_n,
             t.items_m, t.items_n, t.depth, t.vector, t.staged);
    device->program = hyb_cl.CreateProgramWithSource(device->context, 1, &text,
                                                     &length, &error);
    XH_TRY(hyb_opencl_status(device, "making a program", error));
    error = hyb_cl.BuildProgram(device->program, 1, &device->id, options, NULL,
                                NULL);
    if (error != CL_SUCCESS)
        tell_log(device);
    return hyb_opencl_status(device, "building the kernels", error);
}
