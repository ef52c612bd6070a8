/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/resources.h"

/*
 * What decides where columns live: memory of devices after their libraries took
 * theirs, their rates and links as measured when they were opened, and the rate
 * of a thread by the trial of kernels; the least of all processes. Where the
 * setting home is auto and devices cannot keep columns, process 0 logs why.
 * Collective over MPI_COMM_WORLD.
 *
 * resources in  complete but for resident
 */
hyb_residence_figures_t hyb_rates_measure(const hyb_resources_t *resources);
