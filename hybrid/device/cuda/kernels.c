/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sequence.h"
#include "hybrid/device/cuda/cuda.h"

/* ---- the image ---------------------------------------------------------- */

/* kernels.cu compiled for several kinds of devices, in one file made by nvcc.
 */
#ifdef HYB_CUDA_IMAGE
__asm__(".section .rodata\n"
        ".balign 64\n"
        "hyb_cuda_image:\n"
        ".incbin \"" HYB_CUDA_IMAGE "\"\n"
        ".previous\n");
extern const char stored[] __asm__("hyb_cuda_image");
static const char *const image = stored;
#else
static const char *const image = NULL;
#endif

bool hyb_cuda_has_kernels(void)
{
    return image != NULL;
}

/* ---- kernels ------------------------------------------------------------ */

#define NAME_OF(kernel, name) #name,
static const char *const names[] = {HYB_CUDA_KERNELS(NAME_OF)};

const char *hyb_cuda_kernel_name(hyb_cuda_kernel_t kernel)
{
    return names[kernel];
}

/*
 * CUDA may load a kernel at its first launch, and would then wait for the
 * device. Asking for the kernel's attributes loads it now.
 */
static xh_status_t find(hyb_cuda_device_t *device, hyb_cuda_kernel_t kernel)
{
    struct cudaFuncAttributes attributes;

    XH_TRY(
        hyb_cuda_status(device, names[kernel],
                        cudaLibraryGetKernel(&device->kernels[kernel],
                                             device->library, names[kernel])));
    return hyb_cuda_status(
        device, names[kernel],
        cudaFuncGetAttributes(&attributes, device->kernels[kernel]));
}

/* ---- jumps of the random sequence --------------------------------------- */

static xh_status_t create_jump_table(hyb_cuda_device_t *device)
{
    xh_jump_t jumps[XH_JUMP_DIGITS * XH_JUMP_VALUES];

    xh_jump_digits(jumps);
    XH_TRY(hyb_cuda_status(device, "allocating memory",
                           cudaMalloc(&device->jump_table, sizeof(jumps))));
    XH_TRY(hyb_cuda_status(device, "filling a table",
                           cudaMemcpy(device->jump_table, jumps, sizeof(jumps),
                                      cudaMemcpyHostToDevice)));
    /* The copy may return before it is complete, and no stream waits for it. */
    return hyb_cuda_status(device, "filling a table", cudaDeviceSynchronize());
}

/* ---- groups that wait for each other ------------------------------------- */

static xh_status_t count_groups(hyb_cuda_device_t *device)
{
    int groups = 0;

    if (device->processors == 0)
        return XH_OK;
    XH_TRY(hyb_cuda_status(device, "asking how many groups it holds",
                           cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                               &groups, device->kernels[HYB_CUDA_PANEL_STEP],
                               HYB_CUDA_PANEL_ITEMS, 0)));
    device->panel_groups = (int64_t)groups * device->processors;
    return XH_OK;
}

/* ---- loading and unloading ---------------------------------------------- */

xh_status_t hyb_cuda_kernels_load(hyb_cuda_device_t *device)
{
    if (!hyb_cuda_has_kernels()) {
        hyb_cuda_host->log(XH_LOG_INFO, HYB_CUDA_NAME, device->index,
                           "it cannot hold a matrix: its plug-in was built "
                           "without a compiler for kernels");
        return XH_OK;
    }
    XH_TRY(hyb_cuda_status(device, "loading kernels",
                           cudaLibraryLoadData(&device->library, image, NULL,
                                               NULL, 0, NULL, NULL, 0)));
    for (int k = 0; k < HYB_CUDA_KERNEL_COUNT; k++)
        XH_TRY(find(device, (hyb_cuda_kernel_t)k));
    XH_TRY(count_groups(device));
    return create_jump_table(device);
}

void hyb_cuda_kernels_unload(hyb_cuda_device_t *device)
{
    if (device->jump_table != NULL)
        hyb_cuda_status(device, "freeing a table",
                        cudaFree(device->jump_table));
    hyb_cuda_status(device, "unloading kernels",
                    cudaLibraryUnload(device->library));
}
