/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include "testing/cuda_model/launch.h"

enum { MOST_GROUPS_X = 0x7fffffff, MOST_GROUPS_Y = 65535 };

/* ---- libraries ----------------------------------------------------------- */

struct CUlib_st {
    model_image_t image;
    bool unloaded;
};

struct CUkern_st {
    const struct CUlib_st *library;
    const model_kernel_t *kernel;
    bool loaded[MODEL_DEVICES]; /* its attributes were asked for there */
};

cudaError_t model_load(model_image_t image, cudaLibrary_t *library_p)
{
    MODEL_TRY(model_admit(model_current, MODEL_LOAD));
    *library_p = model_object(sizeof(**library_p));
    (*library_p)->image = image;
    model.counts.libraries++;
    return cudaSuccess;
}

/* The header of an image of nvcc's: which it is, and how much follows. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library_p, const void *code,
                                enum cudaJitOption *options, void **values,
                                unsigned count,
                                enum cudaLibraryOption *more_options,
                                void **more_values, unsigned more_count)
{
    struct {
        uint32_t magic;
        uint16_t version, bytes;
        uint64_t content;
    } header;
    MODEL_CALL();

    (void)options, (void)values, (void)more_options, (void)more_values;
    memcpy(&header, code, sizeof(header));
    if (header.magic != 0xba55ed50 || count != 0 || more_count != 0)
        return cudaErrorInvalidValue;
    return model_load(
        (model_image_t){code, header.bytes + header.content, ".text.", ""},
        library_p);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    MODEL_CALL();

    if (library->unloaded)
        return cudaErrorInvalidResourceHandle;
    library->unloaded = true;
    model.counts.libraries--;
    return model_finish_device(model_current, __func__);
}

/* Is there code under that name in the image? It is not compressed. */
static bool has_code(const model_image_t *image, const char *name)
{
    char text[64];
    size_t length = (size_t)snprintf(text, sizeof(text), "%s%s%s",
                                     image->before, name, image->after) +
                    1;

    for (uint64_t i = 0; i + length <= image->bytes; i++)
        if (memcmp(image->content + i, text, length) == 0)
            return true;
    return false;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel_p, cudaLibrary_t library,
                                 const char *name)
{
    const model_kernel_t *kernel = model_kernel(name);
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (kernel != NULL && !library->unloaded &&
        has_code(&library->image, name)) {
        *kernel_p = model_object(sizeof(**kernel_p));
        (*kernel_p)->library = library;
        (*kernel_p)->kernel = kernel;
        return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes_p,
                                  const void *kernel)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    ((cudaKernel_t)(uintptr_t)kernel)->loaded[model_current] = true;
    *attributes_p = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024};
    return cudaSuccess;
}

/* ---- launching ----------------------------------------------------------- */

/* What arguments point to is read before the launch returns. */
static model_launch_t read_arguments(const model_kernel_t *kernel,
                                     void **arguments)
{
    model_launch_t l = {.kernel = kernel};
    int blocks = 0, words = 0, dealt = 0, pointers = 0;

    for (const char *p = kernel->parameters; *p != '\0'; p++)
        if (*p == 'b') {
            model_block_t *b = &l.block[blocks++];

            memcpy(&b->memory, *arguments++, sizeof(b->memory));
            memcpy(&b->offset, *arguments++, sizeof(*b) - sizeof(b->memory));
        } else if (*p == 'w') {
            memcpy(&l.word[words++], *arguments++, sizeof(l.word[0]));
        } else if (*p == 'd') {
            memcpy(&l.dealt[dealt++], *arguments++, sizeof(l.dealt[0]));
        } else if (*p == 's') {
            memcpy(&l.step, *arguments++, sizeof(l.step));
        } else {
            memcpy(&l.pointer[pointers++], *arguments++, sizeof(l.pointer[0]));
        }
    return l;
}

static bool is_proper(const model_kernel_t *kernel, struct dim3 grid,
                      struct dim3 group)
{
    return grid.x >= 1 && grid.x <= MOST_GROUPS_X && grid.y >= 1 &&
           grid.y <= MOST_GROUPS_Y && grid.z == 1 && group.x == kernel->items &&
           group.y == 1 && group.z == 1;
}

/* How many groups of it a processor holds at once. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *groups_p,
                                                          const void *function,
                                                          int items,
                                                          size_t shared)
{
    const struct CUkern_st *k = function;
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (items != (int)k->kernel->items || shared != 0)
        return cudaErrorInvalidValue;
    *groups_p = 1;
    return cudaSuccess;
}

/* A kernel that is not loaded yet may wait for the device, and so for ever. */
static cudaError_t launch(const struct CUkern_st *k, struct dim3 grid,
                          struct dim3 group, void **arguments, size_t shared,
                          cudaStream_t stream)
{
    model_launch_t l;
    bool runs;

    MODEL_TRY(model_check(model_stream_device(stream)));
    if (k->library->unloaded)
        return cudaErrorInvalidDeviceFunction;
    if (!is_proper(k->kernel, grid, group) || shared != 0)
        return cudaErrorInvalidConfiguration;
    if (!k->loaded[model_current])
        model_die("%s is launched and was not loaded", k->kernel->name);
    if (model.device[model_current].copies_under_way)
        model_die("%s may begin before a copy has ended", k->kernel->name);
    l = read_arguments(k->kernel, arguments);
    l.grid = grid;
    l.group = group;
    MODEL_TRY(model_queue(stream, k->kernel->op, &runs));
    if (runs)
        model.device[model_current].broken = model_run(model_current, l);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid,
                             struct dim3 group, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    const struct CUkern_st *k = function;
    MODEL_CALL();

    if (k->kernel->op == MODEL_PANEL_STEP)
        model_die("groups of %s may wait for ever", k->kernel->name);
    return launch(k, grid, group, arguments, shared, stream);
}

/* All groups run at once, or none. */
cudaError_t cudaLaunchCooperativeKernel(const void *function, struct dim3 grid,
                                        struct dim3 group, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    MODEL_CALL();

    if (model.processors == 0)
        return cudaErrorNotSupported;
    if (grid.x * grid.y > (unsigned)model.processors)
        return cudaErrorCooperativeLaunchTooLarge;
    model.counts.cooperative++;
    return launch(function, grid, group, arguments, shared, stream);
}
