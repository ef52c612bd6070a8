/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/*
 * The plug-in hip: on the model of its libraries, or on a device where there is
 * one and no model.
 */
#include <math.h>
#include "hybrid/device/device.h"
#include "testing/unit/device/device_cases.h"
#include "testing/unit/device/model_fixture.h"

static bool has_model;

static int open_device(void **state)
{
    has_model = has_model || model_fixture_begin("");
    return has_model ? model_fixture_open("hip", state)
                     : device_cases_open("hip", state);
}

static uint64_t free_now(hyb_device_t *device)
{
    hyb_device_info_t info;

    assert_ok(hyb_device_describe(device, &info));
    return info.memory_free;
}

TEST_WITH(a_device_that_closes_leaves_nothing, open_device, NULL)
{
    const device_fixture_t *f = device_cases_fixture(state, HYB_OP_COPY_IN);

    assert_ok(device_cases_finish(f->device, f->queue));
    device_cases_close(state);
    if (!has_model)
        skip();
    model_fixture_assert_nothing_left();
}

/* Of the second device. */
TEST(sensors_are_those_of_the_devices_address)
{
    hyb_device_t *device;
    hyb_device_sensors_t sensors;
    hyb_device_info_t info;
    hyb_buffer_t *buffer = NULL;

    if (!model_fixture_begin(""))
        skip();
    device = model_fixture_device("hip", 1);
    assert_ok(hyb_device_sensors(device, &sensors));
    assert_true(fabs(sensors.temperature - 45.5) < 1e-6);
    assert_true(fabs(sensors.clock - 1.7e9) < 1e-6);
    assert_true(fabs(sensors.power - 300.5) < 1e-6);
    assert_true(fabs(sensors.energy - 30500) < 1e-6);
    assert_ok(hyb_device_describe(device, &info));
    assert_string_equal(info.serial, "PCB000001");
    assert_ok(hyb_buffer_create(device, 1 << 20, &buffer));
    assert_int_equal(info.memory_free - 1048576, free_now(device));
    hyb_buffer_destroy(buffer);
    hyb_device_close(device);
}

DEVICE_CASES(open_device)
