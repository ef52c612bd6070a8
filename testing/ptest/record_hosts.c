/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/cgroup.h"
#include "base/cpu.h"
#include "base/fma.h"
#include "base/memory.h"
#include "base/sysfile.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"

enum { TEXT = 128, LIST = 1024 };

/* Length of one ceiling measurement: the best of several runs of some ms. */
#define CEILING_SECONDS 0.06

/* one process and its host; no pointers, so that it can be gathered */
typedef struct {
    char host[MPI_MAX_PROCESSOR_NAME];
    char system[TEXT], cpu[TEXT], isa[TEXT];
    char cpus_online[LIST], numa_nodes[LIST];
    char cpus_allowed[LIST];          /* by the launcher */
    double cpu_mhz;                   /* now; 0: unknown */
    int64_t memory, memory_available; /* bytes; 0: unknown */
    int rank, local_rank, cores;
    xh_census_t census; /* by the first process of the host */
} place_t;

/* what the solver uses of a process's cores, likewise */
typedef struct {
    int threads;        /* 0: unknown */
    char cpus[LIST];    /* "": where the launcher lets it run, or unknown */
    char machine[LIST]; /* "": unknown */
    int cores;          /* that this process measured */
    double gflops;      /* their FMA ceiling */
} used_t;

/* ---- a process and its host ---------------------------------------------- */

static void look_at_memory(place_t *place)
{
    char text[TEXT];
    uint64_t bytes;

    if (xh_sysfile_value("/proc", "meminfo", "MemTotal", text, sizeof(text)))
        place->memory = strtoll(text, NULL, 10) * 1024;
    if (xh_memory_available("", &bytes) == XH_OK)
        place->memory_available = (int64_t)bytes;
}

static void look_at_processor(place_t *place)
{
    char text[TEXT];

    snprintf(place->cpu, TEXT, "%s", xh_cpu_model());
    snprintf(place->isa, TEXT, "%s", xh_cpu_isa_name(xh_cpu_isa()));
    if (xh_sysfile_value("/proc", "cpuinfo", "cpu MHz", text, sizeof(text)))
        place->cpu_mhz = strtod(text, NULL);
    place->cores = xh_cpu_cores("");
    xh_sysfile_line("/sys/devices/system/cpu", "online", place->cpus_online,
                    LIST);
    xh_sysfile_line("/sys/devices/system/node", "online", place->numa_nodes,
                    LIST);
    xh_sysfile_value("/proc/self", "status", "Cpus_allowed_list",
                     place->cpus_allowed, LIST);
}

static place_t my_place(void)
{
    place_t place;
    struct utsname names;
    int length;

    memset(&place, 0, sizeof(place));
    MPI_Get_processor_name(place.host, &length);
    place.rank = xhpl_rank(MPI_COMM_WORLD);
    place.local_rank = xhpl_local_rank();
    if (uname(&names) == 0)
        snprintf(place.system, TEXT, "%.40s %.60s %.20s", names.sysname,
                 names.release, names.machine);
    if (place.local_rank == 0)
        place.census = xh_cpu_census("");
    look_at_processor(&place);
    look_at_memory(&place);
    return place;
}

static json_t *rank_at(const place_t *place)
{
    return XH_JSON_OBJECT({"rank", json_integer(place->rank)},
                          {"local_rank", json_integer(place->local_rank)},
                          {"cpus_allowed", xh_json_text(place->cpus_allowed)},
                          {"cores", json_integer(place->cores)},
                          {"threads", NULL}, {"cpus_taken", NULL});
}

static json_t *host_at(const place_t *place)
{
    const xh_census_t *census = &place->census;
    json_t *machine =
        XH_JSON_OBJECT({"sockets", xh_json_positive(census->sockets)},
                       {"cores", xh_json_positive(census->cores)},
                       {"numa_nodes", xh_json_positive(census->numa_nodes)},
                       {"topology", NULL});

    return XH_JSON_OBJECT(
        {"name", xh_json_text(place->host)},
        {"system", xh_json_text(place->system)},
        {"cpu", xh_json_text(place->cpu)}, {"isa", xh_json_text(place->isa)},
        {"cpu_mhz", place->cpu_mhz > 0 ? json_real(place->cpu_mhz) : NULL},
        {"cpus_online", xh_json_text(place->cpus_online)},
        {"numa_nodes", xh_json_text(place->numa_nodes)}, {"machine", machine},
        {"memory_bytes", xh_json_positive(place->memory)},
        {"memory_available_bytes", xh_json_positive(place->memory_available)},
        {"fma_ceiling", NULL}, {"ranks", json_array()});
}

/* The hosts in the order of their first rank. */
json_t *xhpl_record_hosts(void)
{
    place_t mine = my_place();
    place_t *places = xhpl_gather(MPI_COMM_WORLD, &mine, sizeof(mine));
    json_t *hosts = places != NULL ? json_array() : NULL;
    json_t *by_name = json_object();

    for (int i = 0; places != NULL && i < xhpl_size(MPI_COMM_WORLD); i++) {
        json_t *host = json_object_get(by_name, places[i].host);

        if (host == NULL) {
            host = host_at(&places[i]);
            json_object_set(by_name, places[i].host, host);
            json_array_append_new(hosts, host);
        }
        json_array_append_new(json_object_get(host, "ranks"),
                              rank_at(&places[i]));
    }
    json_decref(by_name);
    free(places);
    return hosts;
}

/* ---- what the solver uses of them ---------------------------------------- */

xhpl_cpus_t xhpl_record_cpus(const char *list)
{
    xhpl_cpus_t cpus = {{0}};
    int number[XHPL_CPUS];
    int count = list != NULL ? xh_cpu_list(list, number, XHPL_CPUS)
                             : xh_cpu_core_ids("", number, XHPL_CPUS);

    for (int i = 0; i < count && i < XHPL_CPUS; i++)
        if (number[i] < XHPL_CPUS)
            cpus.has[number[i]] = 1;
    return cpus;
}

/*
 * The cores that this process measures; returns how many. A core that several
 * processes use belongs to the first of them, so that sums over a node count it
 * once. All together measure no more cores than the control group grants time
 * for.
 */
static int find_mine(MPI_Comm node, const char *cpus, int list[XHPL_CPUS])
{
    double quota = fmax(1.0, floor(xh_cgroup_cpu_quota("")));
    xhpl_cpus_t mine = xhpl_record_cpus(cpus), before = {{0}};
    int others = 0, count = 0;

    MPI_Exscan(mine.has, before.has, XHPL_CPUS, MPI_BYTE, MPI_BOR, node);
    if (xhpl_rank(node) == 0) /* MPI leaves it undefined there */
        memset(&before, 0, sizeof(before));
    for (int cpu = 0; cpu < XHPL_CPUS; cpu++)
        others += before.has[cpu];
    for (int cpu = 0; cpu < XHPL_CPUS && others + count < quota; cpu++)
        if (mine.has[cpu] && !before.has[cpu])
            list[count++] = cpu;
    return count;
}

/* Measure the FMA ceiling of these cores while all of the node are busy. */
static void measure_ceiling(const char *cpus, used_t *used)
{
    MPI_Comm node = xhpl_node_comm();
    int list[XHPL_CPUS];

    used->cores = find_mine(node, cpus, list);
    xhpl_idle_barrier(node);
    if (used->cores > 0)
        used->gflops = 1e-9 * xh_fma_ceiling(xh_cpu_isa(), list, used->cores,
                                             CEILING_SECONDS);
    xhpl_idle_barrier(node);
    MPI_Comm_free(&node);
}

hpl_workers_t xhpl_record_my_workers(void)
{
    hpl_workers_t nobody = {.threads = 0};

    return hpl_solver()->workers != NULL ? hpl_solver()->workers() : nobody;
}

static used_t used_by_me(void)
{
    hpl_workers_t mine = xhpl_record_my_workers();
    used_t used = {.threads = mine.threads};

    if (mine.cpus != NULL)
        snprintf(used.cpus, LIST, "%s", mine.cpus);
    if (mine.machine != NULL)
        snprintf(used.machine, LIST, "%s", mine.machine);
    measure_ceiling(mine.cpus, &used);
    return used;
}

/* Other programs on these cores only ever lower a measurement. */
static void keep_larger(json_t *host, int cores, double gflops)
{
    json_t *ceiling = json_object_get(host, "fma_ceiling");

    if (gflops <= json_real_value(json_object_get(ceiling, "gflops")))
        return;
    ceiling = XH_JSON_OBJECT({"cores", json_integer(cores)},
                             {"gflops", xh_json_number(gflops)});
    json_object_set_new(host, "fma_ceiling", ceiling);
}

static void add_to_host(json_t *host, const used_t *all)
{
    json_t *machine = json_object_get(host, "machine"), *rank;
    int cores = 0;
    double gflops = 0;
    size_t i;

    json_array_foreach(json_object_get(host, "ranks"), i, rank)
    {
        const used_t *used =
            &all[json_integer_value(json_object_get(rank, "rank"))];

        if (used->threads > 0)
            json_object_set_new(rank, "threads", json_integer(used->threads));
        json_object_set_new(rank, "cpus_taken", xh_json_text(used->cpus));
        json_object_set_new(machine, "topology", xh_json_text(used->machine));
        if (used->gflops > 0) {
            cores += used->cores;
            gflops += used->gflops;
        }
    }
    keep_larger(host, cores, gflops);
}

void xhpl_record_workers(json_t *hosts)
{
    used_t mine = used_by_me();
    used_t *all = xhpl_gather(MPI_COMM_WORLD, &mine, sizeof(mine));
    json_t *host;
    size_t i;

    if (all != NULL)
        json_array_foreach(hosts, i, host) add_to_host(host, all);
    free(all);
}

/* ---- devices ------------------------------------------------------------- */

enum { MOST = 16 };

/* the devices of one process; no pointers, so that they can be gathered */
typedef struct {
    int count;
    hpl_device_t device[MOST];
} devices_t;

static devices_t my_devices(void)
{
    devices_t devices = {.count = 0};

    if (hpl_solver()->devices != NULL)
        devices.count = hpl_solver()->devices(MOST, devices.device);
    return devices;
}

static json_t *device_at(int rank, const hpl_device_t *device)
{
    return XH_JSON_OBJECT(
        {"rank", json_integer(rank)}, {"name", xh_json_text(device->name)},
        {"model", xh_json_text(device->model)},
        {"memory_bytes", json_integer((int64_t)device->memory)},
        {"clock_mhz", xh_json_number(device->clock * 1e-6)},
        {"temperature_celsius", xh_json_number(device->temperature)},
        {"power_watts", xh_json_number(device->power)});
}

json_t *xhpl_record_devices(void)
{
    devices_t mine = my_devices();
    devices_t *all = xhpl_gather(MPI_COMM_WORLD, &mine, sizeof(mine));
    json_t *list = all != NULL ? json_array() : NULL;

    for (int r = 0; all != NULL && r < xhpl_size(MPI_COMM_WORLD); r++)
        for (int i = 0; i < all[r].count; i++)
            json_array_append_new(list, device_at(r, &all[r].device[i]));
    free(all);
    return list;
}

double xhpl_record_devices_energy(void)
{
    devices_t mine = my_devices();
    double sum = 0;

    for (int i = 0; i < mine.count; i++)
        sum += mine.device[i].energy;
    return sum;
}
