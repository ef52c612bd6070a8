/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/tune/lookahead.h"

/*
 * A process that only takes time: what one iteration of the factorization
 * would take on cores and a device of set speeds, event by event. For tests
 * of what chooses from measured times.
 *
 * The team swaps and solves; it updates the next panel's columns, some of its
 * threads factor that panel, one broadcasts it; what threads are left, and all
 * of them later, take block columns of the update from the back, the device
 * takes tiles from the front. With the pipeline the device gets columns in
 * groups, the first a tile wide, each twice as wide as the one before it, and
 * the team goes from groups to the panel as soon as the device has enough to
 * do meanwhile. Without a device each thread swaps and solves the block
 * column that it updates.
 */
typedef struct {
    int64_t nb;
    int threads;
    double thread_rate;    /* flop/s of each in the update */
    double device_rate;    /* flop/s, 0: no device */
    double tile_overhead;  /* s of the device a tile, beside its flop */
    int64_t tile;          /* block columns of the device's tiles */
    double panel_rate;     /* flop/s of one thread */
    double panel_serial;   /* of one thread's time, the part that stays */
    double broadcast;      /* s an element of the panel */
    double exchange;       /* s a column, swapped and solved by the team */
    double contention;     /* factor on exchange under an update; 1: none */
    double group_overhead; /* s of the team a group */
} plant_t;

/* Seconds for a panel of rows x nb with threads. */
double plant_panel(const plant_t *plant, int threads, int64_t rows);

/* Iteration index of a matrix of order blocks * nb, on a 1 x 1 grid. */
hyb_lookahead_iteration_t plant_at(const plant_t *plant, int64_t blocks,
                                   int64_t index);

/*
 * Simulate one iteration, whose last block column may not be narrower, in its
 * mode: what it took, as a driver would measure it. panel_threads, 1 to
 * plant->threads, factor the next panel.
 */
void plant_run(const plant_t *plant, int panel_threads,
               hyb_lookahead_iteration_t *iteration);

/* A random factor of mean 1, about normal; state, not 0, is the generator's. */
double plant_noise(double deviation, uint64_t *state);

/* The same plant with every speed off by a random factor. */
plant_t plant_disturbed(const plant_t *plant, double deviation,
                        uint64_t *state);

/* ---- plants made up ------------------------------------------------------ */

enum { PLANTS = 64 };

/* 1 GB/s to 10 for swaps, 10 us to 1 ms a group, from 2 to 16 threads, ... */
plant_t plant_number(int i);

/* Slow swaps and a device so fast that it is a pity when it waits for them. */
plant_t plant_for_the_pipeline(void);

/* Swaps are nothing, but each group costs, as does working under an update. */
plant_t plant_for_the_panel(void);

/* The pipeline wins while the matrix is large, then groups delay the panel. */
plant_t plant_for_both(void);
