/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLANT_H
#define PLANT_H

#include "hybrid/lu/tuner/lookahead.h"

/*
 * A process that only takes time: what one iteration of the factorization
 * would take on cores and a device of set speeds, event by event. For tests
 * of what chooses from measured times.
 *
 * The team swaps and solves; it updates the next panel's columns, some of its
 * threads factor that panel, one broadcasts it; what threads are left, and all
 * of them later, take block columns of the update from the back, the device
 * takes tiles from the front. With the pipeline the device gets columns in
 * chunks, the first a tile wide, each twice as wide as the one before it, and
 * the team goes from chunks to the panel as soon as the device has enough to
 * do meanwhile. Without a device each thread swaps and solves the block
 * column that it updates.
 */
typedef struct {
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
    double chunk_overhead; /* s of the team a chunk */
} plant_t;

/* Seconds for a panel of rows x nb with threads. */
double plant_panel(const plant_t *plant, int threads, int64_t rows, int64_t nb);

/*
 * Simulate one iteration, whose last block column may not be narrower.
 *
 * panel_threads  in  that factor the next panel, 1 to plant->threads
 * times_p        out as a driver would measure them
 */
void plant_iteration(const plant_t *plant, const hyb_lookahead_facts_t *facts,
                     hyb_lookahead_t mode, int panel_threads,
                     hyb_lookahead_times_t *times_p);

/*
 * The same with every speed off by a random factor of mean 1.
 *
 * deviation  in      of the factors
 * state      in,out  of the generator; not 0
 */
plant_t plant_disturbed(const plant_t *plant, double deviation,
                        uint64_t *state);

/* Iteration index of a matrix of order blocks * nb, on a 1 x 1 grid. */
hyb_lookahead_facts_t plant_facts(int64_t blocks, int64_t nb, int64_t index);

#endif
