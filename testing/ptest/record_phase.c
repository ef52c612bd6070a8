/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/sysfile.h"
#include "testing/json/json.h"
#include "testing/ptest/core_budget.h"
#include "testing/ptest/processes.h"

/* Lists of thousands of tests with thousands of processes would fill the
 * memory. */
enum { MOST = 16384 }; /* objects of earlier tests: a few MB */

/* counters of energy */
enum { PACKAGE, DRAM, NODE_KINDS, DEVICES = NODE_KINDS, COUNTERS };

/* ---- energy -------------------------------------------------------------- */

/*
 * The energy that the processors of this node use, by their own counters
 * (RAPL). The counters estimate, and cover processors and memory only: a
 * diagnostic, not a measurement by the rules of a list. Usually only root may
 * read them. A 32-bit counter in units of 61 uJ wraps after 262 kJ, four
 * minutes at 1 kW: readings are more frequent.
 */

/* one counter */
typedef struct {
    const char *folder;
    int kind;
    int64_t last, range; /* uJ */
    double joules;       /* since open; NAN: a read failed */
} zone_t;

typedef struct {
    glob_t folders; /* of all zones */
    int zones;
    zone_t *zone; /* by kind */
} energy_t;

/* The kind of the zone called name; -1: neither package nor memory. */
static int kind_of(const char *name)
{
    if (strncmp(name, "package", 7) == 0)
        return PACKAGE;
    return strcmp(name, "dram") == 0 ? DRAM : -1;
}

static void add_zone(energy_t *energy, const char *folder)
{
    zone_t zone = {.folder = folder};
    char name[64];

    if (!xh_sysfile_line(folder, "name", name, sizeof(name)) ||
        kind_of(name) < 0)
        return;
    zone.kind = kind_of(name);
    if (!xh_sysfile_number(folder, "energy_uj", &zone.last) ||
        !xh_sysfile_number(folder, "max_energy_range_uj", &zone.range))
        zone.joules = NAN;
    energy->zone[energy->zones++] = zone;
}

/* Add what the counter has counted since the last call. */
static void advance(zone_t *zone)
{
    int64_t now = zone->last;

    if (!xh_sysfile_number(zone->folder, "energy_uj", &now))
        zone->joules = NAN;
    if (now < zone->last)
        zone->last -= zone->range;
    zone->joules += 1e-6 * (double)(now - zone->last);
    zone->last = now;
}

static void open_energy(const char *root, energy_t *energy)
{
    char pattern[XH_SYSFILE_PATH];

    snprintf(pattern, sizeof(pattern), "%s/sys/class/powercap/intel-rapl:*",
             root);
    if (glob(pattern, 0, NULL, &energy->folders) == 0)
        energy->zone = calloc(energy->folders.gl_pathc, sizeof(zone_t));
    for (size_t i = 0; energy->zone != NULL && i < energy->folders.gl_pathc;
         i++)
        add_zone(energy, energy->folders.gl_pathv[i]);
}

/*
 * Joules of each kind since open, summed over the node; NAN without a counter
 * of that kind, or if one cannot be read.
 */
static void read_node_energy(energy_t *energy, double joules_p[NODE_KINDS])
{
    bool found[NODE_KINDS] = {false};

    for (int kind = 0; kind < NODE_KINDS; kind++)
        joules_p[kind] = NAN;
    for (int i = 0; i < energy->zones; i++) {
        zone_t *zone = &energy->zone[i];
        double *sum = &joules_p[zone->kind];

        advance(zone);
        *sum = found[zone->kind] ? *sum + zone->joules : zone->joules;
        found[zone->kind] = true;
    }
}

/* ---- a phase ------------------------------------------------------------- */

enum { DEVICES_MOST = 16 };

/* Readings of a device's sensors in a phase, as sums; least and most clock. */
typedef struct {
    int samples; /* with a known clock */
    char name[24];
    double least, most, mean; /* Hz */
    double celsius;           /* the highest */
    double watts;
} device_clocks_t;

struct xhpl_phase {
    bool is_first; /* process of its node; only then the next two have values */
    energy_t energy;
    double before[COUNTERS]; /* J at the start, of this node and this process's
                                devices */
    struct timespec start;
    size_t list_objects; /* in lists of all tests so far, on process 0 */
    /* the thread that reads, also on processes that are not the first */
    double first, interval; /* s */
    bool is_watched;        /* the thread runs */
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t change;
    bool running, closed;
    double next_reading; /* time of the next reading */
    hpl_clocks_t (*read)(const int *cpus, int count); /* NULL: unknown */
    int cpu[XH_MOST_CPUS], cpus;
    int samples,
        phase_samples;   /* so far; those before the end of the last phase */
    hpl_clocks_t clocks; /* over all samples; mean is their sum */
    device_clocks_t device[DEVICES_MOST];
    int devices;
};

/* ---- the thread: under the lock ------------------------------------------ */

static void sample_devices(xhpl_phase_t *p)
{
    hpl_device_t found[DEVICES_MOST];
    int count = hpl_solver()->devices != NULL
                    ? hpl_solver()->devices(DEVICES_MOST, found)
                    : 0;

    p->devices = count;
    for (int i = 0; i < count; i++) {
        device_clocks_t *d = &p->device[i];

        if (p->samples == 0)
            *d = (device_clocks_t){.least = INFINITY, .celsius = -INFINITY};
        if (isnan(found[i].clock))
            continue;
        d->samples++;
        memcpy(d->name, found[i].name, sizeof(d->name));
        d->least = fmin(d->least, found[i].clock);
        d->most = fmax(d->most, found[i].clock);
        d->mean += found[i].clock;
        d->celsius = fmax(d->celsius, found[i].temperature);
        d->watts += found[i].power;
    }
}

static void sample(xhpl_phase_t *p)
{
    hpl_clocks_t found;

    sample_devices(p);
    p->samples++;
    if (p->read == NULL)
        return;
    found = p->read(p->cpu, p->cpus);
    p->clocks.least = fmin(p->clocks.least, found.least);
    p->clocks.most = fmax(p->clocks.most, found.most);
    p->clocks.mean += found.mean;
    p->clocks.celsius = fmax(p->clocks.celsius, found.celsius);
}

static void *watch(void *argument)
{
    xhpl_phase_t *p = argument;
    struct timespec until;
    double joules[NODE_KINDS];

    pthread_mutex_lock(&p->lock);
    while (!p->closed)
        if (!p->running) {
            pthread_cond_wait(&p->change, &p->lock);
        } else if (xh_clock_read(CLOCK_REALTIME) < p->next_reading) {
            until = (struct timespec){(time_t)p->next_reading,
                                      (long)(1e9 * fmod(p->next_reading, 1.0))};
            pthread_cond_timedwait(&p->change, &p->lock, &until);
        } else {
            sample(p);
            read_node_energy(&p->energy, joules); /* before counters wrap */
            p->next_reading = xh_clock_read(CLOCK_REALTIME) + p->interval;
        }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- on each process ----------------------------------------------------- */

xh_status_t xhpl_phase_open(const char *root, double first, double interval,
                            xhpl_phase_t **phase_p)
{
    xhpl_phase_t *p = calloc(1, sizeof(*p));
    bool is_first = xhpl_local_rank() == 0;

    if (p == NULL)
        return XH_ERR_MEMORY;
    if (is_first)
        open_energy(root, &p->energy);
    p->is_first = is_first;
    p->first = first;
    p->interval = interval;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->change, NULL);
    p->is_watched = pthread_create(&p->thread, NULL, watch, p) == 0;
    *phase_p = p;
    return XH_OK;
}

void xhpl_phase_close(xhpl_phase_t *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    pthread_cond_signal(&p->change);
    pthread_mutex_unlock(&p->lock);
    if (p->is_watched)
        pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->lock);
    globfree(&p->energy.folders);
    free(p->energy.zone);
    free(p);
}

void xhpl_phase_begin(xhpl_phase_t *p)
{
    xhpl_cpus_t used = xhpl_cpus(xhpl_record_my_workers().cpus);
    MPI_Comm node = xhpl_node_comm();

    MPI_Allreduce(MPI_IN_PLACE, used.has, XH_MOST_CPUS, MPI_BYTE, MPI_BOR,
                  node);
    MPI_Comm_free(&node);
    pthread_mutex_lock(&p->lock);
    p->read = p->is_first ? hpl_solver()->clocks : NULL;
    p->cpus = 0;
    for (int cpu = 0; cpu < XH_MOST_CPUS; cpu++)
        if (used.has[cpu])
            p->cpu[p->cpus++] = cpu;
    pthread_mutex_unlock(&p->lock);
}

/* Joules so far; the counters of a node count for its first process only. */
static void read_energy(xhpl_phase_t *p, double joules_p[COUNTERS])
{
    for (int kind = 0; kind < NODE_KINDS; kind++)
        joules_p[kind] = 0.0;
    if (p->is_first)
        read_node_energy(&p->energy, joules_p);
    joules_p[DEVICES] = xhpl_record_devices_energy();
}

void xhpl_phase_ready(xhpl_phase_t *p)
{
    read_energy(p, p->before);
}

static void set_running(xhpl_phase_t *p, bool running)
{
    pthread_mutex_lock(&p->lock);
    if (running) {
        p->samples = 0;
        p->clocks = (hpl_clocks_t){INFINITY, 0, -INFINITY, -INFINITY};
        p->next_reading = xh_clock_read(CLOCK_REALTIME) + p->first;
    } else {
        p->phase_samples = p->samples;
        if (p->samples == 0)
            sample(p);
    }
    p->running = running;
    pthread_cond_signal(&p->change);
    pthread_mutex_unlock(&p->lock);
}

void xhpl_phase_start(xhpl_phase_t *p)
{
    set_running(p, true);
    clock_gettime(CLOCK_REALTIME, &p->start);
}

/* ---- all together -------------------------------------------------------- */

/* The work of this process; an empty list if unknown. */
static json_t *my_work(const hpl_system_t *system)
{
    json_t *list = json_array();
    hpl_work_t work;

    if (hpl_solver()->work == NULL || !hpl_solver()->work(system, &work))
        return list;
    json_array_append_new(
        list,
        XH_JSON_OBJECT({"rank", json_integer(xhpl_rank(MPI_COMM_WORLD))},
                       {"panel", xh_json_number(work.panel)},
                       {"swap", xh_json_number(work.swap)},
                       {"solve", xh_json_number(work.solve)},
                       {"update", xh_json_number(work.update)},
                       {"broadcast", xh_json_number(work.broadcast)},
                       {"exchange", xh_json_number(work.exchange)},
                       {"wait", xh_json_number(work.wait)},
                       {"gflop", xh_json_number(work.flop * 1e-9)},
                       {"thread_gflops", xh_json_number(work.rate * 1e-9)},
                       {"others", xh_json_number(work.others)}));
    if (work.is_checked)
        XH_JSON_SET(json_array_get(list, 0),
                    {"rows_wrong", json_integer(work.wrong)},
                    {"rows_compared", json_integer(work.compared)},
                    {"rows_closest", xh_json_number(work.closest)});
    if (work.has_devices)
        XH_JSON_SET(
            json_array_get(list, 0),
            {"link_up_bytes", xh_json_number(work.link_up)},
            {"link_down_bytes", xh_json_number(work.link_down)},
            {"planned_up_bytes", xh_json_number(work.planned_up)},
            {"planned_down_bytes", xh_json_number(work.planned_down)},
            {"operations", json_integer(work.operations)},
            {"iteration_operations", json_integer(work.iteration_operations)});
    return list;
}

/* The clocks of this host; an empty list on all processes but the first of the
 * host. */
static json_t *my_clocks(const xhpl_phase_t *p)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    json_t *list = json_array();
    int length;

    if (p->read == NULL)
        return list;
    MPI_Get_processor_name(host, &length);
    json_array_append_new(
        list, XH_JSON_OBJECT(
                  {"host", xh_json_text(host)},
                  {"samples", json_integer(p->phase_samples)},
                  {"mhz_least", xh_json_number(p->clocks.least)},
                  {"mhz_mean", xh_json_number(p->clocks.mean / p->samples)},
                  {"mhz_most", xh_json_number(p->clocks.most)},
                  {"temperature_celsius", xh_json_number(p->clocks.celsius)}));
    return list;
}

/* phase_samples is the number of samples before the end of the phase; a phase
 * without any has one after it. */
static json_t *clocks_of(const device_clocks_t *d, int phase_samples)
{
    return XH_JSON_OBJECT(
        {"rank", json_integer(xhpl_rank(MPI_COMM_WORLD))},
        {"name", xh_json_text(d->name)},
        {"samples", json_integer(Mmin(phase_samples, d->samples))},
        {"mhz_least", xh_json_number(1e-6 * d->least)},
        {"mhz_mean", xh_json_number(1e-6 * d->mean / d->samples)},
        {"mhz_most", xh_json_number(1e-6 * d->most)},
        {"temperature_celsius", xh_json_number(d->celsius)},
        {"power_watts", xh_json_number(d->watts / d->samples)});
}

/* The clocks of this process's devices, if known. */
static json_t *my_device_clocks(const xhpl_phase_t *p)
{
    json_t *list = json_array();

    for (const device_clocks_t *d = p->device; d < p->device + p->devices; d++)
        if (d->samples > 0)
            json_array_append_new(list, clocks_of(d, p->phase_samples));
    return list;
}

/* Join the lists of all processes; NULL if all are empty, or if earlier tests
 * have used up the space. */
static json_t *joined(xhpl_phase_t *p, MPI_Comm comm, json_t *mine)
{
    json_t *all = xhpl_record_gather(comm, mine);

    if (json_array_size(all) == 0 || p->list_objects >= MOST) {
        json_decref(all);
        return NULL;
    }
    p->list_objects += json_array_size(all);
    return all;
}

json_t *xhpl_phase_stop(xhpl_phase_t *p, MPI_Comm comm,
                        const hpl_system_t *system, bool has_devices)
{
    double mine[COUNTERS], joules[COUNTERS];
    struct timespec end;
    json_t *ranks, *clocks, *of_devices;

    clock_gettime(CLOCK_REALTIME, &end);
    set_running(p, false);
    read_energy(p, mine);
    for (int i = 0; i < COUNTERS; i++)
        mine[i] -= p->before[i];
    MPI_Reduce(mine, joules, COUNTERS, MPI_DOUBLE, MPI_SUM, 0, comm);
    ranks = joined(p, comm, my_work(system));
    clocks = joined(p, comm, my_clocks(p));
    of_devices = joined(p, comm, my_device_clocks(p));
    if (xhpl_rank(comm) != 0)
        return NULL;
    return XH_JSON_OBJECT(
        {"start", xh_json_moment(&p->start)}, {"end", xh_json_moment(&end)},
        {"energy",
         XH_JSON_OBJECT(
             {"source", xh_json_text("RAPL and NVML, diagnostic only")},
             {"package_joules", xh_json_number(joules[PACKAGE])},
             {"dram_joules", xh_json_number(joules[DRAM])},
             {"device_joules",
              xh_json_number(has_devices ? joules[DEVICES] : NAN)})},
        {"ranks", ranks}, {"clocks", clocks}, {"device_clocks", of_devices});
}
