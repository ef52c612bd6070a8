/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/device/device.h"
#include "testing/cuda_model/control.h"

/* The plug-ins cuda and hip on the model of their libraries: two devices. */

/*
 * Let the model begin anew with these faults. The first call opens it, for
 * good, from the folder beside the program's. False if there is no model.
 */
bool model_fixture_begin(const char *faults);

cuda_model_counts_t model_fixture_counts(void);

/* All was given back, and no product was emulated; or the case fails. */
void model_fixture_assert_nothing_left(void);

/* Device index of backend, which is there. */
hyb_device_t *model_fixture_device(const char *backend, int index);

/* For the cases of all backends: a set-up function. */
int model_fixture_open(const char *backend, void **state_p);
