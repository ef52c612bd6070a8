/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include <stdio.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl/pauxil/abort.h"

static bool ends_job(const hyb_alarm_t *alarm)
{
    return !alarm->is_repaired &&
           strcmp(xh_settings_text("on_error"), "report") != 0;
}

/* Text and, where it is known, a number. */
static int add(char *text, size_t size, int at, const char *what,
               int64_t number)
{
    if (number < 0)
        return at;
    return at + snprintf(text + at, size - (size_t)at, what, (long long)number);
}

static void describe(const hyb_alarm_t *a, char *text, size_t size)
{
    static const char *const phases[HYB_FOUND_KINDS] = {
        "the update", "a panel", "a panel that came", "rows that came",
        "U in memory"};
    int at = snprintf(text, size, "iteration %d: %s is wrong", a->iteration,
                      phases[a->found]);

    at = add(text, size, at, ", block column %lld", a->block);
    at = add(text, size, at, ", column %lld", a->column);
    at = add(text, size, at, ", row %lld", a->row);
    at = add(text, size, at, ", from rank %lld", a->from);
    if (a->device < 0 && a->from < 0)
        at += snprintf(text + at, size - (size_t)at, ", by cores");
    at = add(text, size, at, ", by device %lld", a->device);
    if (a->expected > 0.0)
        snprintf(text + at, size - (size_t)at,
                 ": sums differ by %.3g, by rounding at most %.3g", a->size,
                 a->expected);
}

void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm)
{
    enum { SAID = 8 };
    struct hyb_carried *c = lu->carried;
    int before = atomic_fetch_add(&c->found.count, 1);
    char text[256];

    if (before == 0)
        c->found.first = *alarm;
    if (alarm->is_repaired)
        atomic_fetch_add(&c->found.repaired, 1);
    describe(alarm, text, sizeof(text));
    if (before < SAID)
        xh_log_error("%s%s", text, alarm->is_repaired ? "; repaired" : "");
    if (ends_job(alarm))
        hpl_abort_job_as(XH_EXIT_FAILED);
}
