/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_energy.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/sysfile.h"

/*
 * A counter of 32 bits in units of 61 uJ wraps after 262 kJ, four minutes at
 * 1 kW.
 */
enum { PACKAGES = 64, PARTS = 4, ZONES = 128, SECONDS_BETWEEN = 10 };

/* one counter */
typedef struct {
    char folder[XH_SYSFILE_PATH];
    int kind;
    int64_t last, range; /* uJ */
    bool lost;           /* it could not be read */
    double joules;       /* since open */
} zone_t;

struct xhpl_energy {
    pthread_mutex_t lock;
    pthread_cond_t ending;
    pthread_t thread;
    bool watched, closed; /* a thread looks; it shall end */
    int zones;
    zone_t zone[ZONES];
};

/* The kind that the system's name of a zone means; -1 if none of ours. */
static int kind_of(const char *name)
{
    if (strncmp(name, "package", 7) == 0)
        return XHPL_ENERGY_PACKAGE;
    return strcmp(name, "dram") == 0 ? XHPL_ENERGY_DRAM : -1;
}

static void add_zone(xhpl_energy_t *energy, const char *folder)
{
    zone_t *zone = &energy->zone[energy->zones];
    char name[64];

    if (energy->zones == ZONES ||
        !xh_sysfile_line(folder, "name", name, sizeof(name)) ||
        kind_of(name) < 0)
        return;
    zone->kind = kind_of(name);
    zone->lost =
        !xh_sysfile_number(folder, "energy_uj", &zone->last) ||
        !xh_sysfile_number(folder, "max_energy_range_uj", &zone->range);
    snprintf(zone->folder, sizeof(zone->folder), "%s", folder);
    energy->zones++;
}

static void find_zones(xhpl_energy_t *energy, const char *root)
{
    char folder[XH_SYSFILE_PATH];

    for (int package = 0; package < PACKAGES; package++) {
        snprintf(folder, sizeof(folder), "%s/sys/class/powercap/intel-rapl:%d",
                 root, package);
        add_zone(energy, folder);
        for (int part = 0; part < PARTS; part++) {
            snprintf(folder, sizeof(folder),
                     "%s/sys/class/powercap/intel-rapl:%d:%d", root, package,
                     part);
            add_zone(energy, folder);
        }
    }
}

/* Under the lock: take what the counter has counted since the last time. */
static void advance(zone_t *zone)
{
    int64_t now, difference;

    if (!xh_sysfile_number(zone->folder, "energy_uj", &now)) {
        zone->lost = true;
        return;
    }
    difference = now - zone->last;
    if (difference < 0)
        difference += zone->range;
    zone->joules += 1e-6 * (double)difference;
    zone->last = now;
}

static void advance_all(xhpl_energy_t *energy)
{
    for (int i = 0; i < energy->zones; i++)
        advance(&energy->zone[i]);
}

static void *watch(void *argument)
{
    xhpl_energy_t *energy = argument;
    struct timespec until;

    pthread_mutex_lock(&energy->lock);
    while (!energy->closed) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += SECONDS_BETWEEN;
        pthread_cond_timedwait(&energy->ending, &energy->lock, &until);
        advance_all(energy);
    }
    pthread_mutex_unlock(&energy->lock);
    return NULL;
}

xh_status_t xhpl_energy_open(const char *root, xhpl_energy_t **energy_p)
{
    xhpl_energy_t *energy = calloc(1, sizeof(*energy));

    if (energy == NULL)
        return XH_ERR_MEMORY;
    pthread_mutex_init(&energy->lock, NULL);
    pthread_cond_init(&energy->ending, NULL);
    find_zones(energy, root);
    energy->watched = energy->zones > 0 &&
                      pthread_create(&energy->thread, NULL, watch, energy) == 0;
    *energy_p = energy;
    return XH_OK;
}

void xhpl_energy_read(xhpl_energy_t *energy, double joules_p[XHPL_ENERGY_KINDS])
{
    bool found[XHPL_ENERGY_KINDS] = {false};

    for (int kind = 0; kind < XHPL_ENERGY_KINDS; kind++)
        joules_p[kind] = 0;
    pthread_mutex_lock(&energy->lock);
    advance_all(energy);
    for (int i = 0; i < energy->zones; i++) {
        const zone_t *zone = &energy->zone[i];

        found[zone->kind] = true;
        joules_p[zone->kind] += zone->lost ? NAN : zone->joules;
    }
    pthread_mutex_unlock(&energy->lock);
    for (int kind = 0; kind < XHPL_ENERGY_KINDS; kind++)
        if (!found[kind] || !energy->watched)
            joules_p[kind] = NAN;
}

void xhpl_energy_close(xhpl_energy_t *energy)
{
    if (energy == NULL)
        return;
    if (energy->watched) {
        pthread_mutex_lock(&energy->lock);
        energy->closed = true;
        pthread_cond_signal(&energy->ending);
        pthread_mutex_unlock(&energy->lock);
        pthread_join(energy->thread, NULL);
    }
    pthread_cond_destroy(&energy->ending);
    pthread_mutex_destroy(&energy->lock);
    free(energy);
}
