/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/opencl/opencl.h"

enum { OPTIONS = 512 }; /* bytes of the compiler's options */

/* The kernels, which make has converted to text. */
static const char *const all_but_products[] = {
#include "hybrid/device/kernels/dialect.inc"
    ,
#include "hybrid/device/kernels/rows.inc"
    ,
#include "hybrid/device/kernels/generate.inc"
    ,
#include "hybrid/device/kernels/algebra.inc"
    ,
#include "hybrid/device/kernels/panel.inc"
};
static const char *const products[] = {
#include "hybrid/device/kernels/dialect.inc"
    ,
#include "hybrid/device/kernels/product.inc"
};

/* Log the beginning of the compiler's messages. */
static void tell_log(const hyb_opencl_device_t *device, xh_log_level_t level,
                     cl_program program)
{
    size_t bytes = 0;
    char *text;

    hyb_cl.GetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0,
                               NULL, &bytes);
    text = calloc(1, bytes + 1);
    if (text == NULL)
        return;
    hyb_cl.GetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes,
                               text, NULL);
    hyb_opencl_host->log(level, "opencl", device->index,
                         "its compiler says: %s", text);
    free(text);
}

/* Load the program that an earlier run stored, or compile it, so that it is
 * new; the compiler's messages are logged. */
static cl_int build(const hyb_opencl_device_t *device,
                    const hyb_opencl_text_t *text, xh_log_level_t level,
                    cl_program *program_p, bool *is_new_p)
{
    cl_int error;
    cl_program program = hyb_opencl_load_program(device, text);

    *is_new_p = program == NULL;
    if (program != NULL) {
        *program_p = program;
        return CL_SUCCESS;
    }
    program = hyb_cl.CreateProgramWithSource(
        device->context, text->count, (const char **)text->texts, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    error =
        hyb_cl.BuildProgram(program, 1, &device->id, text->options, NULL, NULL);
    if (error == CL_SUCCESS) {
        *program_p = program;
        return CL_SUCCESS;
    }
    tell_log(device, level, program);
    hyb_cl.ReleaseProgram(program);
    return error;
}

/* ---- products ------------------------------------------------------------ */

static void print_options(const hyb_opencl_config_t *config, char *options)
{
    int used = snprintf(options, OPTIONS,
                        "-cl-std=CL1.2 -DITEMS=%d -DPACKED_COLUMNS=%d",
                        HYB_OPENCL_ITEMS, HYB_OPENCL_PACKED);

#define PRINT_PARAMETER(name, word)                                            \
    used += snprintf(options + used, OPTIONS - (size_t)used,                   \
                     " -D" #word "=%d", config->name);
    HYB_OPENCL_PARAMETERS(PRINT_PARAMETER)
}

/* The text of product number p; its options are stored in `options`. */
static hyb_opencl_text_t text_of(int p, const hyb_opencl_config_t *config,
                                 char options[OPTIONS])
{
    hyb_opencl_text_t text = {products, sizeof(products) / sizeof(products[0]),
                              options, ""};

    snprintf(text.kind, sizeof(text.kind), "product-%d.opencl", p);
    print_options(config, options);
    return text;
}

static cl_int build_product(const hyb_opencl_device_t *device, int p,
                            xh_log_level_t level, hyb_opencl_product_t *product)
{
    char options[OPTIONS];
    hyb_opencl_text_t text = text_of(p, &product->config, options);

    return build(device, &text, level, &product->program, &product->is_new);
}

void hyb_opencl_store_products(hyb_opencl_device_t *device)
{
    char options[OPTIONS];

    for (int i = 0; i < HYB_OPENCL_PRODUCTS; i++) {
        hyb_opencl_product_t *p = &device->products[i];
        hyb_opencl_text_t text = text_of(i, &p->config, options);

        if (p->is_new)
            hyb_opencl_store_program(device, &text, p->program);
        p->is_new = false;
    }
}

/* Can the program's product run in groups of `items` items? */
static bool can_run(const hyb_opencl_device_t *device, cl_program program,
                    int items)
{
    size_t most = 0;
    cl_int error;
    cl_kernel kernel = hyb_cl.CreateKernel(program, "multiply", &error);

    if (error != CL_SUCCESS)
        return false;
    hyb_cl.GetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                  sizeof(most), &most, NULL);
    hyb_cl.ReleaseKernel(kernel);
    return (size_t)items <= most;
}

/* Compile product number p, whose configuration has no defect. Returns why that
 * failed, or NULL; the compiler's messages are logged as information. */
static const char *compile(const hyb_opencl_device_t *device, int p,
                           hyb_opencl_product_t *product)
{
    if (build_product(device, p, XH_LOG_INFO, product) != CL_SUCCESS)
        return "it does not compile";
    if (can_run(device, product->program,
                product->config.items_m * product->config.items_n))
        return NULL;
    hyb_cl.ReleaseProgram(product->program);
    return "a compiled group does not have as many items";
}

xh_status_t hyb_opencl_set_config(void *state, int d,
                                  const hyb_gemm_config_t *config)
{
    hyb_opencl_device_t *device = state;
    hyb_opencl_product_t *p = &device->products[d];
    hyb_opencl_product_t made = {.version = p->version + 1};
    const char *why = NULL;

    if (config != NULL) {
        memcpy(&made.config, config->values, sizeof(made.config));
        why = hyb_opencl_defect(device, &made.config);
        if (why == NULL)
            why = compile(device, d, &made);
    }
    if (why != NULL) {
        hyb_opencl_host->log(XH_LOG_INFO, "opencl", device->index,
                             "its GEMM cannot have this configuration: %s",
                             why);
        return XH_ERR_ARG;
    }
    if (p->program != NULL)
        hyb_cl.ReleaseProgram(p->program);
    *p = made;
    return XH_OK;
}

/* ---- all kernels --------------------------------------------------------- */

xh_status_t hyb_opencl_build(hyb_opencl_device_t *device)
{
    enum { TEXTS = sizeof(all_but_products) / sizeof(all_but_products[0]) };
    hyb_opencl_product_t *p = &device->products[HYB_OPENCL_DEFAULT];
    char options[OPTIONS];
    const hyb_opencl_text_t text = {all_but_products, TEXTS, options,
                                    "kernels.opencl"};
    bool is_new;
    cl_int error;

    snprintf(options, sizeof(options),
             "-cl-std=CL1.2 -DITEMS=%d -DINVERTED=%d -DPANEL_ITEMS=%d "
             "-DPANEL_COLUMNS=%d",
             HYB_OPENCL_ITEMS, HYB_OPENCL_INVERTED,
             hyb_opencl_panel_items(device), HYB_PANEL_STEP);
    p->config = hyb_opencl_default_config(device);
    p->version = 1;
    error = build(device, &text, XH_LOG_ERROR, &device->program, &is_new);
    if (error == CL_SUCCESS && is_new)
        hyb_opencl_store_program(device, &text, device->program);
    if (error == CL_SUCCESS)
        error = build_product(device, HYB_OPENCL_DEFAULT, XH_LOG_ERROR, p);
    if (error == CL_SUCCESS)
        hyb_opencl_store_products(device);
    return hyb_opencl_status(device, "building the kernels", error);
}

void hyb_opencl_release_programs(hyb_opencl_device_t *device)
{
    if (device->program != NULL)
        hyb_cl.ReleaseProgram(device->program);
    for (int i = 0; i < HYB_OPENCL_PRODUCTS; i++)
        if (device->products[i].program != NULL)
            hyb_cl.ReleaseProgram(device->products[i].program);
}
