/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_MODEL_FIXTURE_H
#define CUDA_MODEL_FIXTURE_H

/*
 * The plug-in cuda on the model of CUDA's libraries. Where that was not built,
 * for lack of CUDA's headers, cases are skipped.
 */
#include "testing/cuda_model/control.h"
#include "testing/unit/device_cases.h"

enum { CUDA_MODEL_DEVICES = 2 };

typedef struct {
    void (*begin)(const char *faults);
    cuda_model_counts_t (*counts)(void);
} cuda_model_t;

/* The model; without it the running case is skipped. */
const cuda_model_t *cuda_model(void);

/*
 * Open device index, from a beginning with these faults; close it with
 * hyb_device_close.
 */
hyb_device_t *cuda_model_open(int index, const char *faults);

/* For the cases of all backends: a set-up function. */
int cuda_model_open_shared(void **state);

#endif
