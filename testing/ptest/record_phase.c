/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_phase.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "testing/json/json.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/record_clocks.h"
#include "testing/ptest/record_energy.h"
#include "testing/ptest/record_parts.h"

/* Lists of thousands of tests of thousands of processes fill the memory. */
enum { MOST = 16384 }; /* objects kept of earlier tests: a few MB */

/* s; reading the clocks of many cores takes one core some milliseconds */
static const double first_reading = 1, between_readings = 10;

struct xhpl_phase {
    xhpl_clocks_t *clock;
    xhpl_energy_t *energy;            /* on the first process of each node */
    double before[XHPL_ENERGY_KINDS]; /* J */
    double devices_before;            /* J of this process's devices */
    struct timespec start, end;
    /* on process 0, of the last phase */
    double joules[XHPL_ENERGY_KINDS]; /* of all nodes */
    double devices_joules;            /* of all devices */
    json_t *ranks, *clocks;           /* NULL: added to their test */
    int64_t kept; /* objects of such lists in all tests so far */
};

xh_status_t xhpl_phase_open(xhpl_phase_t **phase_p)
{
    xhpl_phase_t *phase = calloc(1, sizeof(*phase));
    int local_rank = xhpl_local_rank();
    xh_status_t status = phase != NULL ? XH_OK : XH_ERR_MEMORY;

    if (status == XH_OK && local_rank == 0)
        status = xhpl_energy_open("", &phase->energy);
    if (status == XH_OK)
        status = xhpl_clocks_open(local_rank, first_reading, between_readings,
                                  phase->energy, &phase->clock);
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
    xhpl_clocks_close(phase->clock); /* which reads the energy */
    xhpl_energy_close(phase->energy);
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

/* Replace the list of the test before, if it is still there. */
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

static json_t *energy_of(const xhpl_phase_t *phase, const json_t *root)
{
    bool devices = json_array_size(json_object_get(root, "devices")) > 0;

    return XH_JSON_OBJECT(
        {"source", xh_json_text("RAPL and NVML, diagnostic only")},
        {"package_joules", xh_json_number(phase->joules[XHPL_ENERGY_PACKAGE])},
        {"dram_joules", xh_json_number(phase->joules[XHPL_ENERGY_DRAM])},
        {"device_joules",
         xh_json_number(devices ? phase->devices_joules : NAN)});
}

void xhpl_phase_add(xhpl_phase_t *phase, const json_t *root, json_t *test)
{
    json_t *ranks = xh_json_within(phase->ranks, MOST, &phase->kept);
    json_t *clocks = xh_json_within(phase->clocks, MOST, &phase->kept);

    phase->ranks = phase->clocks = NULL;
    XH_JSON_SET(test, {"start", xh_json_moment(&phase->start)},
                {"end", xh_json_moment(&phase->end)},
                {"energy", energy_of(phase, root)}, {"ranks", ranks},
                {"clocks", clocks});
}
