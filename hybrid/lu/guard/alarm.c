/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/alarm.h"

#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl/pauxil/abort.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/lu.h"

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
    static const char *const what[HYB_FOUND_KINDS] = {
        "a row of the matrix is wrong", "a panel is wrong",
        "a panel that came is wrong", "rows that came are wrong",
        "a copy of a panel is wrong", "the back-substitution is wrong"};
    int at = 0;

    if (a->since < a->iteration)
        at = snprintf(text, size, "iterations %d to %d: ", a->since,
                      a->iteration);
    else
        at = snprintf(text, size, "iteration %d: ", a->iteration);
    at += snprintf(text + at, size - (size_t)at, "%s", what[a->found]);
    at = add(text, size, at, ", row %lld", a->row);
    at = add(text, size, at, ", column %lld", a->column);
    at = add(text, size, at, ", from rank %lld", a->from);
    if (a->device < 0 && a->from < 0)
        at += snprintf(text + at, size - (size_t)at, ", by cores");
    at = add(text, size, at, ", by device %lld", a->device);
    if (a->expected > 0.0)
        snprintf(text + at, size - (size_t)at,
                 ": it differs from its check columns by %.3g, by rounding at "
                 "most %.3g",
                 a->size, a->expected);
}

void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm)
{
    enum { SAID = 8 };
    hyb_alarms_t *all = &lu->check->found;
    int before = atomic_fetch_add(&all->count, 1);
    char text[256];

    if (before == 0) {
        all->first = *alarm;
        all->first.when = xh_clock_now();
    }
    describe(alarm, text, sizeof(text));
    if (before < SAID)
        xh_log_error("%s", text);
    if (strcmp(xh_settings_text("on_error"), "report") != 0)
        hpl_abort_job_as(XH_EXIT_FAILED);
}

/* Not exact where two threads meet. */
void hyb_alarm_note(hyb_lu_t *lu, double size, double bound)
{
    hyb_alarms_t *all = &lu->check->found;
    double part = bound > 0.0 ? size / bound : 0.0;

    if (part > atomic_load(&all->closest))
        atomic_store(&all->closest, part);
}

void hyb_alarm_report(const hyb_lu_t *lu, hpl_work_t *work)
{
    work->is_checked = lu->check != NULL;
    if (lu->check == NULL)
        return;
    work->wrong = atomic_load(&lu->check->found.count);
    work->compared = atomic_load(&lu->check->found.compared);
    work->closest = atomic_load(&lu->check->found.closest);
}

const hyb_alarm_t *hyb_alarm_first(const hyb_lu_t *lu)
{
    return lu->check != NULL && atomic_load(&lu->check->found.count) > 0
               ? &lu->check->found.first
               : NULL;
}
