/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/driver/diagnosis/sensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/sysfile.h"

enum { ZONES = 16 };

static double clock_of(const char *root, int cpu)
{
    char folder[XH_SYSFILE_PATH], text[64];
    int64_t khz;

    snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu/cpu%d/cpufreq",
             root, cpu);
    if (xh_sysfile_number(folder, "scaling_cur_freq", &khz))
        return (double)khz * 1e-3;
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
