/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "hybrid/device/opencl/opencl.h"

/* Configurations of the product: the possible values, and the chosen ones. */

enum { PARAMETERS = sizeof(hyb_opencl_config_t) / sizeof(int) };

_Static_assert((int)PARAMETERS <= (int)HYB_GEMM_PARAMETERS,
               "a configuration has no room for all parameters");

/* CPU cores have vectors and large caches; one item computes a tile in
 * registers. */
static const hyb_gemm_parameter_t of_cores[PARAMETERS] = {
    {"rows", 6, {1, 2, 3, 4, 5, 6}},
    {"cols", 9, {2, 3, 4, 5, 6, 8, 9, 12, 14}},
    {"items_m", 1, {1}},
    {"items_n", 1, {1}},
    {"vector", 3, {2, 4, 8}},
    {"depth", 5, {1, 2, 4, 8, 16}},
    {"staged", 1, {0}},
    {"packed", 1, {1}},
    {"prefetch", 2, {0, 1}},
    {"band", 5, {8, 32, 128, 512, 4096}},
};

/* GPUs have many items, which share on-chip memory. */
static const hyb_gemm_parameter_t of_gpus[PARAMETERS] = {
    {"rows", 4, {1, 2, 4, 8}},   {"cols", 4, {1, 2, 4, 8}},
    {"items_m", 3, {8, 16, 32}}, {"items_n", 3, {8, 16, 32}},
    {"vector", 3, {1, 2, 4}},    {"depth", 4, {4, 8, 16, 32}},
    {"staged", 2, {0, 1}},       {"packed", 2, {0, 1}},
    {"prefetch", 2, {0, 1}},     {"band", 5, {1, 4, 16, 64, 4096}},
};

const hyb_gemm_parameter_t *hyb_opencl_parameters(void *state, int *count_p)
{
    const hyb_opencl_device_t *device = state;

    *count_p = PARAMETERS;
    return hyb_opencl_is_cpu(device->id) ? of_cores : of_gpus;
}

hyb_opencl_config_t hyb_opencl_default_config(const hyb_opencl_device_t *device)
{
    hyb_opencl_config_t config = {.rows = 3,
                                  .cols = 4,
                                  .items_m = 1,
                                  .items_n = 1,
                                  .vector = 2,
                                  .depth = 4,
                                  .packed = 1,
                                  .prefetch = 1,
                                  .band = 4096};
    cl_uint width = 1;

    if (!hyb_opencl_is_cpu(device->id))
        return (hyb_opencl_config_t){.rows = 8,
                                     .cols = 4,
                                     .items_m = 16,
                                     .items_n = 16,
                                     .vector = 1,
                                     .depth = 8,
                                     .staged = 1,
                                     .packed = 1,
                                     .band = 16};
    hyb_cl.GetDeviceInfo(device->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                         sizeof(width), &width, NULL);
    if (width >= 4)
        config.vector = width >= 8 ? 8 : 4;
    if (width >= 8)
        config.cols = 8; /* such cores have twice as many registers */
    return config;
}

/* On a core, vectors run over neighbouring rows, so one item handles them all.
 */
int hyb_opencl_panel_items(const hyb_opencl_device_t *device)
{
    return hyb_opencl_is_cpu(device->id) ? 1 : HYB_OPENCL_ITEMS;
}

/* ---- what a device supports ---------------------------------------------- */

static bool is_flag(int value)
{
    return value == 0 || value == 1;
}

static bool is_power_of_two(int value, int most)
{
    return value >= 1 && value <= most && (value & (value - 1)) == 0;
}

static bool is_within(int value, int most)
{
    return value >= 1 && value <= most;
}

static bool has_sense(const hyb_opencl_config_t *c)
{
    return is_within(c->rows, 16) && is_within(c->cols, 16) &&
           is_within(c->items_m, 256) && is_within(c->items_n, 256) &&
           is_power_of_two(c->vector, 16) &&
           is_power_of_two(c->depth, HYB_OPENCL_PACKED * 4) &&
           is_flag(c->staged) && is_flag(c->packed) && is_flag(c->prefetch) &&
           is_within(c->band, 1 << 20);
}

static bool has_room(const hyb_opencl_device_t *device,
                     const hyb_opencl_config_t *c)
{
    size_t bytes = (size_t)(hyb_opencl_tile_m(c) + hyb_opencl_tile_n(c)) *
                   (size_t)c->depth * sizeof(double);
    cl_ulong room = 0;

    hyb_cl.GetDeviceInfo(device->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(room),
                         &room, NULL);
    return c->staged == 0 || bytes <= room;
}

static bool has_items(const hyb_opencl_device_t *device,
                      const hyb_opencl_config_t *c)
{
    size_t most = 0;

    hyb_cl.GetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                         sizeof(most), &most, NULL);
    return (size_t)(c->items_m * c->items_n) <= most &&
           most >= HYB_OPENCL_ITEMS;
}

/* Does every item load the same number of elements? */
static bool shares_evenly(const hyb_opencl_config_t *c)
{
    int items = c->items_m * c->items_n;

    return hyb_opencl_tile_m(c) * c->depth % items == 0 &&
           hyb_opencl_tile_n(c) * c->depth % items == 0;
}

const char *hyb_opencl_defect(const hyb_opencl_device_t *device,
                              const hyb_opencl_config_t *c)
{
    if (!has_sense(c))
        return "a value is out of range";
    if (c->staged == 0 && c->packed == 0)
        return "what is not packed has to be staged";
    if (c->rows * c->vector * c->cols > HYB_OPENCL_MOST_SUMS)
        return "an item does not have as many registers";
    if (hyb_opencl_tile_m(c) > HYB_OPENCL_WIDEST ||
        hyb_opencl_tile_n(c) > HYB_OPENCL_WIDEST)
        return "its tile is too large";
    if (!has_items(device, c))
        return "a group does not have as many items";
    if (c->staged == 1 && !shares_evenly(c))
        return "its items cannot share out a part";
    return has_room(device, c) ? NULL : "its parts exceed on-chip memory";
}

/* ---- the chosen configuration -------------------------------------------- */

hyb_gemm_config_t hyb_opencl_config(void *state, int d)
{
    const hyb_opencl_device_t *device = state;
    const hyb_opencl_product_t *p = &device->products[d];
    hyb_gemm_config_t config = {{0}};

    if (p->program == NULL)
        p = &device->products[HYB_OPENCL_DEFAULT];
    memcpy(config.values, &p->config, sizeof(p->config));
    return config;
}

/* The product for the nearest depth on a logarithmic scale. */
const hyb_opencl_product_t *
hyb_opencl_product(const hyb_opencl_device_t *device, int64_t depth)
{
    int d = 0;

    while (d + 1 < HYB_GEMM_DEPTHS && (double)depth * (double)depth >
                                          2.0 *
                                              (double)hyb_gemm_config_depth(d) *
                                              (double)hyb_gemm_config_depth(d))
        d++;
    if (depth == 0 || device->products[d].program == NULL)
        d = HYB_OPENCL_DEFAULT;
    return &device->products[d];
}
