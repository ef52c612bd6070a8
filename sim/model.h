/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdint.h>

/*
 * A run whose messages are real and whose kernels are seconds of a model.
 *
 * Every __wrap_f() in this folder stands in for f() when the simulated xhpl is
 * linked (ld --wrap): kernels charge what they would take, memory is addresses
 * where nothing is mapped, waits block in the simulator. No other code knows.
 * What touches memory and has no model here crashes.
 */
typedef struct {
    double rate;   /* flop/s of a process's products with infinite k ... */
    double half;   /* ... of which k = half reaches one half */
    double solve;  /* flop/s of triangular solves */
    double panel;  /* flop/s of panels */
    double move;   /* bytes/s of copying and moving rows, read and written */
    double search; /* bytes/s of level 1 and 2 BLAS in panels */
    double call;   /* s of any of these */
    double column; /* s of a panel's column beside its bytes and flop */
    double poll;   /* s of a product between polls, but at most ... */
    double polls;  /* ... so many in a run of columns */
    double spread; /* rates differ by this part from process to process */
    double panels; /* of a factorization; 0: all */
} sim_model_t;

/* From the environment's SIM_MODEL, "rate=2e12 half=16 ..."; an unknown name
 * ends the job. */
const sim_model_t *sim_model(void);

/* Let seconds pass for this process; also tells that it is not idle. */
void sim_charge(double seconds);

void sim_charge_product(double m, double n, double k);
void sim_charge_solve(double m, double n);
void sim_charge_move(double bytes);
void sim_charge_search(double bytes);

/* Simulated seconds. */
double sim_now(void);

/* The global row that column's pivot comes from in a random matrix of order n:
 * any row from the diagonal on, as likely as another. */
int64_t sim_pivot(int64_t n, int64_t column);

/* ---- messages ------------------------------------------------------------ */

/* Something has happened here: a loop that waits is to look again. */
void sim_event(void);

#endif
