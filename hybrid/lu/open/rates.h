/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/resources.h"

/*
 * Measure what decides where columns live: the devices' memory that is free
 * after their libraries took theirs, the rates and links measured when devices
 * were opened, and the rate of a thread in the trial of kernels; of each the
 * least of all processes. If the setting home is auto and devices cannot keep
 * columns, process 0 logs why. Collective over MPI_COMM_WORLD.
 *
 * resources in  complete but for `resident`
 */
hyb_residence_figures_t hyb_rates_measure(const hyb_resources_t *resources);
