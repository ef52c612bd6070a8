/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_BESIDE_H
#define XHPL_BESIDE_H

#include "testing/planner/choices.h"

/* What runs beside a test that is planned: estimates. */

/*
 * Bytes that the online check reads of memory on a process, on cores: each
 * trailing column once in `every` iterations, L of each panel, U twice then and
 * once in the end, and the rows that leave and enter if P > 1.
 */
double xhpl_beside_check(const hpl_shape_t *test, int every);

/* Bytes that a process writes for one checkpoint, at most. */
double xhpl_beside_checkpoint(const hpl_shape_t *test);

/* Say what both take of the choice, on stderr. */
void xhpl_beside_say(const hyb_model_rates_t *rates,
                     const xhpl_choice_t *choice);

#endif
