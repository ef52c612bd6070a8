/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/sensors.h"

#include <math.h>
#include "testing/unit/fake_root.h"
#include "testing/unit/unit.h"

TEST(what_is_not_told_is_nan)
{
    hyb_sensors_t sensors = hyb_sensors_read(fake_root_create(), 0);

    fake_root_destroy();
    assert_true(isnan(sensors.mhz) && isnan(sensors.celsius));
}

TEST(the_clock_is_that_of_the_processor)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    fake_root_write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
                    "1400000\n");
    fake_root_write("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq",
                    "2900000\n");
    sensors = hyb_sensors_read(root, 2);
    fake_root_destroy();
    assert_true(sensors.mhz == 2900.0);
}

TEST(cpuinfo_tells_a_clock_where_nothing_else_does)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    fake_root_write("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2100.5\n");
    sensors = hyb_sensors_read(root, 7);
    fake_root_destroy();
    assert_true(sensors.mhz == 2100.5);
}

TEST(the_hottest_sensor_counts)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    fake_root_write("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    fake_root_write("/sys/class/thermal/thermal_zone3/temp", "61500\n");
    fake_root_write("/sys/class/hwmon/hwmon1/temp1_input", "97000\n");
    fake_root_write("/sys/class/hwmon/hwmon2/temp1_input", "no number\n");
    sensors = hyb_sensors_read(root, 0);
    fake_root_destroy();
    assert_true(sensors.celsius == 97.0);
}

static hpl_clocks_t clocks_of(const char *root, int count)
{
    static const int cpus[] = {0, 2, 4};
    hpl_clocks_t clocks = hyb_sensors_clocks(root, cpus, count);

    fake_root_destroy();
    return clocks;
}

TEST(of_several_clocks_the_spread_is_told)
{
    const char *root = fake_root_create();
    hpl_clocks_t clocks;

    fake_root_write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
                    "1400000\n");
    fake_root_write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
                    "900000\n");
    fake_root_write("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq",
                    "2900000\n");
    fake_root_write("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    clocks = clocks_of(root, 3);
    assert_true(clocks.least == 1400.0 && clocks.most == 2900.0);
    assert_true(clocks.mean == 2150.0 && clocks.celsius == 45.0);
}

TEST(cpuinfo_tells_the_clock_of_each_processor)
{
    const char *root = fake_root_create();
    hpl_clocks_t clocks;

    fake_root_write("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2000.5\n\n"
                                     "processor\t: 1\ncpu MHz\t\t: 900.0\n\n"
                                     "processor\t: 2\ncpu MHz\t\t: 3000.5\n");
    clocks = clocks_of(root, 2);
    assert_true(clocks.least == 2000.5 && clocks.most == 3000.5);
    assert_true(clocks.mean == 2500.5 && isnan(clocks.celsius));
}

TEST(clocks_that_nobody_tells_are_nan)
{
    hpl_clocks_t clocks = clocks_of(fake_root_create(), 3);

    assert_true(isnan(clocks.least) && isnan(clocks.mean));
    assert_true(isnan(clocks.most) && isnan(clocks.celsius));
}

TEST_MAIN()
