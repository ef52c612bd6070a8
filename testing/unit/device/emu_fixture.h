/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdarg.h>
#include "base/settings.h"
#include "hybrid/device/device.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_cases.h"

/* What only the tests of emulated devices have in common. */
static inline int emu_default_settings(void **state)
{
    (void)state;
    return xh_settings_load() != XH_OK;
}

/* A set-up function for the cases that all backends share: none is skipped. */
static inline int emu_open_shared(void **state)
{
    return device_cases_open("emu", state) != 0 || *state == NULL;
}

/* Open device index with settings, "name=value" each, up to a NULL. */
static inline hyb_device_t *emu_open(int index, ...)
{
    hyb_device_choice_t choice = {NULL, index};
    hyb_device_t *device = NULL;
    const char *assignment;
    va_list settings;

    va_start(settings, index);
    while ((assignment = va_arg(settings, const char *)) != NULL)
        assert_ok(xh_settings_assign(assignment));
    va_end(settings);
    choice.backend = device_cases_backend("emu");
    assert_ok(hyb_device_open(choice, NULL, 0, &device));
    return device;
}
