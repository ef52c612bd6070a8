/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_RUN_H
#define HPL_RUN_H

#include <stdint.h>
#include "base/cpu.h"
#include "hpl/matgen/sequence.h"

/*
 * Entries of consecutive members. HPL_LANES independent streams, each taking
 * every HPL_LANES-th member, hide the latency of the multiplication and fill
 * vector registers.
 */
enum { HPL_LANES = 32 };

typedef struct {
    hpl_jump_t round;        /* HPL_LANES steps */
    uint64_t mul[HPL_LANES]; /* lane l starts l steps ahead: */
    uint64_t add[HPL_LANES]; /* at mul[l] * x + add[l] */
} hpl_lanes_t;

/* a[i] := entry of the member i steps after x, i = 0 .. count - 1. */
typedef void (*hpl_run_fn_t)(const hpl_lanes_t *lanes, uint64_t x,
                             int64_t count, double *a);

hpl_lanes_t hpl_lanes(void);

/* The run for processors that have isa; all give the same bits. */
hpl_run_fn_t hpl_run(xh_isa_t isa);

#endif
