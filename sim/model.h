/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A simulated run, whose messages are real, and whose kernels only take a
 * model's time.
 *
 * Every __wrap_f() in this folder replaces f() when the simulated xhpl is
 * linked (ld --wrap): kernels charge their modelled time, memory is addresses
 * where nothing is mapped, and waits block in the simulator. No other code
 * knows of the simulation. Code that touches memory and has no model here
 * crashes.
 */
typedef struct {
    double rate;   /* flop/s of a process in endless products (m, n, k) */
    double half;   /* k at which the rate is one half */
    double half_m; /* m at which the rate is one half */
    double half_n; /* n at which the rate is one half */
    double solve;  /* flop/s of triangular solves */
    double panel;  /* flop/s of panels */
    double move;   /* bytes/s of copying and moving rows, read and written */
    double search; /* bytes/s of level 1 and 2 BLAS in panels */
    double call;   /* s per call of any of these */
    double noise;  /* relative variation of the time of products */
    double column; /* s per panel column, besides bytes and flop */
    double poll;   /* s of a product between two polls */
    double polls;  /* most polls in a run of columns */
    double cores;  /* cores per node, shared by its processes; 0: one each */
    double first;  /* first panel of interest */
    double last;   /* end of the panels of interest, and of the run; 0: all */
    double factor; /* 0: only the back-substitution is simulated */
} sim_model_t;

/* Kinds of work that time is spent on. */
typedef enum {
    SIM_PRODUCTS,
    SIM_SOLVES,
    SIM_PANELS,
    SIM_ROWS,   /* moving rows in memory */
    SIM_PIVOTS, /* waiting for the other processes' pivots */
    SIM_KINDS   /* all other time is waiting */
} sim_kind_t;

/* Read the model from the environment variable SIM_MODEL, "rate=2e12 half=16
 * ..."; an unknown name ends the job. If SIM_RATES names a file, it has a line
 * per process with the fraction of the rates that the process reaches. */
const sim_model_t *sim_model(void);

/* Simulated time in seconds. */
double sim_now(void);

/* Let `seconds` pass; very short times are collected. Returns how many more
 * seconds passed because other processes computed on the same cores. */
double sim_pass(double seconds);

/* The global row of the pivot of `column` in a random matrix of order n: any
 * row from the diagonal on, with equal probability. */
int64_t sim_pivot(int64_t n, int64_t column);

/* A random factor of mean 1 and deviation `noise`. */
double sim_varied(double noise);

/* ---- the report ---------------------------------------------------------- */

void sim_report_spent(sim_kind_t kind, double seconds);

/* Seconds that this process has spent on work of any kind. */
double sim_report_busy(void);

/* Note that the factorization begins. Returns whether to simulate it. */
bool sim_report_begins(void);

/* Note that this process knows panel k. */
void sim_report_panel(int k);

void sim_report_message(double bytes);

/* Note that this process ends. The last process writes the file named by the
 * environment variable SIM_REPORT, one line per number. */
void sim_report_end(void);

/* ---- messages ------------------------------------------------------------ */

/* Note that something has happened, so that a waiting loop looks again. */
void sim_event(void);

/* find: called as a process begins. forget: called when a message of the
 * process is complete (activities.c). */
void sim_activities_find(void);
void sim_activities_forget(void);

/* ---- charges ------------------------------------------------------------- */

/* Let `seconds` pass for this process, and count them as time of `kind`. */
void sim_charge(sim_kind_t kind, double seconds);

/* Charge the modelled time of a call. Between begin and end of a panel's
 * factorization all time counts as time of panels. */
void sim_charge_product(double m, double n, double k);
void sim_charge_solve(double m, double n);
void sim_charge_move(double bytes);
void sim_charge_search(double bytes);
void sim_panel_begin(void);
void sim_panel_end(void);
