/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-in hip: on the model of its libraries, or on a device where there is
 * one and no model.
 */
#include "hybrid/device/device.h"
#include "testing/unit/device_cases.h"
#include "testing/unit/model_fixture.h"

static bool has_model;

static int open_device(void **state)
{
    has_model = has_model || model_fixture_begin("");
    return has_model ? model_fixture_open("hip", state)
                     : device_cases_open("hip", state);
}

TEST_WITH(a_device_that_closes_leaves_nothing, open_device, NULL)
{
    const device_fixture_t *f = device_cases_fixture(state);
    cuda_model_counts_t c;

    assert_ok(device_cases_finish(f->device, f->queue));
    device_cases_close(state);
    if (!has_model)
        skip();
    c = model_fixture_counts();
    assert_int_equal(c.memory, 0);
    assert_int_equal(c.streams, 0);
    assert_int_equal(c.events, 0);
    assert_int_equal(c.handles, 0);
    assert_int_equal(c.libraries, 0);
}

DEVICE_CASES(open_device)

TEST_MAIN()
