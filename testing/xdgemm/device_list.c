/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/device_list.h"

#include "base/cpu.h"
#include "hybrid/engine/backend.h"
#include "hybrid/engine/topology.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* Lines become one. */
static void join_lines(char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '\n')
            *text = ';';
}

static xh_status_t print_host(FILE *out)
{
    hyb_topology_t *topology;
    char text[256];
    xh_status_t status = hyb_topology_open(NULL, &topology);

    if (status != XH_OK)
        return status;
    hyb_topology_describe(topology, text, sizeof(text));
    hyb_topology_close(topology);
    join_lines(text);
    fprintf(out, "%-10s %s, %s; %s\n", "host", xh_cpu_model(),
            xh_cpu_isa_name(xh_cpu_isa()), text);
    return XH_OK;
}

static void print_device(const hyb_backend_t *backend, int index, FILE *out)
{
    hyb_device_info_t info;
    char name[32];

    snprintf(name, sizeof(name), "%s:%d", backend->name, index);
    if (backend->describe(index, &info) != XH_OK)
        fprintf(out, "%-10s does not tell what it is\n", name);
    else
        fprintf(out, "%-10s %s, %.1f of %.1f GiB free%s%s\n", name, info.name,
                (double)info.memory_free / GIB, (double)info.memory / GIB,
                info.pci_address[0] != '\0' ? ", PCI " : "", info.pci_address);
}

static void print_backend(const char *name, FILE *out)
{
    char why[HYB_BACKEND_WHY];
    const char *reason = NULL;
    const hyb_backend_t *backend;
    int count;

    if (hyb_backend_find(name, &backend, why) != XH_OK) {
        fprintf(out, "%-10s no devices: %s\n", name, why);
        return;
    }
    count = backend->count(&reason);
    if (backend->emulated)
        fprintf(out, "%-10s software devices, up to %d, if asked for\n", name,
                count);
    else if (count == 0)
        fprintf(out, "%-10s no devices: %s\n", name,
                reason != NULL ? reason : "none was found");
    for (int i = 0; i < count && !backend->emulated; i++)
        print_device(backend, i, out);
}

xh_status_t xdg_device_list_print(FILE *out)
{
    char names[HYB_BACKENDS][HYB_BACKEND_NAME];
    int count = hyb_backend_names(names);
    xh_status_t status = print_host(out);

    for (int i = 0; i < count && status == XH_OK; i++)
        print_backend(names[i], out);
    if (status == XH_OK && count == 0)
        fprintf(out, "no plug-in of a backend is beside the program\n");
    return status;
}
