/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/observer.h"
#include "hybrid/observe/iterations.h"

/*
 * All who listen to a factorization: the record of iterations, progress,
 * diagnosis, trace and watchdog. One factorization at a time.
 *
 * record  in  gets a row an iteration; borrowed
 */
hyb_observer_t hyb_observers(hyb_iterations_t *record);
