/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"

typedef struct {
    const char *letter;
    double factor;
} unit_t;

static bool read_amount(const char *text, const unit_t *unit, int units,
                        double *amount_p)
{
    char *end;
    double amount = strtod(text, &end);

    if (end == text || !(amount > 0.0) || !isfinite(amount))
        return false;
    for (int i = 0; i < units; i++)
        if (strcmp(end, unit[i].letter) == 0) {
            *amount_p = amount * unit[i].factor;
            return true;
        }
    return false;
}

bool hyb_read_duration(const char *text, double *seconds_p)
{
    static const unit_t unit[] = {
        {"s", 1.0}, {"", 1.0}, {"m", 60.0}, {"h", 3600.0}};

    return read_amount(text, unit, 4, seconds_p);
}

bool hyb_read_bytes(const char *text, double *bytes_p)
{
    static const unit_t unit[] = {
        {"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

    return read_amount(text, unit, 5, bytes_p);
}

bool hyb_checkpoint_is_asked(const char *setting)
{
    return xh_settings_text(setting)[0] != '\0';
}

bool hyb_checkpoint_are_asked(void)
{
    return hyb_checkpoint_is_asked("checkpoint") ||
           hyb_checkpoint_is_asked("restart");
}

double hyb_checkpoint_every(void)
{
    double seconds = 0.0;

    hyb_read_duration(xh_settings_text("every"), &seconds);
    return seconds;
}

double hyb_checkpoint_bandwidth(void)
{
    double bytes = 0.0;

    hyb_read_bytes(xh_settings_text("checkpoint_bandwidth"), &bytes);
    return bytes;
}

/* option, which is a setting as well. */
static xh_status_t refuse(const char *option, const char *setting,
                          const char *allowed)
{
    xh_log_error("--%s: '%.80s' is not allowed; allowed: %s", option,
                 xh_settings_text(setting), allowed);
    return XH_ERR_INPUT;
}

xh_status_t hyb_checkpoint_check_settings(void)
{
    if (hyb_checkpoint_every() == 0.0)
        return refuse("every", "every",
                      "a time above 0, such as 90s, 30m or 2h");
    if (hyb_checkpoint_is_asked("checkpoint_bandwidth") &&
        hyb_checkpoint_bandwidth() == 0.0)
        return refuse("checkpoint-bandwidth", "checkpoint_bandwidth",
                      "bytes a second, such as 500M or 2G");
    return XH_OK;
}
