/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/gemm_config_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/cache_file.h"

enum { TEXT = 4096 }; /* bytes of the longest file, its end included */

static const char kind[] = "gemm";

typedef struct { /* the device model that a table belongs to */
    const char *model;
    const hyb_gemm_parameter_t *parameters;
    int count;
} owner_t;

/* Write the file's text into the TEXT bytes of `text_p`. */
static bool format(const owner_t *owner, const hyb_gemm_table_t *table,
                   char *text_p)
{
    FILE *out = fmemopen(text_p, TEXT, "w");

    if (out == NULL)
        return false;
    fprintf(out, "gemm configurations 1\n%s\ndepth", owner->model);
    for (int i = 0; i < owner->count; i++)
        fprintf(out, " %s", owner->parameters[i].name);
    fprintf(out, " flop/s\n");
    for (int d = 0; d < HYB_GEMM_DEPTHS; d++) {
        fprintf(out, "%" PRId64, hyb_gemm_config_depth(d));
        for (int i = 0; i < owner->count; i++)
            fprintf(out, " %d", table->config[d].values[i]);
        fprintf(out, " %.6g\n", table->rate[d]);
    }
    return fclose(out) == 0;
}

/* Read a text. A text that differs from what format() would write is refused at
 * the end. */
static bool parse(char *text, const owner_t *owner, hyb_gemm_table_t *table_p)
{
    hyb_gemm_table_t table = {0};
    char again[TEXT] = "", *at = text;
    bool good = true;

    for (int line = 0; line < 3 && at != NULL; line++) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    for (int d = 0; d < HYB_GEMM_DEPTHS && at != NULL; d++) {
        strtol(at, &at, 10);
        for (int i = 0; i < owner->count; i++)
            table.config[d].values[i] = (int)strtol(at, &at, 10);
        table.rate[d] = strtod(at, &at);
        good = good && table.rate[d] >= 0 && isfinite(table.rate[d]);
    }
    good = good && format(owner, &table, again) && strcmp(again, text) == 0;
    if (good)
        *table_p = table;
    return good;
}

bool hyb_gemm_table_load(const char *model,
                         const hyb_gemm_parameter_t *parameters, int count,
                         hyb_gemm_table_t *table_p)
{
    size_t bytes;
    char *text = hyb_cache_load(model, kind, &bytes);
    bool good = text != NULL &&
                parse(text, &(owner_t){model, parameters, count}, table_p);

    if (text != NULL && !good)
        hyb_cache_ignore(model, kind, "configurations of GEMM");
    free(text);
    return good;
}

xh_status_t hyb_gemm_table_save(const char *model,
                                const hyb_gemm_parameter_t *parameters,
                                int count, const hyb_gemm_table_t *table)
{
    char text[TEXT] = "";

    return format(&(owner_t){model, parameters, count}, table, text)
               ? hyb_cache_store(model, kind, text, strlen(text),
                                 "the configurations of GEMM")
               : XH_ERR_IO;
}

xh_status_t hyb_device_load_gemm_configs(hyb_device_t *device)
{
    hyb_device_info_t info;
    hyb_gemm_table_t table;
    int count;
    const hyb_gemm_parameter_t *parameters =
        hyb_device_gemm_parameters(device, &count);

    if (parameters == NULL)
        return XH_OK;
    XH_TRY(hyb_device_describe(device, &info));
    if (!hyb_gemm_table_load(info.name, parameters, count, &table))
        return XH_OK;
    for (int d = 0; d < HYB_GEMM_DEPTHS; d++)
        if (hyb_device_set_gemm_config(device, d, &table.config[d]) ==
            XH_ERR_DEVICE)
            return XH_ERR_DEVICE;
    return XH_OK;
}
