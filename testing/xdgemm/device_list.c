/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/device_list.h"

#include "base/cpu.h"
#include "hybrid/device/backend.h"
#include "hybrid/node/topology.h"
#include "testing/xdgemm/json.h"
#include "testing/xdgemm/output.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* What is found is printed, and added to record, which may be NULL. */
typedef struct {
    FILE *out;
    json_t *record;
} list_t;

/* ---- the host ----------------------------------------------------------- */

/* Lines become one. */
static void join_lines(char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '\n')
            *text = ';';
}

static json_t *record_host(const char *found)
{
    json_t *object = json_object();

    xdg_json_set_text(object, "processor", xh_cpu_model());
    xdg_json_set_text(object, "isa", xh_cpu_isa_name(xh_cpu_isa()));
    xdg_json_set_count(object, "cores", xh_cpu_cores());
    xdg_json_set_text(object, "found", found);
    return object;
}

static xh_status_t list_host(const list_t *list)
{
    hyb_topology_t *topology;
    char text[256];
    xh_status_t status = hyb_topology_open(NULL, &topology);

    if (status != XH_OK)
        return status;
    hyb_topology_describe(topology, text, sizeof(text));
    hyb_topology_close(topology);
    join_lines(text);
    fprintf(list->out, "%-10s %s, %s; %s\n", "host", xh_cpu_model(),
            xh_cpu_isa_name(xh_cpu_isa()), text);
    json_object_set_new(list->record, "host", record_host(text));
    return XH_OK;
}

/* ---- devices ------------------------------------------------------------ */

static void print_device(const char *name, const hyb_device_info_t *info,
                         FILE *out)
{
    fprintf(out, "%-10s %s, %.1f of %.1f GiB free%s%s\n", name, info->name,
            (double)info->memory_free / GIB, (double)info->memory / GIB,
            info->pci_address[0] != '\0' ? ", PCI " : "", info->pci_address);
}

static json_t *record_device(const char *name, const hyb_device_info_t *info)
{
    json_t *object = xdg_json_device(info, name);

    xdg_json_set_count(object, "memory_free", (int64_t)info->memory_free);
    return object;
}

/* One that does not tell what it is has no more than a name in the record. */
static void list_device(const list_t *list, const hyb_backend_t *backend,
                        int index, json_t *devices)
{
    hyb_device_info_t info;
    char name[32];

    snprintf(name, sizeof(name), "%s:%d", backend->name, index);
    if (backend->describe(index, &info) != XH_OK) {
        fprintf(list->out, "%-10s does not tell what it is\n", name);
        json_array_append_new(devices, json_pack("{ss}", "executor", name));
        return;
    }
    print_device(name, &info, list->out);
    json_array_append_new(devices, record_device(name, &info));
}

/* ---- backends ----------------------------------------------------------- */

/* Why there are none, to both. */
static void tell_none(const list_t *list, const char *name, const char *why,
                      json_t *object)
{
    fprintf(list->out, "%-10s no devices: %s\n", name, why);
    xdg_json_set_text(object, "none", why);
}

static void list_devices(const list_t *list, const hyb_backend_t *backend,
                         json_t *object)
{
    json_t *devices = json_array();
    const char *reason = NULL;
    int count = backend->count(&reason);

    json_object_set_new(object, "emulated", json_boolean(backend->emulated));
    if (backend->emulated)
        fprintf(list->out, "%-10s software devices, up to %d, if asked for\n",
                backend->name, count);
    else if (count == 0)
        tell_none(list, backend->name,
                  reason != NULL ? reason : "none was found", object);
    xdg_json_set_count(object, "count", count);
    for (int i = 0; i < count && !backend->emulated; i++)
        list_device(list, backend, i, devices);
    json_object_set_new(object, "devices", devices);
}

static void list_backend(const list_t *list, const char *name, json_t *backends)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend;
    json_t *object = json_object();

    xdg_json_set_text(object, "name", name);
    if (hyb_backend_find(name, &backend, why) == XH_OK)
        list_devices(list, backend, object);
    else
        tell_none(list, name, why, object);
    json_array_append_new(backends, object);
}

static xh_status_t list_all(const list_t *list)
{
    char names[HYB_BACKENDS][HYB_BACKEND_NAME];
    int count = hyb_backend_names(names);
    json_t *backends = json_array();
    xh_status_t status = list_host(list);

    for (int i = 0; i < count && status == XH_OK; i++)
        list_backend(list, names[i], backends);
    if (status == XH_OK && count == 0)
        fprintf(list->out, "no plug-in of a backend is beside the program\n");
    json_object_set_new(list->record, "backends", backends);
    return status;
}

xh_status_t xdg_device_list(FILE *out, const char *json)
{
    FILE *file = NULL;
    list_t list = {out, NULL};
    xh_status_t status = xdg_output_open(json, &file), closed;

    if (status != XH_OK)
        return status;
    list.record = json_object();
    xdg_json_set_text(list.record, "program", "xdgemm");
    xdg_json_set_text(list.record, "version", XH_VERSION);
    status = list_all(&list);
    if (status == XH_OK && file != NULL)
        status = xdg_json_write(list.record, file);
    json_decref(list.record);
    closed = xdg_output_close(json, file);
    return status == XH_OK ? closed : status;
}
