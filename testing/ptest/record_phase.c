/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_phase.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "testing/ptest/record_clocks.h"
#include "testing/ptest/record_devices.h"
#include "testing/ptest/record_energy.h"
#include "testing/ptest/record_parts.h"
#include "testing/ptest/record_ranks.h"
#include "testing/ptest/record_value.h"

/* Thousands of tests of thousands of processes would fill the memory. */
enum { MOST = 16384 }; /* objects in lists of tests before, a few MB */

/* s, at clocks: it takes a core some milliseconds where there are many */
static const double first_look = 1, between_looks = 10;

struct xhpl_phase {
    xhpl_clocks_t *clock;
    xhpl_energy_t *energy;            /* on the first process of each node */
    double before[XHPL_ENERGY_KINDS]; /* J */
    double devices_before;            /* the same of this process's devices */
    struct timespec start, end;
    /* on process 0 */
    double joules[XHPL_ENERGY_KINDS]; /* in it, of all nodes */
    double devices_joules;            /* in it, of all devices */
    json_t *ranks, *clocks; /* of the last one; NULL: they were added */
    int64_t kept;           /* objects of these, in all tests so far */
};

xh_status_t xhpl_phase_open(xhpl_phase_t **phase_p)
{
    xhpl_phase_t *phase = calloc(1, sizeof(*phase));
    int local_rank = xhpl_record_local_rank();
    xh_status_t status = phase != NULL ? XH_OK : XH_ERR_MEMORY;

    if (status == XH_OK)
        status = xhpl_clocks_open(local_rank, first_look, between_looks,
                                  &phase->clock);
    if (status == XH_OK && local_rank == 0)
        status = xhpl_energy_open("", &phase->energy);
    if (status == XH_OK)
        *phase_p = phase;
    else
        xhpl_phase_close(phase);
    return status;
}

void xhpl_phase_close(xhpl_phase_t *phase)
{
    if (phase == NULL)
        return;
    xhpl_energy_close(phase->energy);
    xhpl_clocks_close(phase->clock);
    json_decref(phase->ranks);
    json_decref(phase->clocks);
    free(phase);
}

void xhpl_phase_begin(xhpl_phase_t *phase)
{
    xhpl_clocks_begin(phase->clock);
}

void xhpl_phase_ready(xhpl_phase_t *phase)
{
    phase->devices_before = xhpl_record_devices_energy();
    if (phase->energy != NULL)
        xhpl_energy_read(phase->energy, phase->before);
}

void xhpl_phase_start(xhpl_phase_t *phase)
{
    xhpl_clocks_start(phase->clock);
    clock_gettime(CLOCK_REALTIME, &phase->start);
}

/* In place of that of the test before, whatever became of it. */
static void keep(json_t **list_p, json_t *list)
{
    json_decref(*list_p);
    *list_p = list;
}

void xhpl_phase_stop(xhpl_phase_t *phase, MPI_Comm comm,
                     const hpl_system_t *system)
{
    double after[XHPL_ENERGY_KINDS] = {0}, devices;

    clock_gettime(CLOCK_REALTIME, &phase->end);
    xhpl_clocks_stop(phase->clock);
    devices = xhpl_record_devices_energy() - phase->devices_before;
    if (phase->energy != NULL) {
        xhpl_energy_read(phase->energy, after);
        for (int kind = 0; kind < XHPL_ENERGY_KINDS; kind++)
            after[kind] -= phase->before[kind];
    }
    MPI_Reduce(after, phase->joules, XHPL_ENERGY_KINDS, MPI_DOUBLE, MPI_SUM, 0,
               comm);
    MPI_Reduce(&devices, &phase->devices_joules, 1, MPI_DOUBLE, MPI_SUM, 0,
               comm);
    keep(&phase->ranks, xhpl_record_ranks(comm, system));
    keep(&phase->clocks, xhpl_clocks_gather(phase->clock, comm));
}

/* ---- on process 0 -------------------------------------------------------- */

static double device_joules(const xhpl_phase_t *phase, const json_t *root)
{
    const json_t *devices = json_object_get(root, "devices");

    return json_array_size(devices) > 0 ? phase->devices_joules : NAN;
}

static json_t *energy_of(const xhpl_phase_t *phase, const json_t *root)
{
    json_t *object = json_object();

    xhpl_json_set_text(object, "source", "RAPL and NVML, diagnostic only");
    xhpl_json_set_number(object, "package_joules",
                         phase->joules[XHPL_ENERGY_PACKAGE]);
    xhpl_json_set_number(object, "dram_joules",
                         phase->joules[XHPL_ENERGY_DRAM]);
    xhpl_json_set_number(object, "device_joules", device_joules(phase, root));
    return object;
}

void xhpl_phase_add(xhpl_phase_t *phase, const json_t *root, json_t *test)
{
    json_object_set_new(test, "start", xhpl_json_moment(&phase->start));
    json_object_set_new(test, "end", xhpl_json_moment(&phase->end));
    json_object_set_new(test, "energy", energy_of(phase, root));
    json_object_set_new(test, "ranks",
                        xhpl_json_within(phase->ranks, MOST, &phase->kept));
    json_object_set_new(test, "clocks",
                        xhpl_json_within(phase->clocks, MOST, &phase->kept));
    phase->ranks = phase->clocks = NULL;
}
