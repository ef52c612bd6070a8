/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/*
 * The plug-in hip: on the model of its libraries, or on a device where there is
 * one and no model.
 */
#include <stdlib.h>
#include "hybrid/device/device.h"
#include "testing/unit/device/device_cases.h"
#include "testing/unit/device/model_fixture.h"

static bool has_model;

/* Tall panels take a launch a column: two groups, not three, can wait for each
 * other. */
static int open_device(void **state)
{
    setenv("CUDA_MODEL_PROCESSORS", "2", 1);
    has_model = has_model || model_fixture_begin("");
    return has_model ? model_fixture_open("hip", state)
                     : device_cases_open("hip", state);
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

DEVICE_CASES(open_device)
