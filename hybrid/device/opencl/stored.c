/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/checksum.h"
#include "hybrid/device/opencl/opencl.h"

/*
 * Compiled programs, stored from run to run. A driver might run a damaged one,
 * so each file has a checksum, and a key computed from everything that the
 * program depends on.
 */
typedef struct {
    char what[16];
    uint64_t key, sum; /* sum of the bytes below */
} header_t;

static const char what[16] = "OpenCL program";

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return xh_hash(hash, text, strlen(text) + 1);
}

/* The name of the device or driver; the file's name contains the device's, too.
 */
static void name_of(const hyb_opencl_device_t *device, cl_device_info which,
                    char text_p[256])
{
    memset(text_p, 0, 256);
    hyb_cl.GetDeviceInfo(device->id, which, 255, text_p, NULL);
}

static uint64_t key_of(const hyb_opencl_device_t *device,
                       const hyb_opencl_text_t *text)
{
    static const cl_device_info which[] = {
        CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION};
    uint64_t key = hash_text(XH_HASH_START, text->options);
    char value[256];

    for (size_t i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
        name_of(device, which[i], value);
        key = hash_text(key, value);
    }
    for (cl_uint t = 0; t < text->count; t++)
        key = hash_text(key, text->texts[t]);
    return key;
}

static bool is_sound(const void *data, size_t bytes, uint64_t key)
{
    header_t h;

    if (bytes <= sizeof(h))
        return false;
    memcpy(&h, data, sizeof(h));
    return memcmp(h.what, what, sizeof(what)) == 0 && h.key == key &&
           h.sum == xh_hash(XH_HASH_START, (const char *)data + sizeof(h),
                            bytes - sizeof(h));
}

static cl_program program_of(const hyb_opencl_device_t *device,
                             const char *options, const unsigned char *binary,
                             size_t bytes)
{
    cl_int error, of_binary;
    cl_program program = hyb_cl.CreateProgramWithBinary(
        device->context, 1, &device->id, &bytes, &binary, &of_binary, &error);

    if (error != CL_SUCCESS)
        return NULL;
    if (of_binary == CL_SUCCESS &&
        hyb_cl.BuildProgram(program, 1, &device->id, options, NULL, NULL) ==
            CL_SUCCESS)
        return program;
    hyb_cl.ReleaseProgram(program);
    return NULL;
}

cl_program hyb_opencl_load_program(const hyb_opencl_device_t *device,
                                   const hyb_opencl_text_t *text)
{
    char name[256];
    size_t bytes = 0;
    cl_program program = NULL;
    char *data;

    name_of(device, CL_DEVICE_NAME, name);
    data = hyb_opencl_host->load(name, text->kind, &bytes);
    if (data != NULL && is_sound(data, bytes, key_of(device, text)))
        program = program_of(device, text->options,
                             (unsigned char *)data + sizeof(header_t),
                             bytes - sizeof(header_t));
    free(data);
    return program;
}

void hyb_opencl_store_program(const hyb_opencl_device_t *device,
                              const hyb_opencl_text_t *text, cl_program program)
{
    char name[256];
    size_t bytes = 0;
    unsigned char *data = NULL, *binary;
    header_t h = {.key = key_of(device, text)};

    if (hyb_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes),
                              &bytes, NULL) == CL_SUCCESS &&
        bytes > 0)
        data = calloc(1, sizeof(h) + bytes);
    if (data == NULL)
        return;
    binary = data + sizeof(h);
    if (hyb_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary),
                              &binary, NULL) == CL_SUCCESS) {
        memcpy(h.what, what, sizeof(what));
        h.sum = xh_hash(XH_HASH_START, binary, bytes);
        memcpy(data, &h, sizeof(h));
        name_of(device, CL_DEVICE_NAME, name);
        hyb_opencl_host->store(name, text->kind, data, sizeof(h) + bytes,
                               "the kernels");
    }
    free(data);
}
