/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "hpl/comm/waits.h"

/*
 * The state of a process, in a form that can be sent: what it does, how long it
 * has made no progress, and for which processes it waits.
 */
enum { HYB_WHAT_SIZE = 24, HYB_POSITION_SIZE = 128 };

/* A wait for one of the ranks first, first + stride, ... */
typedef struct {
    char what[HYB_WHAT_SIZE];
    int32_t iteration, first, stride;
    int32_t count; /* 0: the ranks are unknown */
    double bytes;
} hyb_state_wait_t;

typedef enum {
    HYB_STATE_WORKING, /* the process waits for no other process */
    HYB_STATE_WAITING, /* it waits for one of `waits` */
    HYB_STATE_BETWEEN  /* between two phases: the process may compute, or wait
                          for all */
} hyb_state_kind_t;

typedef struct {
    double stall; /* s without progress */
    int32_t kind, wait_count;
    hyb_state_wait_t waits[HPL_WAITS_MOST];
    char position[HYB_POSITION_SIZE]; /* "iteration 7 of 40, ..." */
} hyb_state_t;

/* Append `wait`, unless `waits` is full. */
void hyb_state_add_wait(hyb_state_t *state, const hpl_wait_t *wait);

/*
 * Append the most relevant notes: those of a pivot; if there are none and the
 * process waits in the main loop (in_loop), those of panel number `panel`; else
 * of rows; else of operations of all processes, of a column, or any.
 */
void hyb_state_add_notes(hyb_state_t *state, const hpl_wait_t *notes, int count,
                         bool in_loop, int panel);

/* Write a wait as text: "panel of iteration 17, 1024 bytes". */
void hyb_state_wait_text(const hyb_state_wait_t *wait, char *text, size_t size);
