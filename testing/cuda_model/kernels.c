/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/groups.h"
#include "testing/cuda_model/model.h"
#include "testing/unit/device/kernel_text.h"

/*
 * Libraries of kernels, and launches. What runs is the text of
 * hybrid/device/kernels, where a group has one item, which does the work of
 * all; arguments and grids are the plug-in's, so a grid that is too small
 * leaves something undone. A launch that touches what is none of its blocks, or
 * a block that is not in one of the device's allocations, ends the program.
 */
typedef struct {
    const char *name;
    void (*run)(void **arguments);
    unsigned items;        /* of a group */
    int64_t groups_of_one; /* that do the work of a group */
} kernel_t;

static struct { /* the launch that runs */
    const kernel_t *kernel;
    void **arguments;
    int device;
    int64_t groups[2];
} now;

static __thread int64_t this_group[2];

/* ---- the text ------------------------------------------------------------ */

#define ON_CHIP
#define GROUP(d) this_group[d]
#define GROUPS(d) now.groups[d]
#define ITEM(d) ((i64)0)
#define BARRIER()
#define ITEMS 1
#define PANEL_ITEMS 1
#define PANEL_COLUMNS HYB_CUDA_PANEL_COLUMNS
#define PANEL_HELD (HYB_CUDA_PANEL_ITEMS * HYB_CUDA_PANEL_HELD)

#include "hybrid/device/kernels/dialect.cl"

/* Row 0 is where a column begins, even of a block without rows. */
static i64 element(block_t b, i64 i, i64 j)
{
    if (i < 0 || j < 0 || (i > 0 && i >= b.rows) || j >= b.cols)
        model_die("%s uses (%lld, %lld) of a block of %lld x %lld",
                  now.kernel->name, i, j, b.rows, b.cols);
    return b.offset + i + j * b.ld;
}

#undef AT
#define AT(b, i, j) element(b, i, j)

#include "hybrid/device/kernels/rows.cl"
#include "hybrid/device/kernels/generate.cl"
#include "hybrid/device/kernels/panel.cl"

/* ---- arguments a --------------------------------------------------------- */

/* What the device has where argument i points to. */
static void *memory(void **a, int i, int64_t doubles)
{
    return model_operand(now.device, *(void **)a[i], 8 * doubles,
                         now.kernel->name);
}

static block_t block(void **a, int i)
{
    return *(block_t *)a[i];
}

/* Argument i, which is the buffer of block i + 1. */
static void *buffer(void **a, int i)
{
    const block_t b = block(a, i + 1);
    double *data = *(double **)a[i];

    if (b.rows == 0 || b.cols == 0)
        return data;
    data = model_operand(now.device, data + b.offset,
                         8 * ((b.cols - 1) * b.ld + b.rows), now.kernel->name);
    return data - b.offset;
}

/* The turns of groups that meet, which grow. */
static u64 *turns(void **a, int i, u64 turn)
{
    u64 *arrived = memory(a, i, now.groups[0]);

    if (LOOK(arrived + GROUP(0)) >= turn)
        model_die("groups of %s do not wait", now.kernel->name);
    return arrived;
}

#define BLOCK(i) buffer(a, i), block(a, (i) + 1)
#define WORD(i) (*(i64 *)a[i])
#define DEALT(i) (*(dealt_t *)a[i])
#define STEP(i) (*(panel_step_t *)a[i])

enum { JUMPS = 8 * 256 * 2 };

#define KERNELS(X)                                                             \
    X(swap_rows, HYB_CUDA_ITEMS, 1, BLOCK(0), BLOCK(2), BLOCK(4), BLOCK(6),    \
      BLOCK(8))                                                                \
    X(gather_rows, HYB_CUDA_ITEMS, HYB_CUDA_ITEMS, BLOCK(0), BLOCK(2),         \
      BLOCK(4))                                                                \
    X(scatter_rows, HYB_CUDA_ITEMS, HYB_CUDA_ITEMS, BLOCK(0), BLOCK(2),        \
      BLOCK(4))                                                                \
    X(generate, HYB_CUDA_ITEMS, HYB_CUDA_ITEMS, BLOCK(0), WORD(2), WORD(3),    \
      DEALT(4), DEALT(5), memory(a, 6, JUMPS))                                 \
    X(checksum, HYB_CUDA_ITEMS, 1, BLOCK(0), BLOCK(2))                         \
    X(panel_column, HYB_CUDA_PANEL_ITEMS, 1, BLOCK(0), BLOCK(2), BLOCK(4),     \
      BLOCK(6), STEP(8),                                                       \
      memory(a, 9, PROPOSAL(block(a, 1).cols, now.groups[0])))                 \
    X(panel_pivot, HYB_CUDA_PANEL_ITEMS, 1, BLOCK(0), BLOCK(2))                \
    X(panel_swap, HYB_CUDA_ITEMS, 1, BLOCK(0), BLOCK(2), WORD(4))              \
    X(panel_step, HYB_CUDA_PANEL_ITEMS, 1, BLOCK(0), BLOCK(2),                 \
      memory(a, 4, 2 * block(a, 5).rows), block(a, 5), STEP(6), WORD(7),       \
      turns(a, 8, WORD(7)))

#define RUN(name, items, groups_of_one, ...)                                   \
    static void run_##name(void **a)                                           \
    {                                                                          \
        name(__VA_ARGS__);                                                     \
    }
KERNELS(RUN)

#define ENTRY(name, items, groups_of_one, ...)                                 \
    {#name, run_##name, items, groups_of_one},
static const kernel_t kernels[] = {KERNELS(ENTRY)};

/* Do groups wait for each other? */
static bool meets(const kernel_t *kernel)
{
    return kernel->run == run_panel_step;
}

/* ---- running ------------------------------------------------------------- */

static void run_in_turn(void)
{
    const int64_t columns = now.groups[0] * now.kernel->groups_of_one;

    for (this_group[1] = 0; this_group[1] < now.groups[1]; this_group[1]++)
        for (this_group[0] = 0; this_group[0] < columns; this_group[0]++)
            now.kernel->run(now.arguments);
}

static void *run_group(void *number)
{
    this_group[0] = (intptr_t)number;
    now.kernel->run(now.arguments);
    return NULL;
}

/* The first group in this thread. */
static void run_together(void)
{
    pthread_t threads[MODEL_PROCESSORS];

    for (intptr_t g = 1; g < now.groups[0]; g++)
        if (pthread_create(&threads[g], NULL, run_group, (void *)g) != 0)
            model_die("no thread for a group");
    run_group(NULL);
    for (intptr_t g = 1; g < now.groups[0]; g++)
        pthread_join(threads[g], NULL);
}

/* ---- libraries ----------------------------------------------------------- */

struct CUlib_st {
    bool unloaded;
};

struct CUkern_st {
    const struct CUlib_st *library;
    const kernel_t *kernel;
    bool loaded[MODEL_DEVICES]; /* its attributes were asked for there */
};

static cudaError_t load(const void *image, const char *magic,
                        cudaLibrary_t *library_p)
{
    LOCK();

    TRY(model_admit("load"));
    if (memcmp(image, magic, strlen(magic)) != 0)
        return cudaErrorInvalidValue;
    *library_p = model_object(sizeof(**library_p));
    model.counts.libraries++;
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library_p, const void *image,
                                enum cudaJitOption *options, void **values,
                                unsigned count,
                                enum cudaLibraryOption *more_options,
                                void **more_values, unsigned more_count)
{
    (void)options, (void)values, (void)more_options, (void)more_values;
    return count + more_count != 0 ? cudaErrorInvalidValue
                                   : load(image, "\x50\xed\x55\xba", library_p);
}

CALL(cudaLibraryUnload, (cudaLibrary_t library),
     library->unloaded ? cudaErrorInvalidResourceHandle
                       : model_finish(model_current, NULL, __func__),
     library->unloaded = true, model.counts.libraries--)

/* test_kernels.py has looked into the images. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel_p, cudaLibrary_t library,
                                 const char *name)
{
    LOCK();

    TRY(model_check(model_current));
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        if (strcmp(kernels[k].name, name) == 0 && !library->unloaded) {
            *kernel_p = model_object(sizeof(**kernel_p));
            **kernel_p = (struct CUkern_st){library, &kernels[k], {false}};
            return cudaSuccess;
        }
    return cudaErrorSymbolNotFound;
}

CALL(cudaFuncGetAttributes,
     (struct cudaFuncAttributes * attributes_p, const void *kernel),
     model_check(model_current),
     ((cudaKernel_t)(uintptr_t)kernel)->loaded[model_current] = true,
     *attributes_p = (struct cudaFuncAttributes){.numRegs = 0})

/* A processor holds one group at once. */
static cudaError_t check_group(const struct CUkern_st *k, unsigned items,
                               size_t shared)
{
    return items == k->kernel->items && shared == 0
               ? model_check(model_current)
               : cudaErrorInvalidConfiguration;
}

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *groups_p, const void *kernel, int items, size_t shared),
     check_group(kernel, (unsigned)items, shared), *groups_p = 1)

/* ---- launches ------------------------------------------------------------ */

/* A kernel that is not loaded yet may wait for the device, and so for ever. */
static cudaError_t launch(const struct CUkern_st *k, struct dim3 grid,
                          struct dim3 group, void **arguments, size_t shared,
                          cudaStream_t stream)
{
    TRY(model_check(stream->device));
    if (k->library->unloaded)
        return cudaErrorInvalidDeviceFunction;
    TRY(check_group(k, group.x * group.y * group.z, shared));
    if (grid.x < 1 || grid.x > INT32_MAX || grid.y < 1 || grid.y > UINT16_MAX ||
        grid.z != 1)
        return cudaErrorInvalidConfiguration;
    if (!k->loaded[model_current])
        model_die("%s is launched and was not loaded", k->kernel->name);
    if (model.device[model_current].copies_under_way)
        model_die("%s may begin before a copy has ended", k->kernel->name);
    TRY(model_queue(stream, k->kernel->name));
    now.kernel = k->kernel;
    now.arguments = arguments;
    now.device = model_current;
    now.groups[0] = grid.x;
    now.groups[1] = grid.y;
    if (model_runs(stream))
        (meets(k->kernel) ? run_together : run_in_turn)();
    return cudaSuccess;
}

CALL(cudaLaunchKernel,
     (const void *kernel, struct dim3 grid, struct dim3 group, void **arguments,
      size_t shared, cudaStream_t stream),
     launch(kernel, grid, group, arguments, shared, stream),
     if (meets(now.kernel))
         model_die("groups of %s may wait for ever", now.kernel->name))

/* All groups run at once, or none. */
CALL(cudaLaunchCooperativeKernel,
     (const void *kernel, struct dim3 grid, struct dim3 group, void **arguments,
      size_t shared, cudaStream_t stream),
     model.processors == 0 ? cudaErrorNotSupported
     : grid.x * grid.y > (unsigned)model.processors
         ? cudaErrorCooperativeLaunchTooLarge
         : launch(kernel, grid, group, arguments, shared, stream),
     model.counts.cooperative++)

/* ---- modules, as HIP and CUDA's driver have them ------------------------- */

cudaError_t hipModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    return load(image, "__CLANG_OFFLOAD_BUNDLE__", library_p);
}

cudaError_t cuModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    return cudaLibraryLoadData(library_p, image, NULL, NULL, 0, NULL, NULL, 0);
}

cudaError_t cuFuncGetAttribute(int *value_p, int which, cudaKernel_t kernel)
{
    enum { REGISTERS = 4 };
    struct cudaFuncAttributes all;

    if (which != REGISTERS)
        return cudaErrorInvalidValue;
    TRY(cudaFuncGetAttributes(&all, kernel));
    *value_p = all.numRegs;
    return cudaSuccess;
}

/* A module's kernels are loaded with it. */
cudaError_t hipModuleGetFunction(cudaKernel_t *kernel_p, cudaLibrary_t library,
                                 const char *name)
{
    struct cudaFuncAttributes attributes;

    TRY(cudaLibraryGetKernel(kernel_p, library, name));
    return cudaFuncGetAttributes(&attributes, *kernel_p);
}

cudaError_t hipModuleLaunchKernel(cudaKernel_t kernel, unsigned grid_x,
                                  unsigned grid_y, unsigned grid_z,
                                  unsigned group_x, unsigned group_y,
                                  unsigned group_z, unsigned shared,
                                  cudaStream_t stream, void **arguments,
                                  void **extra)
{
    if (extra != NULL)
        return cudaErrorInvalidValue;
    return cudaLaunchKernel(kernel, (struct dim3){grid_x, grid_y, grid_z},
                            (struct dim3){group_x, group_y, group_z}, arguments,
                            shared, stream);
}

cudaError_t hipModuleLaunchCooperativeKernel(
    cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,
    cudaStream_t stream, void **arguments)
{
    return cudaLaunchCooperativeKernel(
        kernel, (struct dim3){grid_x, grid_y, grid_z},
        (struct dim3){group_x, group_y, group_z}, arguments, shared, stream);
}
