/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PLAN_TABLE_H
#define XHPL_PLAN_TABLE_H

#include <stdio.h>
#include "hybrid/plan/choices.h"

/*
 * A table of choices: the columns' names, and a row of each: N, NB, P, Q,
 * DEPTH, BCAST, seconds, Gflop/s, GiB a process.
 */
void xhpl_plan_table_head(FILE *out);
void xhpl_plan_table_row(FILE *out, const xhpl_choice_t *choice);

#endif
