/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/health.h"

#include <math.h>
#include <stdlib.h>
#include "base/median.h"

static const double clearly = 0.7; /* of what it could be is slow */
static const double all = 0.75;    /* of the processes, more than that, are */
static const double much = 0.3;    /* of the time is much waiting */
static const double crowded = 0.1; /* of the time is too much for others */

/* Where half are slow their median is, too, and tells nothing about them: each
 * is compared with what it could be itself. */
static hyb_verdict_t judge_all(const hyb_pulse_t *pulse, int count, double *x)
{
    int slow = 0, slowest = 0;

    for (int i = 0; i < count; i++) {
        x[i] = pulse[i].rate / fmax(pulse[i].usual, pulse[i].planned);
        slow += x[i] < clearly;
        if (x[i] < x[slowest])
            slowest = i;
    }
    if (2 * slow <= count)
        return (hyb_verdict_t){.condition = HYB_HEALTHY};
    if (slow <= all * count)
        return (hyb_verdict_t){HYB_MOST_SLOW, slowest, slow - 1,
                               xh_median(x, count)};
    return (hyb_verdict_t){.condition = HYB_ALL_SLOW,
                           .share = xh_median(x, count)};
}

/* The median of the others is that of all, or next to it. */
static double median_without(const double *sorted, int count, double x)
{
    int middle = (count - 1) / 2;

    if (count % 2 == 0)
        return sorted[x <= sorted[middle] ? middle + 1 : middle];
    if (x <= sorted[middle])
        return 0.5 * (sorted[middle] + sorted[middle + 1]);
    return 0.5 * (sorted[middle - 1] + sorted[middle]);
}

static hyb_verdict_t judge_each(const hyb_pulse_t *pulse, int count, double *x)
{
    hyb_verdict_t v = {.condition = HYB_HEALTHY, .others = -1, .share = 1.0};

    for (int i = 0; i < count; i++)
        x[i] = pulse[i].rate;
    xh_sort(x, count);
    for (int i = 0; i < count; i++) {
        double share = pulse[i].rate / median_without(x, count, pulse[i].rate);

        if (share >= clearly)
            continue;
        v.condition = HYB_SLOW_PROCESS;
        v.others++;
        if (share < v.share) {
            v.share = share;
            v.process = i;
        }
    }
    return v;
}

/*
 * A process waits for panels of other columns, and for those who have more to
 * do. What it waits beyond that is messages on their way; where others have
 * turns on its cores, waits tell nothing about messages. panel: zeros.
 */
static hyb_verdict_t judge_messages(const hyb_pulse_t *pulse, int count,
                                    int columns, double *x, double *panel)
{
    double work = 0.0, panels = 0.0, most = -1.0;
    hyb_verdict_t v = {.condition = HYB_HEALTHY};

    for (int i = 0; i < count; i++) {
        double *longest = &panel[pulse[i].column];

        if (pulse[i].turns > crowded)
            return v;
        work = fmax(work, pulse[i].work);
        *longest = fmax(*longest, pulse[i].panel);
    }
    for (int i = 0; i < columns; i++)
        panels += panel[i];
    for (int i = 0; i < count; i++) {
        const hyb_pulse_t *p = &pulse[i];

        x[i] = p->wait - (work - p->work) - (panels - panel[p->column]);
        if (x[i] > most) {
            most = x[i];
            v.process = i;
        }
    }
    v.share = xh_median(x, count);
    if (v.share > much)
        v.condition = HYB_SLOW_MESSAGES;
    return v;
}

hyb_verdict_t hyb_verdict(const hyb_pulse_t *pulse, int count, int columns)
{
    hyb_verdict_t v = {.condition = HYB_TOO_EARLY};
    double *x;

    for (int i = 0; i < count; i++)
        if (pulse[i].rate <= 0.0 || pulse[i].usual <= 0.0)
            return v;
    x = calloc((size_t)(count + columns), sizeof(*x));
    if (x == NULL)
        return v;
    v = judge_all(pulse, count, x);
    if (v.condition == HYB_HEALTHY && count > 1)
        v = judge_each(pulse, count, x);
    if (v.condition == HYB_HEALTHY && count > 1)
        v = judge_messages(pulse, count, columns, x, x + count);
    free(x);
    return v;
}
