/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/sensors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/sysfile.h"

enum { ZONES = 16 };

/* By the driver that sets it; NAN: there is none. */
static double driver_clock(const char *root, int cpu)
{
    char folder[XH_SYSFILE_PATH];
    int64_t khz;

    snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu/cpu%d/cpufreq",
             root, cpu);
    if (xh_sysfile_number(folder, "scaling_cur_freq", &khz))
        return (double)khz * 1e-3;
    return NAN;
}

static double clock_of(const char *root, int cpu)
{
    char folder[XH_SYSFILE_PATH], text[64];
    double mhz = driver_clock(root, cpu);

    if (!isnan(mhz))
        return mhz;
    snprintf(folder, sizeof(folder), "%s/proc", root);
    if (xh_sysfile_value(folder, "cpuinfo", "cpu MHz", text, sizeof(text)))
        return strtod(text, NULL);
    return NAN;
}

/* The larger of celsius, which may be NAN, and the sensor's. */
static double hotter(const char *folder, const char *file, double celsius)
{
    int64_t thousandths;

    if (!xh_sysfile_number(folder, file, &thousandths))
        return celsius;
    return fmax(celsius, (double)thousandths * 1e-3);
}

static double temperature(const char *root)
{
    char folder[XH_SYSFILE_PATH];
    double celsius = NAN;
    int i;

    for (i = 0; i < ZONES; i++) {
        snprintf(folder, sizeof(folder), "%s/sys/class/thermal/thermal_zone%d",
                 root, i);
        celsius = hotter(folder, "temp", celsius);
        snprintf(folder, sizeof(folder), "%s/sys/class/hwmon/hwmon%d", root, i);
        celsius = hotter(folder, "temp1_input", celsius);
    }
    return celsius;
}

hyb_sensors_t hyb_sensors_read(const char *root, int cpu)
{
    return (hyb_sensors_t){.mhz = clock_of(root, cpu),
                           .celsius = temperature(root)};
}

/* ---- several processors -------------------------------------------------- */

/* clocks, with their sum in mean */
typedef struct {
    hpl_clocks_t of;
    int count;
} spread_t;

static void add(spread_t *spread, double mhz)
{
    if (isnan(mhz))
        return;
    spread->of.least = fmin(spread->of.least, mhz);
    spread->of.most = fmax(spread->of.most, mhz);
    spread->of.mean += mhz;
    spread->count++;
}

static bool has(const int *cpus, int count, long cpu)
{
    int i;

    for (i = 0; i < count; i++)
        if (cpus[i] == cpu)
            return true;
    return false;
}

/* All from the one file that has those of all processors. */
static void add_from_cpuinfo(const char *root, const int *cpus, int count,
                             spread_t *spread)
{
    char path[XH_SYSFILE_PATH], line[256];
    long cpu = -1;
    double mhz;
    FILE *in = NULL;

    if (xh_sysfile_path(root, "proc/cpuinfo", path))
        in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        sscanf(line, "processor : %ld", &cpu);
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1 && has(cpus, count, cpu))
            add(spread, mhz);
    }
    if (in != NULL)
        fclose(in);
}

hpl_clocks_t hyb_sensors_clocks(const char *root, const int *cpus, int count)
{
    spread_t spread = {.of = {.least = NAN, .most = NAN}};
    int i;

    for (i = 0; i < count; i++)
        add(&spread, driver_clock(root, cpus[i]));
    if (spread.count == 0)
        add_from_cpuinfo(root, cpus, count, &spread);
    spread.of.mean = spread.count > 0 ? spread.of.mean / spread.count : NAN;
    spread.of.celsius = temperature(root);
    return spread.of;
}
