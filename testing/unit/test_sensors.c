/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/driver/diagnosis/sensors.h"

#include <math.h>
#include "testing/unit/fake_root.h"
#include "testing/unit/unit.h"

static void what_is_not_told_is_nan(void **state)
{
    hyb_sensors_t sensors = hyb_sensors_read(fake_root_create(), 0);

    (void)state;
    fake_root_destroy();
    assert_true(isnan(sensors.mhz) && isnan(sensors.celsius));
}

static void the_clock_is_that_of_the_processor(void **state)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    (void)state;
    fake_root_write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
                    "1400000\n");
    fake_root_write("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq",
                    "2900000\n");
    sensors = hyb_sensors_read(root, 2);
    fake_root_destroy();
    assert_true(sensors.mhz == 2900.0);
}

static void cpuinfo_tells_a_clock_where_nothing_else_does(void **state)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    (void)state;
    fake_root_write("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2100.5\n");
    sensors = hyb_sensors_read(root, 7);
    fake_root_destroy();
    assert_true(sensors.mhz == 2100.5);
}

static void the_hottest_sensor_counts(void **state)
{
    const char *root = fake_root_create();
    hyb_sensors_t sensors;

    (void)state;
    fake_root_write("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    fake_root_write("/sys/class/thermal/thermal_zone3/temp", "61500\n");
    fake_root_write("/sys/class/hwmon/hwmon1/temp1_input", "97000\n");
    fake_root_write("/sys/class/hwmon/hwmon2/temp1_input", "no number\n");
    sensors = hyb_sensors_read(root, 0);
    fake_root_destroy();
    assert_true(sensors.celsius == 97.0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(what_is_not_told_is_nan),
    cmocka_unit_test(the_clock_is_that_of_the_processor),
    cmocka_unit_test(cpuinfo_tells_a_clock_where_nothing_else_does),
    cmocka_unit_test(the_hottest_sensor_counts),
};

UNIT_MAIN(cases)
