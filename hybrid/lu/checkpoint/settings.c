/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"

bool hyb_read_duration(const char *text, double *seconds_p)
{
    static const struct {
        const char *letter;
        double seconds;
    } unit[] = {{"s", 1.0}, {"", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    char *end;
    double amount = strtod(text, &end);

    if (end == text || !(amount > 0.0) || !isfinite(amount))
        return false;
    for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
        if (strcmp(end, unit[i].letter) == 0) {
            *seconds_p = amount * unit[i].seconds;
            return true;
        }
    return false;
}

bool hyb_checkpoint_are_asked(void)
{
    return xh_settings_text("checkpoint")[0] != '\0' ||
           xh_settings_text("restart")[0] != '\0';
}

double hyb_checkpoint_every(void)
{
    double seconds = 0.0;

    hyb_read_duration(xh_settings_text("every"), &seconds);
    return seconds;
}

xh_status_t hyb_checkpoint_check_settings(void)
{
    if (hyb_checkpoint_every() > 0.0)
        return XH_OK;
    xh_log_error("--every: '%.80s' is not allowed; allowed: a time above 0, "
                 "such as 90s, 30m or 2h",
                 xh_settings_text("every"));
    return XH_ERR_INPUT;
}
