/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_FMA_H
#define XH_FMA_H

#include <stdbool.h>
#include <stdint.h>
#include "base/cpu.h"

/*
 * Loops of fused multiply-adds on registers alone, one for each instruction
 * set that this program was compiled for.
 */
typedef struct {
    bool (*usable)(void);          /* on this processor and system */
    double (*run)(int64_t rounds); /* the result depends on every step */
    double flop;                   /* of one round */
} xh_fma_t;

/* NULL where isa is not usable here. */
const xh_fma_t *xh_fma_kernel(xh_isa_t isa);

#endif
