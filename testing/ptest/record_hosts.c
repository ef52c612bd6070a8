/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/cgroup.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/sysfile.h"
#include "base/text.h"
#include "testing/json/json.h"
#include "testing/ptest/core_budget.h"
#include "testing/ptest/processes.h"

enum { TEXT = 128, LIST = 1024 };

/* Length of one measurement of the ceiling: the best of several runs of some
 * ms. */
#define CEILING_SECONDS 0.06

json_t *xhpl_record_gather(MPI_Comm comm, json_t *mine)
{
    char *text;
    size_t size;

    if (xhpl_rank(comm) != 0) {
        text = json_dumps(mine, JSON_COMPACT);
        xhpl_text_send(comm, text, text != NULL ? strlen(text) : 0);
        free(text);
        json_decref(mine);
        return NULL;
    }
    for (int process = 1; process < xhpl_size(comm); process++) {
        json_t *theirs;

        xhpl_text_receive(comm, process, &text, &size);
        theirs = json_loadb(text, size, 0, NULL);
        json_array_extend(mine, theirs);
        json_decref(theirs);
        free(text);
    }
    return mine;
}

/* ---- a process and its host ---------------------------------------------- */

/* Read the number after `key` in a file of /proc; NaN: unknown. */
static double number_in(const char *file, const char *key)
{
    char text[TEXT];

    return xh_sysfile_value("/proc", file, key, text, TEXT) ? strtod(text, NULL)
                                                            : NAN;
}

static json_t *my_rank(int local_rank)
{
    char allowed[LIST] = ""; /* by the launcher: cores */

    xh_sysfile_value("/proc/self", "status", "Cpus_allowed_list", allowed,
                     LIST);
    return XH_JSON_OBJECT({"rank", json_integer(xhpl_rank(MPI_COMM_WORLD))},
                          {"local_rank", json_integer(local_rank)},
                          {"cpus_allowed", xh_json_text(allowed)},
                          {"cores", json_integer(xh_cpu_cores(""))},
                          {"threads", NULL}, {"cpus_taken", NULL});
}

/* Describe this machine; called on the first process of a host. */
static json_t *my_machine(int local_rank)
{
    xh_census_t census = {0};

    if (local_rank == 0)
        census = xh_cpu_census("");
    return XH_JSON_OBJECT({"sockets", xh_json_positive(census.sockets)},
                          {"cores", xh_json_positive(census.cores)},
                          {"numa_nodes", xh_json_positive(census.numa_nodes)},
                          {"topology", NULL});
}

/* Describe the firmware: "LENOVO, SR650, 3.10, 05/12/2026"; unknown parts are
 * left out. */
static json_t *firmware(void)
{
    static const char *const files[] = {"sys_vendor", "product_name",
                                        "bios_version", "bios_date"};
    char text[LIST] = "", part[TEXT];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (xh_sysfile_line("/sys/class/dmi/id", files[i], part, TEXT))
            xh_text_append(text, LIST, "%s%s", text[0] ? ", " : "", part);
    return xh_json_text(text);
}

static json_t *line_in(const char *folder, const char *file)
{
    char text[LIST] = "";

    xh_sysfile_line(folder, file, text, LIST);
    return xh_json_text(text);
}

static json_t *microcode(void)
{
    char text[TEXT] = "";

    xh_sysfile_value("/proc", "cpuinfo", "microcode", text, TEXT);
    return xh_json_text(text);
}

/* Describe a host with only this process. */
static json_t *my_host(void)
{
    char host[MPI_MAX_PROCESSOR_NAME], system[TEXT] = "";
    double mhz = number_in("cpuinfo", "cpu MHz");
    double memory = 1024 * fmax(0, number_in("meminfo", "MemTotal"));
    int length, local_rank = xhpl_local_rank();
    uint64_t available = 0;
    struct utsname names;

    MPI_Get_processor_name(host, &length);
    if (uname(&names) == 0)
        snprintf(system, TEXT, "%.40s %.60s %.20s", names.sysname,
                 names.release, names.machine);
    xh_memory_available("", &available);
    return XH_JSON_OBJECT(
        {"name", xh_json_text(host)}, {"system", xh_json_text(system)},
        {"cpu", xh_json_text(xh_cpu_model())},
        {"isa", xh_json_text(xh_cpu_isa_name(xh_cpu_isa()))},
        {"cpu_mhz", xh_json_number(mhz > 0 ? mhz : NAN)},
        {"firmware", firmware()}, {"microcode", microcode()},
        {"governor",
         line_in("/sys/devices/system/cpu/cpu0/cpufreq", "scaling_governor")},
        {"smt", line_in("/sys/devices/system/cpu/smt", "control")},
        {"memory_modules", local_rank == 0 ? xhpl_record_modules("") : NULL},
        {"cpus_online", line_in("/sys/devices/system/cpu", "online")},
        {"numa_nodes", line_in("/sys/devices/system/node", "online")},
        {"machine", my_machine(local_rank)},
        {"memory_bytes", xh_json_positive((int64_t)memory)},
        {"memory_available_bytes", xh_json_positive((int64_t)available)},
        {"fma_ceiling", NULL},
        {"ranks", json_pack("[o]", my_rank(local_rank))});
}

/* List the hosts in the order of their first rank. */
json_t *xhpl_record_hosts(void)
{
    json_t *each =
        xhpl_record_gather(MPI_COMM_WORLD, json_pack("[o]", my_host()));
    json_t *hosts = each != NULL ? json_array() : NULL;
    json_t *by_name = json_object(), *host;
    size_t i;

    json_array_foreach(each, i, host)
    {
        const char *name = json_string_value(json_object_get(host, "name"));
        json_t *known = json_object_get(by_name, name);

        if (known == NULL) {
            json_object_set(by_name, name, host);
            json_array_append(hosts, host);
        } else {
            json_array_extend(json_object_get(known, "ranks"),
                              json_object_get(host, "ranks"));
        }
    }
    json_decref(by_name);
    json_decref(each);
    return hosts;
}

/* ---- what the solver uses of them ---------------------------------------- */

/*
 * Find the cores that this process measures; returns their number. A core that
 * several processes use belongs to the first of them, so that sums over a node
 * count it once. Together all processes measure at most as many cores as the
 * control group grants time for.
 */
static int find_mine(MPI_Comm node, const char *cpus, int list[XH_MOST_CPUS])
{
    double quota = fmax(1.0, floor(xh_cgroup_cpu_quota("")));
    xhpl_cpus_t mine = xhpl_cpus(cpus), before = {{0}};
    int others = 0, count = 0;

    MPI_Exscan(mine.has, before.has, XH_MOST_CPUS, MPI_BYTE, MPI_BOR, node);
    if (xhpl_rank(node) == 0) /* MPI leaves it undefined there */
        memset(&before, 0, sizeof(before));
    for (int cpu = 0; cpu < XH_MOST_CPUS; cpu++)
        others += before.has[cpu];
    for (int cpu = 0; cpu < XH_MOST_CPUS && others + count < quota; cpu++)
        if (mine.has[cpu] && !before.has[cpu])
            list[count++] = cpu;
    return count;
}

hpl_workers_t xhpl_record_my_workers(void)
{
    hpl_workers_t nobody = {.threads = 0};

    return hpl_solver()->workers != NULL ? hpl_solver()->workers() : nobody;
}

/* Describe what the solver uses on this process, and measure the FMA ceiling of
 * its cores while all processes of the node do the same. */
static json_t *used_by_me(void)
{
    hpl_workers_t mine = xhpl_record_my_workers();
    MPI_Comm node = xhpl_node_comm();
    int list[XH_MOST_CPUS], cores = find_mine(node, mine.cpus, list);
    double flops = 0;

    xhpl_idle_barrier(node);
    if (cores > 0)
        flops = xh_fma_ceiling(xh_cpu_isa(), list, cores, CEILING_SECONDS);
    xhpl_idle_barrier(node);
    MPI_Comm_free(&node);
    return XH_JSON_OBJECT({"threads", xh_json_positive(mine.threads)},
                          {"cpus_taken", xh_json_text(mine.cpus)},
                          {"topology", xh_json_text(mine.machine)},
                          {"cores", json_integer(flops > 0 ? cores : 0)},
                          {"gflops", json_real(1e-9 * flops)});
}

static void copy_member(json_t *from, const char *key, json_t *to)
{
    json_object_set(to, key, json_object_get(from, key));
}

/* Keep the highest measurement, because other programs can only lower it. */
static void add_to_host(json_t *host, json_t *all)
{
    json_t *ceiling = json_object_get(host, "fma_ceiling"), *rank;
    json_int_t cores = 0;
    double gflops = 0;
    size_t i;

    json_array_foreach(json_object_get(host, "ranks"), i, rank)
    {
        json_int_t process = json_integer_value(json_object_get(rank, "rank"));
        json_t *used = json_array_get(all, (size_t)process);

        copy_member(used, "threads", rank);
        copy_member(used, "cpus_taken", rank);
        copy_member(used, "topology", json_object_get(host, "machine"));
        cores += json_integer_value(json_object_get(used, "cores"));
        gflops += json_real_value(json_object_get(used, "gflops"));
    }
    if (gflops > json_real_value(json_object_get(ceiling, "gflops")))
        json_object_set_new(
            host, "fma_ceiling",
            json_pack("{s:I, s:f}", "cores", cores, "gflops", gflops));
}

json_t *xhpl_record_workers(json_t *hosts)
{
    json_t *all =
        xhpl_record_gather(MPI_COMM_WORLD, json_pack("[o]", used_by_me()));
    json_t *copy = json_deep_copy(hosts), *host;
    size_t i;

    json_array_foreach(copy, i, host) add_to_host(host, all);
    json_decref(all);
    return copy;
}

/* ---- devices ------------------------------------------------------------- */

enum { MOST = 16 };

static int my_devices(hpl_device_t device[MOST])
{
    return hpl_solver()->devices != NULL ? hpl_solver()->devices(MOST, device)
                                         : 0;
}

json_t *xhpl_record_devices(void)
{
    hpl_device_t device[MOST];
    int count = my_devices(device), rank = xhpl_rank(MPI_COMM_WORLD);
    json_t *mine = json_array();

    for (const hpl_device_t *d = device; d < device + count; d++)
        json_array_append_new(
            mine,
            XH_JSON_OBJECT(
                {"rank", json_integer(rank)}, {"name", xh_json_text(d->name)},
                {"model", xh_json_text(d->model)},
                {"serial", xh_json_text(d->serial)},
                {"memory_bytes", json_integer((int64_t)d->memory)},
                {"clock_mhz", xh_json_number(d->clock * 1e-6)},
                {"temperature_celsius", xh_json_number(d->temperature)},
                {"power_watts", xh_json_number(d->power)}));
    return xhpl_record_gather(MPI_COMM_WORLD, mine);
}

double xhpl_record_devices_energy(void)
{
    hpl_device_t device[MOST];
    double sum = 0;

    for (int i = my_devices(device) - 1; i >= 0; i--)
        sum += device[i].energy;
    return sum;
}
