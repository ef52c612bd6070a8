/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"
#include "hybrid/device/backend.h"
#include "hybrid/node/topology.h"
#include "testing/json/json.h"
#include "testing/xdgemm/record.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* ---- the host ----------------------------------------------------------- */

static xh_status_t list_host(json_t *record)
{
    const char *cpu = xh_cpu_model(), *isa = xh_cpu_isa_name(xh_cpu_isa());
    hyb_topology_t *topology;
    char text[256];

    XH_TRY(hyb_topology_open(NULL, &topology));
    hyb_topology_describe(topology, text, sizeof(text));
    hyb_topology_close(topology);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ';';
    printf("%-10s %s, %s; %s\n", "host", cpu, isa, text);
    json_object_set_new(
        record, "host",
        XH_JSON_OBJECT({"processor", json_string(cpu)},
                       {"isa", json_string(isa)},
                       {"cores", json_integer(xh_cpu_cores(""))},
                       {"found", json_string(text)}));
    return XH_OK;
}

/* ---- backends ----------------------------------------------------------- */

/* A device that cannot be described is recorded by name only. */
static json_t *list_device(const hyb_backend_t *backend, int index)
{
    hyb_device_info_t info;
    char name[32];

    snprintf(name, sizeof(name), "%s:%d", backend->name, index);
    if (backend->describe(index, &info) != XH_OK) {
        printf("%-10s cannot be identified\n", name);
        return XH_JSON_OBJECT({"executor", json_string(name)});
    }
    printf("%-10s %s, %.1f of %.1f GiB free%s%s\n", name, info.name,
           (double)info.memory_free / GIB, (double)info.memory / GIB,
           info.pci_address[0] != '\0' ? ", PCI " : "", info.pci_address);
    return XH_JSON_SET(
        xdg_record_device(&info, name),
        {"memory_free", json_integer((int64_t)info.memory_free)});
}

/* Print and record why a backend has no devices. */
static void tell_none(const char *name, const char *why, json_t *object)
{
    printf("%-10s no devices: %s\n", name, why);
    json_object_set_new(object, "none", json_string(why));
}

static void list_devices(const hyb_backend_t *backend, json_t *object)
{
    json_t *devices = json_array();
    const char *reason = NULL;
    int count = backend->count(&reason);

    json_object_set_new(object, "emulated", json_boolean(backend->emulated));
    if (backend->emulated)
        printf("%-10s software devices, up to %d, on request\n", backend->name,
               count);
    else if (count == 0)
        tell_none(backend->name, reason != NULL ? reason : "none was found",
                  object);
    for (int i = 0; i < count && !backend->emulated; i++)
        json_array_append_new(devices, list_device(backend, i));
    XH_JSON_SET(object, {"count", json_integer(count)}, {"devices", devices});
}

static json_t *list_backend(const char *name)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend;
    json_t *object = XH_JSON_OBJECT({"name", json_string(name)});

    if (hyb_backend_find(name, &backend, why) == XH_OK)
        list_devices(backend, object);
    else
        tell_none(name, why, object);
    return object;
}

xh_status_t xdg_device_list(FILE *json)
{
    char names[HYB_BACKENDS][HYB_BACKEND_NAME];
    int count = hyb_backend_names(names);
    json_t *backends = json_array();
    json_t *record = XH_JSON_OBJECT({"program", json_string("xdgemm")},
                                    {"version", json_string(XH_VERSION)});
    xh_status_t status = list_host(record);

    for (int i = 0; i < count && status == XH_OK; i++)
        json_array_append_new(backends, list_backend(names[i]));
    if (status == XH_OK && count == 0)
        printf("no backend's plug-in lies beside the program\n");
    json_object_set_new(record, "backends", backends);
    if (status == XH_OK && json != NULL)
        status = xdg_record_write(record, json);
    json_decref(record);
    return status;
}
