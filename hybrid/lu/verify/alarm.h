/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ALARM_H
#define HYB_ALARM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct { /* what a check of sums found */
    enum {
        HYB_FOUND_UPDATE, /* a column of C, or of what made it: U, sums */
        HYB_FOUND_PANEL,  /* the factors of a panel */
        HYB_FOUND_PANEL_MESSAGE,
        HYB_FOUND_ROWS_MESSAGE,
        HYB_FOUND_U, /* U in memory, after the last iteration */
        HYB_FOUND_KINDS
    } found;
    int iteration;
    int64_t block;       /* of columns of the whole matrix; -1: none */
    int64_t column, row; /* likewise; -1: unknown */
    int from;            /* the process that sent it; -1: none */
    int device;          /* that computed it; -1: cores */
    double size;         /* of the difference */
    double expected;     /* at most, by rounding */
    bool is_repaired;
} hyb_alarm_t;

/* What was found on this process in a factorization. Any thread. */
typedef struct {
    _Atomic int found, repaired;
    _Atomic int64_t compared; /* columns */
    _Atomic double closest; /* the largest difference, in parts of its bound */
    hyb_alarm_t first;
} hyb_alarms_t;

/* Does a single wrong element have to be repaired? */
bool hyb_alarm_repairs(void);

/* Say it and count it. With on_error=stop, or if it was to be repaired and was
 * not, the job ends. */
void hyb_alarm_raise(hyb_alarms_t *alarms, const hyb_alarm_t *alarm);

#endif
