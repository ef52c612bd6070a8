/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/observer.h"
#include "hybrid/observe/iterations.h"

/*
 * All observers of a factorization in one: the record of iterations, progress,
 * diagnosis, trace and watchdog. One factorization at a time.
 *
 * record  in  gets a row per iteration; borrowed
 */
hyb_observer_t hyb_observers(hyb_iterations_t *record);
