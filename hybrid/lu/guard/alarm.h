/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"

/* What the online check found on this process. */
typedef struct {
    enum {
        HYB_FOUND_ROW,     /* a row of a place differs from its check columns */
        HYB_FOUND_PANEL,   /* a panel that was factored here has a NaN */
        HYB_FOUND_MESSAGE, /* a panel differs from what another process sent */
        HYB_FOUND_ROWS,    /* rows from another process have a NaN */
        HYB_FOUND_COPY,    /* a panel has changed since its seal was written */
        HYB_FOUND_SOLUTION, /* the back-substitution, done twice, differs */
        HYB_FOUND_KINDS
    } found;
    int since, iteration; /* it became wrong in one of these, or between */
    int64_t row, column;  /* of the whole matrix; -1: unknown */
    int from;             /* rank that sent the wrong data; -1: none did */
    int device;           /* device that computed them; -1: cores did */
    double size;          /* magnitude of the difference */
    double expected;      /* largest difference that rounding makes */
    double when;          /* seconds of xh_clock_now */
} hyb_alarm_t;

/* All alarms of a factorization, and how close right rows came to one. Any
 * thread writes them. */
typedef struct {
    _Atomic int count;
    _Atomic int64_t compared; /* rows compared so far */
    _Atomic double closest; /* largest difference of a right row / its bound */
    hyb_alarm_t first;
} hyb_alarms_t;

/* Log and count an alarm. With on_error=stop, end the job. In the self-test,
 * log the first one as the error of its executor, and go on. */
void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm);

/* End the job because of an alarm that was raised. */
_Noreturn void hyb_alarm_end(const hyb_lu_t *lu);

/* Note that a difference of this size was within its bound. */
void hyb_alarm_note(hyb_lu_t *lu, double size, double bound);

/* Write what the online check found in a factorization into work. */
void hyb_alarm_report(const hyb_lu_t *lu, hpl_work_t *work);

/* Return the first alarm, or NULL if there was none. */
const hyb_alarm_t *hyb_alarm_first(const hyb_lu_t *lu);
