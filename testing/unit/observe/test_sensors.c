/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/sensors.h"

#include <math.h>
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

static const char *root;

static void write_clock(int cpu, const char *khz)
{
    char path[96];

    snprintf(path, sizeof(path),
             "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    fake_root_write(path, khz);
}

/* The clocks of the first processors of this list. */
static hpl_clocks_t clocks_of(int count)
{
    static const int cpus[] = {0, 2, 4};
    hpl_clocks_t clocks = hyb_sensors_clocks(root, cpus, count);

    fake_root_destroy();
    return clocks;
}

TEST(what_is_not_told_is_nan)
{
    hpl_clocks_t clocks;

    root = fake_root_create();
    clocks = clocks_of(3);
    assert_true(isnan(clocks.least) && isnan(clocks.mean));
    assert_true(isnan(clocks.most) && isnan(clocks.celsius));
}

TEST(the_hottest_sensor_counts)
{
    root = fake_root_create();
    fake_root_write("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    fake_root_write("/sys/class/thermal/thermal_zone3/temp", "61500\n");
    fake_root_write("/sys/class/hwmon/hwmon1/temp1_input", "97000\n");
    fake_root_write("/sys/class/hwmon/hwmon2/temp1_input", "no number\n");
    assert_true(clocks_of(1).celsius == 97.0);
}

TEST(of_several_clocks_the_spread_is_told)
{
    hpl_clocks_t clocks;

    root = fake_root_create();
    write_clock(0, "1400000\n");
    write_clock(1, "900000\n");
    write_clock(2, "2900000\n");
    fake_root_write("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    clocks = clocks_of(3);
    assert_true(clocks.least == 1400.0 && clocks.most == 2900.0);
    assert_true(clocks.mean == 2150.0 && clocks.celsius == 45.0);
}

TEST(cpuinfo_tells_the_clock_of_each_processor)
{
    hpl_clocks_t clocks;

    root = fake_root_create();
    fake_root_write("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2000.5\n\n"
                                     "processor\t: 1\ncpu MHz\t\t: 900.0\n\n"
                                     "processor\t: 2\ncpu MHz\t\t: 3000.5\n");
    clocks = clocks_of(2);
    assert_true(clocks.least == 2000.5 && clocks.most == 3000.5);
    assert_true(clocks.mean == 2500.5 && isnan(clocks.celsius));
}
