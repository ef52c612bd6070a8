/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sysfile.h"

/* one counter */
typedef struct {
    const char *folder;
    int kind;
    int64_t last, range; /* uJ */
    double joules;       /* since open; NAN: a read failed */
} zone_t;

struct xhpl_energy {
    glob_t folders; /* of all zones */
    int zones;
    zone_t *zone; /* of a kind */
};

/* The kind of the zone of that name; -1: neither package nor memory. */
static int kind_of(const char *name)
{
    if (strncmp(name, "package", 7) == 0)
        return XHPL_ENERGY_PACKAGE;
    return strcmp(name, "dram") == 0 ? XHPL_ENERGY_DRAM : -1;
}

static void add_zone(xhpl_energy_t *energy, const char *folder)
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

xh_status_t xhpl_energy_open(const char *root, xhpl_energy_t **energy_p)
{
    xhpl_energy_t *energy = calloc(1, sizeof(*energy));
    char pattern[XH_SYSFILE_PATH];

    if (energy == NULL)
        return XH_ERR_MEMORY;
    snprintf(pattern, sizeof(pattern), "%s/sys/class/powercap/intel-rapl:*",
             root);
    if (glob(pattern, 0, NULL, &energy->folders) == 0)
        energy->zone = calloc(energy->folders.gl_pathc, sizeof(zone_t));
    for (size_t i = 0; energy->zone != NULL && i < energy->folders.gl_pathc;
         i++)
        add_zone(energy, energy->folders.gl_pathv[i]);
    *energy_p = energy;
    return XH_OK;
}

void xhpl_energy_read(xhpl_energy_t *energy, double joules_p[XHPL_ENERGY_KINDS])
{
    bool found[XHPL_ENERGY_KINDS] = {false};

    for (int kind = 0; kind < XHPL_ENERGY_KINDS; kind++)
        joules_p[kind] = NAN;
    for (int i = 0; i < energy->zones; i++) {
        zone_t *zone = &energy->zone[i];
        double *sum = &joules_p[zone->kind];

        advance(zone);
        *sum = found[zone->kind] ? *sum + zone->joules : zone->joules;
        found[zone->kind] = true;
    }
}

void xhpl_energy_close(xhpl_energy_t *energy)
{
    if (energy == NULL)
        return;
    globfree(&energy->folders);
    free(energy->zone);
    free(energy);
}
