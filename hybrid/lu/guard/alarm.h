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
        HYB_FOUND_PANEL,   /* a panel factored here has a NaN or a wrong row */
        HYB_FOUND_MESSAGE, /* a received panel differs from its seal */
        HYB_FOUND_ROWS,    /* rows received from another process have a NaN */
        HYB_FOUND_COPY,    /* a copy of a panel differs from its seal */
        HYB_FOUND_SOLUTION, /* both results of a product of the
                               back-substitution differ */
        HYB_FOUND_KINDS
    } kind;
    int first_iteration; /* first iteration that may have made the error */
    int iteration;       /* last iteration that may have made it */
    int64_t row, column; /* global indices; -1: unknown */
    int sender;          /* rank that sent the wrong data; -1: no rank */
    int device;          /* device that computed the wrong data; -1: cores */
    double size;         /* magnitude of the difference */
    double expected;     /* largest difference that rounding explains */
    double seconds;      /* time of xh_clock_now, s */
} hyb_alarm_t;

/* All alarms of a factorization, and how close correct rows came to the bound.
 * Any thread writes them. */
typedef struct {
    _Atomic int count;
    _Atomic int64_t compared; /* rows compared so far */
    _Atomic double closest; /* largest difference / bound of any correct row */
    hyb_alarm_t first;
} hyb_alarms_t;

/* Log and count an alarm. With on_error=stop, end the job. In the self-test,
 * only log the first alarm, as an error of the executor under test. */
void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm);

/* End the job after an alarm. */
_Noreturn void hyb_alarm_end(const hyb_lu_t *lu);

/* Record that a difference of this `size` was within `bound`. */
void hyb_alarm_note(hyb_lu_t *lu, double size, double bound);

/* Write the results of the online check to `work`. */
void hyb_alarm_report(const hyb_lu_t *lu, hpl_work_t *work);

/* Return the first alarm, or NULL if there was none. */
const hyb_alarm_t *hyb_alarm_first(const hyb_lu_t *lu);
