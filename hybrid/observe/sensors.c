/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/sensors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/sysfile.h"

enum { ZONES = 16 };

/* The clock in MHz that the frequency driver reports; NaN: unknown. */
static double driver_clock(const char *root, int cpu)
{
    char file[96];
    int64_t khz;

    snprintf(file, sizeof(file),
             "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    return xh_sysfile_number(root, file, &khz) ? (double)khz * 1e-3 : NAN;
}

/* The highest temperature in the machine, in degrees Celsius. */
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

/* Add a clock to `spread`, whose `mean` holds the sum; ignore NaN. Returns the
 * number of clocks added. */
static int add(hpl_clocks_t *spread, double mhz)
{
    if (isnan(mhz))
        return 0;
    spread->least = fmin(spread->least, mhz);
    spread->most = fmax(spread->most, mhz);
    spread->mean += mhz;
    return 1;
}

/* Add the clocks of all cpus from /proc/cpuinfo. Returns their number. */
static int add_from_cpuinfo(const char *root, const int *cpus, int count,
                            hpl_clocks_t *spread)
{
    char path[XH_SYSFILE_PATH], line[256];
    long cpu = -1;
    int added = 0;
    double mhz;
    FILE *in = NULL;

    if (xh_sysfile_path(root, "proc/cpuinfo", path))
        in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        sscanf(line, "processor : %ld", &cpu);
        if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
            continue;
        for (int i = 0; i < count; i++)
            if (cpus[i] == cpu)
                added += add(spread, mhz);
    }
    if (in != NULL)
        fclose(in);
    return added;
}

hpl_clocks_t hyb_sensors_clocks(const char *root, const int *cpus, int count)
{
    hpl_clocks_t spread = {.least = NAN, .most = NAN};
    int added = 0;

    for (int i = 0; i < count; i++)
        added += add(&spread, driver_clock(root, cpus[i]));
    if (added == 0)
        added = add_from_cpuinfo(root, cpus, count, &spread);
    spread.mean = added > 0 ? spread.mean / added : NAN;
    spread.celsius = temperature(root);
    return spread;
}
