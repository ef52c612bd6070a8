/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "hpl/comm/waits.h"

/*
 * Where a process stands and for whom it waits, in a form that can be sent.
 */
enum { HYB_WHAT = 24, HYB_WHERE = 128 };

typedef struct { /* ranks first, first + apart, ...; count 0: unknown */
    char what[HYB_WHAT];
    int32_t iteration, first, apart, count;
    double bytes;
} hyb_awaited_t;

typedef enum {
    HYB_WORKS,  /* or waits for nobody else */
    HYB_WAITS,  /* for one of awaited */
    HYB_BETWEEN /* phases: who is slow there is not known; it may wait for all
                 */
} hyb_doing_t;

typedef struct {
    double still; /* s since something was finished */
    int32_t doing, count;
    hyb_awaited_t awaited[HPL_WAITS_MOST];
    char where[HYB_WHERE];
} hyb_state_t;

/* Add one more; what is too much is left out. */
void hyb_state_await(hyb_state_t *state, const hpl_wait_t *wait);

/*
 * Of notes those that matter to one who waits: its pivot; if it waits in the
 * loop (in_loop) the panel of that number, else rows, else what all agree on,
 * else all.
 */
void hyb_state_choose(hyb_state_t *state, const hpl_wait_t *notes, int count,
                      bool in_loop, int panel);

/* "panel of iteration 17, 1.2 MB" */
void hyb_awaited_text(const hyb_awaited_t *awaited, char *text, size_t size);
