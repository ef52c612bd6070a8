/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <inttypes.h>
#include <mpi.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/blas_library.h"
#include "base/cpu.h"
#include "base/cpu_census.h"
#include "base/memory.h"
#include "base/sysfile.h"
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

enum { TEXT = 128, LIST = 512 };

/* one process and the host it runs on; flat, so that a gather carries it */
typedef struct {
    char host[MPI_MAX_PROCESSOR_NAME];
    char system[TEXT], cpu[TEXT], isa[TEXT];
    char cpus_online[LIST], numa_nodes[LIST];
    char cpus_allowed[LIST];          /* as the launcher left them */
    double cpu_mhz;                   /* now; 0 if not told */
    int64_t memory, memory_available; /* bytes; 0 if not told */
    int rank, local_rank, cores;
    xh_census_t census; /* by the first process of the host */
} place_t;

/* ---- on each process ----------------------------------------------------- */

int xhpl_record_local_rank(void)
{
    MPI_Comm node;
    int rank;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    return rank;
}

static void look_at_memory(place_t *place)
{
    char text[TEXT];
    uint64_t bytes;

    if (xh_sysfile_value("/proc", "meminfo", "MemTotal", text, sizeof(text)))
        place->memory = strtoll(text, NULL, 10) * 1024;
    if (xh_memory_available(&bytes) == XH_OK)
        place->memory_available = (int64_t)bytes;
}

static void look_at_processor(place_t *place)
{
    char text[TEXT];

    snprintf(place->cpu, TEXT, "%s", xh_cpu_model());
    snprintf(place->isa, TEXT, "%s", xh_cpu_isa_name(xh_cpu_isa()));
    if (xh_sysfile_value("/proc", "cpuinfo", "cpu MHz", text, sizeof(text)))
        place->cpu_mhz = strtod(text, NULL);
    place->cores = xh_cpu_cores();
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
    MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
    place.local_rank = xhpl_record_local_rank();
    if (uname(&names) == 0)
        snprintf(place.system, TEXT, "%.40s %.60s %.20s", names.sysname,
                 names.release, names.machine);
    if (place.local_rank == 0)
        place.census = xh_cpu_census("");
    look_at_processor(&place);
    look_at_memory(&place);
    return place;
}

/* ---- on process 0 -------------------------------------------------------- */

static json_t *rank_at(const place_t *place)
{
    json_t *object = json_object();

    xhpl_json_set_count(object, "rank", place->rank);
    xhpl_json_set_count(object, "local_rank", place->local_rank);
    xhpl_json_set_text(object, "cpus_allowed", place->cpus_allowed);
    xhpl_json_set_count(object, "cores", place->cores);
    json_object_set_new(object, "threads", json_null());
    json_object_set_new(object, "cpus_taken", json_null());
    return object;
}

static void set_unless_0(json_t *object, const char *key, int64_t x)
{
    json_object_set_new(object, key, x == 0 ? json_null() : json_integer(x));
}

static json_t *machine_of(const xh_census_t *census)
{
    json_t *object = json_object();

    set_unless_0(object, "sockets", census->sockets);
    set_unless_0(object, "cores", census->cores);
    set_unless_0(object, "numa_nodes", census->numa_nodes);
    json_object_set_new(object, "topology", json_null());
    return object;
}

static json_t *host_at(const place_t *place)
{
    json_t *object = json_object();

    xhpl_json_set_text(object, "name", place->host);
    xhpl_json_set_text(object, "system", place->system);
    xhpl_json_set_text(object, "cpu", place->cpu);
    xhpl_json_set_text(object, "isa", place->isa);
    json_object_set_new(object, "cpu_mhz",
                        place->cpu_mhz > 0 ? json_real(place->cpu_mhz)
                                           : json_null());
    xhpl_json_set_text(object, "cpus_online", place->cpus_online);
    xhpl_json_set_text(object, "numa_nodes", place->numa_nodes);
    json_object_set_new(object, "machine", machine_of(&place->census));
    set_unless_0(object, "memory_bytes", place->memory);
    set_unless_0(object, "memory_available_bytes", place->memory_available);
    json_object_set_new(object, "fma_ceiling", json_null());
    json_object_set_new(object, "ranks", json_array());
    return object;
}

/* The hosts in the order of their first rank. */
static json_t *group(void *all, int count)
{
    const place_t *places = all;
    json_t *hosts = json_array(), *by_name = json_object();

    for (int i = 0; i < count; i++) {
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
    return hosts;
}

json_t *xhpl_record_hosts(void)
{
    place_t mine = my_place();

    return xhpl_record_gathered(MPI_COMM_WORLD, &mine, sizeof(mine), group);
}

/* ---- libraries ----------------------------------------------------------- */

static const char *thread_level(void)
{
    int level;

    MPI_Query_thread(&level);
    if (level == MPI_THREAD_SINGLE)
        return "single";
    if (level == MPI_THREAD_FUNNELED)
        return "funneled";
    return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

json_t *xhpl_record_mpi(void)
{
    json_t *object = json_object();
    char library[MPI_MAX_LIBRARY_VERSION_STRING], standard[32];
    int length, version, subversion, processes;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    MPI_Get_version(&version, &subversion);
    snprintf(standard, sizeof(standard), "%d.%d", version, subversion);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    xhpl_json_set_text(object, "library", library);
    xhpl_json_set_text(object, "standard", standard);
    xhpl_json_set_text(object, "thread_level", thread_level());
    xhpl_json_set_count(object, "processes", processes);
    return object;
}

json_t *xhpl_record_blas(void)
{
    xh_blas_library_t library = xh_blas_library_identify();
    json_t *object = json_object();

    xhpl_json_set_text(object, "name", library.name);
    xhpl_json_set_text(object, "version", library.version);
    xhpl_json_set_text(object, "kernel", library.kernel);
    json_object_set_new(object, "threads",
                        library.threads > 0 ? json_integer(library.threads)
                                            : json_null());
    return object;
}
