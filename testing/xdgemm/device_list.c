/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/device_list.h"

#include "base/cpu.h"
#include "hybrid/device/backend.h"
#include "hybrid/node/topology.h"
#include "testing/json/json.h"
#include "testing/xdgemm/record.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* where the findings go; record may be NULL */
typedef struct {
    FILE *out;
    json_t *record;
} list_t;

/* ---- the host ----------------------------------------------------------- */

static xh_status_t list_host(const list_t *list)
{
    const char *cpu = xh_cpu_model(), *isa = xh_cpu_isa_name(xh_cpu_isa());
    hyb_topology_t *topology;
    char text[256];
    xh_status_t status = hyb_topology_open(NULL, &topology);

    if (status != XH_OK)
        return status;
    hyb_topology_describe(topology, text, sizeof(text));
    hyb_topology_close(topology);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ';';
    fprintf(list->out, "%-10s %s, %s; %s\n", "host", cpu, isa, text);
    json_object_set_new(
        list->record, "host",
        XH_JSON_OBJECT({"processor", json_string(cpu)},
                       {"isa", json_string(isa)},
                       {"cores", json_integer(xh_cpu_cores(""))},
                       {"found", json_string(text)}));
    return XH_OK;
}

/* ---- devices ------------------------------------------------------------ */

/* A device that cannot be described is recorded with its name only. */
static void list_device(const list_t *list, const hyb_backend_t *backend,
                        int index, json_t *devices)
{
    hyb_device_info_t info;
    char name[32];

    snprintf(name, sizeof(name), "%s:%d", backend->name, index);
    if (backend->describe(index, &info) != XH_OK) {
        fprintf(list->out, "%-10s does not tell what it is\n", name);
        json_array_append_new(devices,
                              XH_JSON_OBJECT({"executor", json_string(name)}));
        return;
    }
    fprintf(list->out, "%-10s %s, %.1f of %.1f GiB free%s%s\n", name, info.name,
            (double)info.memory_free / GIB, (double)info.memory / GIB,
            info.pci_address[0] != '\0' ? ", PCI " : "", info.pci_address);
    json_array_append_new(
        devices,
        XH_JSON_SET(xdg_record_device(&info, name),
                    {"memory_free", json_integer((int64_t)info.memory_free)}));
}

/* ---- backends ----------------------------------------------------------- */

/* Say why there are none, in the list and in the record. */
static void tell_none(const list_t *list, const char *name, const char *why,
                      json_t *object)
{
    fprintf(list->out, "%-10s no devices: %s\n", name, why);
    json_object_set_new(object, "none", json_string(why));
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
    json_object_set_new(object, "count", json_integer(count));
    for (int i = 0; i < count && !backend->emulated; i++)
        list_device(list, backend, i, devices);
    json_object_set_new(object, "devices", devices);
}

static void list_backend(const list_t *list, const char *name, json_t *backends)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend;
    json_t *object = XH_JSON_OBJECT({"name", json_string(name)});

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

xh_status_t xdg_device_list(FILE *out, FILE *json)
{
    list_t list = {out, XH_JSON_OBJECT({"program", json_string("xdgemm")},
                                       {"version", json_string(XH_VERSION)})};
    xh_status_t status = list_all(&list);

    if (status == XH_OK && json != NULL)
        status = xdg_record_write(list.record, json);
    json_decref(list.record);
    return status;
}
