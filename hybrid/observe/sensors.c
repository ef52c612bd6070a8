/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/sensors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/sysfile.h"

enum { ZONES = 16 };

/* By the driver that sets it; NAN: there is none. */
static double driver_clock(const char *root, int cpu)
{
    char file[96];
    int64_t khz;

    snprintf(file, sizeof(file),
             "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    return xh_sysfile_number(root, file, &khz) ? (double)khz * 1e-3 : NAN;
}

/* The hottest part of the machine. */
static double temperature(const char *root)
{
    static const char *const sensors[] = {
        "sys/class/thermal/thermal_zone%d/temp",
        "sys/class/hwmon/hwmon%d/temp1_input"};
    double celsius = NAN;
    char file[96];
    int64_t thousandths;

    for (int i = 0; i < 2 * ZONES; i++) {
        snprintf(file, sizeof(file), sensors[i % 2], i / 2);
        if (xh_sysfile_number(root, file, &thousandths))
            celsius = fmax(celsius, (double)thousandths * 1e-3);
    }
    return celsius;
}

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
    for (int i = 0; i < count; i++)
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

    for (int i = 0; i < count; i++)
        add(&spread, driver_clock(root, cpus[i]));
    if (spread.count == 0)
        add_from_cpuinfo(root, cpus, count, &spread);
    spread.of.mean = spread.count > 0 ? spread.of.mean / spread.count : NAN;
    spread.of.celsius = temperature(root);
    return spread.of;
}
