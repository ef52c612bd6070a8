/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/driver_fixture.h"

#include "base/log.h"
#include "base/settings.h"
#include "hybrid/driver/driver.h"
#include "testing/unit/unit.h"

void driver_set(const char *settings)
{
    char copy[256], *word, *rest = copy;

    assert_true(strlen(settings) < sizeof(copy));
    strcpy(copy, settings);
    while ((word = strtok_r(rest, " ", &rest)) != NULL)
        assert_int_equal(xh_settings_assign(word), XH_OK);
}

void driver_open(const char *settings)
{
    xh_log_limit(XH_LOG_WARNING);
    assert_int_equal(xh_settings_load(), XH_OK);
    driver_set("devices=none");
    driver_set(settings);
    assert_int_equal(hyb_driver_open(true), XH_OK);
}

void driver_close(void)
{
    hyb_driver_close();
}
