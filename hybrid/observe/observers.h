/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/observer.h"
#include "hybrid/observe/iterations.h"

/*
 * One observer that combines all observers of a factorization: the record of
 * iterations, progress, diagnosis, trace and watchdog. Only one factorization
 * at a time can be observed.
 *
 * record  in  receives a row per iteration; borrowed
 */
hyb_observer_t hyb_observers(hyb_iterations_t *record);
