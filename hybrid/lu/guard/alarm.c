/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/alarm.h"

#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl/pauxil/abort.h"

/* Append `what`, a format with one number, unless `number` is unknown (< 0). */
static int add(char *text, size_t size, int at, const char *what,
               int64_t number)
{
    if (number < 0)
        return at;
    return at + snprintf(text + at, size - (size_t)at, what, (long long)number);
}

/* Describe alarm `a` in `text`. If `named`, the caller's message already names
 * the executor. */
static void describe(const hyb_alarm_t *a, bool named, char *text, size_t size)
{
    static const char *const what[HYB_FOUND_KINDS] = {
        "a row of the matrix is wrong", "a panel is wrong",
        "a received panel is wrong",    "received rows are wrong",
        "a copy of a panel is wrong",   "the back-substitution is wrong"};
    int at = 0;

    if (a->first_iteration < a->iteration)
        at = snprintf(text, size, "iterations %d to %d: ", a->first_iteration,
                      a->iteration);
    else
        at = snprintf(text, size, "iteration %d: ", a->iteration);
    at += snprintf(text + at, size - (size_t)at, "%s", what[a->kind]);
    at = add(text, size, at, ", row %lld", a->row);
    at = add(text, size, at, ", column %lld", a->column);
    at = add(text, size, at, ", from rank %lld", a->sender);
    if (!named && a->device < 0 && a->sender < 0)
        at += snprintf(text + at, size - (size_t)at, ", by cores");
    if (!named)
        at = add(text, size, at, ", by device %lld", a->device);
    if (a->expected > 0.0)
        snprintf(text + at, size - (size_t)at,
                 ": it differs from its check columns by %.3g, and rounding "
                 "errors explain at most %.3g",
                 a->size, a->expected);
}

/* Log the alarm of a self-test with the executor under test and the device that
 * may be at fault; on one process only the device can be. */
static void log_self_test_alarm(const hyb_alarms_t *all, const hyb_alarm_t *a,
                                const char *text)
{
    const hyb_device_info_t *info;
    char device[64] = "";

    if (a->device >= 0) {
        info = hyb_machine_device_info(all->machine, a->device);
        snprintf(device, sizeof(device), "device %s:%d", info->backend,
                 info->index);
    }
    if (a->device >= 0 && all->is_alone)
        xh_log_error("trust: wrong result of %s: %s", device, text);
    else
        xh_log_error("trust: wrong result of %s%s%s: %s", all->self_test,
                     a->device >= 0 ? ", or " : "", device, text);
}

void hyb_alarm_end(const hyb_alarms_t *all)
{
    hpl_abort_job_as(all->self_test != NULL ? XH_EXIT_RUNTIME : XH_EXIT_FAILED);
}

void hyb_alarm_raise(hyb_alarms_t *all, hyb_alarm_t alarm)
{
    enum { LOGGED_MOST = 8 };
    int before = atomic_fetch_add(&all->count, 1);
    bool self_test = all->self_test != NULL;
    char text[256];

    if (before == 0) {
        all->first = alarm;
        all->first.seconds = xh_clock_now();
    }
    describe(&alarm, self_test, text, sizeof(text));
    if (self_test && before == 0)
        log_self_test_alarm(all, &alarm, text);
    if (self_test)
        return;
    if (before < LOGGED_MOST)
        xh_log_error("%s", text);
    if (strcmp(xh_settings_text("on_error"), "report") != 0)
        hyb_alarm_end(all);
}

/* If two threads call this at the same time, the larger value may be lost. */
void hyb_alarm_note(hyb_alarms_t *all, double size, double bound)
{
    double part = bound > 0.0 ? size / bound : 0.0;

    if (part > atomic_load(&all->closest))
        atomic_store(&all->closest, part);
}
