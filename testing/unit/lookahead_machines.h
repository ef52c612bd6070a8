/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOOKAHEAD_MACHINES_H
#define LOOKAHEAD_MACHINES_H

/* Machines made up, and factorizations on them in model time. */
#include <stdbool.h>
#include "testing/model/plant.h"

enum { BLOCKS = 100, LATEST = 2, PARTS = 4, MACHINES = 64 };

typedef struct {
    plant_t plant;
    int64_t nb;
} machine_t;

typedef struct { /* how a factorization is to go */
    hyb_lookahead_request_t request;
    bool begins_with_pipeline; /* as mixed: its first iterations */
    double noise;   /* standard deviation of all speeds, in each iteration */
    uint64_t seed;  /* of the noise */
    int late;       /* iterations by which learning lags behind, <= LATEST */
    double warm_up; /* factor on the first total; 0: none */
    const plant_t *after_half; /* what the machine turns into, or NULL */
} course_t;

typedef struct { /* how it went */
    double seconds;
    int probes, switches;               /* changes of mode beside probes */
    hyb_lookahead_t last;               /* mode that was no probe */
    double part[PARTS][HYB_LOOKAHEADS]; /* seconds in each mode */
} outcome_t;

/* 1 GB/s to 10 for swaps, 10 us to 1 ms a chunk, from 2 to 16 threads, ... */
machine_t machine(int i);

/* Slow swaps and a device so fast that it is a pity when it waits for them. */
machine_t machine_for_the_pipeline(void);

/* Swaps are nothing, but each chunk costs, as does working under an update. */
machine_t machine_for_the_panel(void);

/* The pipeline wins while the matrix is large, then chunks delay the panel. */
machine_t machine_for_both(void);

/* Was the run in mode nearly all the time of this part of the run? */
bool mostly_in(const outcome_t *outcome, int part, hyb_lookahead_t mode);

/* One iteration on what the machine is in it. */
hyb_lookahead_times_t times_of(const machine_t *m, const course_t *c,
                               const hyb_lookahead_facts_t *facts,
                               hyb_lookahead_t mode, uint64_t *noise);

/* The time of the first iteration is left out: some warm up in it. */
outcome_t factor(const machine_t *m, const course_t *c);

/* What mixed takes, relative to the better one of both modes. */
double mixed_to_best(const machine_t *m, course_t c);

double pipeline_to_panel(const machine_t *m);

bool is_probe(const char *reason);

#endif
