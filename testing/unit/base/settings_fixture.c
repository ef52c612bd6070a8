/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/base/settings_fixture.h"

#include <ctype.h>

/* XHPL_ and the row's name, in capitals. */
static void variable_of(const xh_setting_t *row, char *name_p, size_t size)
{
    snprintf(name_p, size, "XHPL_%s", row->name);
    for (size_t i = 0; name_p[i] != '\0'; i++)
        name_p[i] = (char)toupper((unsigned char)name_p[i]);
}

int settings_forget(void **state)
{
    char name[128];

    (void)state;
    for (int i = 0; i < xh_settings_count(); i++) {
        variable_of(xh_settings_row(i), name, sizeof(name));
        unsetenv(name);
    }
    return xh_settings_load() != XH_OK;
}
