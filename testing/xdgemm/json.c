/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/json.h"

#include <math.h>
#include "base/log.h"

json_t *xdg_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

void xdg_json_set_number(json_t *object, const char *key, double x)
{
    json_object_set_new(object, key, xdg_json_number(x));
}

void xdg_json_set_count(json_t *object, const char *key, int64_t x)
{
    json_object_set_new(object, key, json_integer(x));
}

void xdg_json_set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

json_t *xdg_json_device(const hyb_device_info_t *info, const char *name)
{
    json_t *object = json_object();

    xdg_json_set_text(object, "executor", name);
    xdg_json_set_text(object, "name", info->name);
    xdg_json_set_text(object, "backend", info->backend);
    xdg_json_set_count(object, "index", info->index);
    xdg_json_set_count(object, "memory", (int64_t)info->memory);
    xdg_json_set_text(object, "pci_address", info->pci_address);
    json_object_set_new(object, "models_time", json_boolean(info->models_time));
    return object;
}

xh_status_t xdg_json_write(const json_t *record, FILE *out)
{
    if (record == NULL) {
        xh_log_error("no memory for the record");
        return XH_ERR_MEMORY;
    }
    if (json_dumpf(record, out, JSON_INDENT(2)) == 0 && fputc('\n', out) >= 0)
        return XH_OK;
    xh_log_error("the record cannot be written");
    return XH_ERR_IO;
}
