/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ALARM_H
#define HYB_ALARM_H

#include <stdatomic.h>
#include <stdint.h>
#include "hpl_solver.h"
#include "hybrid/lu/step.h"

/* What the online check found on this process. */
typedef struct {
    enum {
        HYB_FOUND_ROW,     /* a row of a place differs from its check columns */
        HYB_FOUND_PANEL,   /* a panel that was factored here has no numbers */
        HYB_FOUND_MESSAGE, /* a panel is not what another process sent */
        HYB_FOUND_ROWS,    /* rows that came have no numbers */
        HYB_FOUND_COPY,    /* a panel that was right has changed */
        HYB_FOUND_SOLUTION, /* the back-substitution, done twice, differs */
        HYB_FOUND_KINDS
    } found;
    int since, iteration; /* after the one, at the other at the latest */
    int64_t row, column;  /* of the whole matrix; -1: unknown */
    int from;             /* the process that sent it; -1: none */
    int device;           /* that computed it; -1: cores */
    double size;          /* of the difference */
    double expected;      /* at most, by rounding */
    double when;          /* s, of this clock */
} hyb_alarm_t;

/* All of them, and how close right rows came to one; any thread. */
typedef struct {
    _Atomic int count;
    _Atomic int64_t compared; /* rows */
    _Atomic double closest; /* the largest difference, in parts of its bound */
    hyb_alarm_t first;
} hyb_alarms_t;

/* Log it and count it. With on_error=stop the job ends; in the self-test it is
 * an error of who computes there, which logs the first one and goes on. */
void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm);

/* End the job because of an alarm that was raised. */
_Noreturn void hyb_alarm_end(const hyb_lu_t *lu);

/* A difference was within its bound. */
void hyb_alarm_note(hyb_lu_t *lu, double size, double bound);

/* What was found in a factorization; the first of it, NULL: nothing. */
void hyb_alarm_report(const hyb_lu_t *lu, hpl_work_t *work);
const hyb_alarm_t *hyb_alarm_first(const hyb_lu_t *lu);

#endif
