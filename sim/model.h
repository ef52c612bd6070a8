/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
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
    double rate;   /* flop/s of a process's endless products (m, n, k) ... */
    double half;   /* ... of which k = half reaches one half, */
    double half_m; /* and likewise m, */
    double half_n; /* and n */
    double solve;  /* flop/s of triangular solves */
    double panel;  /* flop/s of panels */
    double move;   /* bytes/s of copying and moving rows, read and written */
    double search; /* bytes/s of level 1 and 2 BLAS in panels */
    double call;   /* s of any of these */
    double noise;  /* how far products differ from each other, of their time */
    double column; /* s of a panel's column beside its bytes and flop */
    double poll;   /* s of a product between polls, but at most ... */
    double polls;  /* ... so many in a run of columns */
    double cores;  /* of a node, which its processes share; 0: each has one */
    double first;  /* panels first to last - 1 alone are of interest; the ... */
    double last;   /* ... simulation ends with them. 0: all of the run */
    double factor; /* 0: nothing but the back-substitution */
} sim_model_t;

/* What time is spent on. */
typedef enum {
    SIM_PRODUCTS,
    SIM_SOLVES,
    SIM_PANELS,
    SIM_ROWS,   /* moved in memory */
    SIM_PIVOTS, /* waiting for others to agree on one */
    SIM_KINDS   /* the rest is waiting */
} sim_kind_t;

/* From the environment's SIM_MODEL, "rate=2e12 half=16 ..."; an unknown name
 * ends the job. In the file that SIM_RATES names, if any, each process has a
 * line with the part of these rates that it reaches. */
const sim_model_t *sim_model(void);

/* Simulated seconds. */
double sim_now(void);

/* Let seconds pass, very short ones together. How many more passed, because
 * other processes computed on the same cores. */
double sim_pass(double seconds);

/* The global row that column's pivot comes from in a random matrix of order n:
 * any row from the diagonal on, as likely as another. */
int64_t sim_pivot(int64_t n, int64_t column);

/* 1 on average, with a deviation of noise. */
double sim_varied(double noise);

/* ---- the report ---------------------------------------------------------- */

void sim_report_spent(sim_kind_t kind, double seconds);

/* Seconds that this process has spent on anything. */
double sim_report_busy(void);

/* The factorization begins; is it to be simulated? */
bool sim_report_begins(void);

/* Panel k is known to this process. */
void sim_report_panel(int k);

void sim_report_message(double bytes);

/* This process ends: the last one writes the file that the environment's
 * SIM_REPORT names, a line for each number. */
void sim_report_end(void);

/* ---- messages ------------------------------------------------------------ */

/* Something has happened here: a loop that waits is to look again. */
void sim_event(void);

/* A process begins; a message of its is complete (activities.c). */
void sim_activities_find(void);
void sim_activities_forget(void);

/* ---- charges ------------------------------------------------------------- */

/* Let seconds pass for this process, which spends them on kind. */
void sim_charge(sim_kind_t kind, double seconds);

/* What a call takes that does this; between begin and end of a panel's
 * factorization it is spent on panels. */
void sim_charge_product(double m, double n, double k);
void sim_charge_solve(double m, double n);
void sim_charge_move(double bytes);
void sim_charge_search(double bytes);
void sim_panel_begin(void);
void sim_panel_end(void);
