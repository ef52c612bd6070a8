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
    double (*run)(int64_t rounds); /* the result depends on every step */
    double flop;                   /* of one round */
} xh_fma_t;

/* NULL where isa is not usable here. */
const xh_fma_t *xh_fma_kernel(xh_isa_t isa);

/*
 * Flop/s that threads threads reach together in these loops, best of several
 * short runs: the ceiling of every dense kernel on these cores. Threads are
 * started and joined inside. All start together, and a run lasts until the
 * last one has done its share.
 *
 * cpus  in  the system's numbers, one for each thread; NULL: cores of the
 *           mask, where they are as many as threads, else unpinned
 *
 * Cost:   about seconds of wall time.
 * Errors: 0 if isa is not usable here, threads < 1, or no threads can be had
 */
double xh_fma_ceiling(xh_isa_t isa, const int *cpus, int threads,
                      double seconds);

#endif
