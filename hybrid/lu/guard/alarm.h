/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "hybrid/device/machine.h"

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

/* Return an alarm of iteration k that names no row and nobody. */
static inline hyb_alarm_t hyb_alarm(int kind, int k)
{
    return (hyb_alarm_t){.kind = kind,
                         .first_iteration = k,
                         .iteration = k,
                         .row = -1,
                         .column = -1,
                         .sender = -1,
                         .device = -1};
}

/* All alarms of a factorization, and how close correct rows came to the bound.
 * Any thread writes them. */
typedef struct {
    const hyb_machine_t *machine; /* its devices are named; borrowed */
    const char *self_test; /* the executor under test; NULL: a test runs */
    bool is_alone;         /* one process has the whole matrix */
    _Atomic int count;
    atomic_bool has_nan; /* a NaN was found and will spread: no rows are judged
                            any more */
    _Atomic int64_t compared; /* rows compared so far */
    _Atomic double closest; /* largest difference / bound of any correct row */
    hyb_alarm_t first;
} hyb_alarms_t;

/* Has nothing wrong been found yet? */
static inline bool hyb_alarms_are_silent(const hyb_alarms_t *all)
{
    return !all->has_nan && all->count == 0;
}

/* Log and count an alarm. With on_error=stop, end the job. In the self-test,
 * only log the first alarm, as an error of the executor under test. */
void hyb_alarm_raise(hyb_alarms_t *all, hyb_alarm_t alarm);

/* End the job after an alarm. */
_Noreturn void hyb_alarm_end(const hyb_alarms_t *all);

/* Record that a difference of this `size` was within `bound`. */
void hyb_alarm_note(hyb_alarms_t *all, double size, double bound);
