/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_SOLVER_H
#define HPL_SOLVER_H

/*
 * The interface between a program and the solver that runs its tests. A solver
 * owns matrix, generation, factorization and check, and chooses where to keep
 * its data. The default is the solver of hpl/; another solver installs its own
 * table.
 */
#include <stdbool.h>
#include "base/status.h"
#include "hpl_types.h"

/* A test, and a process's place in it: everything that memory depends on. */
typedef struct {
    int n, nb;
    int nprow, npcol, myrow, mycol;
    int depth, align;
    const struct hpl_deal *deal; /* deal of the grid's columns */
} hpl_shape_t;

/* Infinity and one norms of the generated system and its solution. */
typedef struct {
    double a_inf, a_one; /* of A */
    double b_inf;
    double x_inf, x_one;
    double r_inf;    /* of A x - b */
    uint64_t x_bits; /* a sum of the bits of x, equal for equal x */
} hpl_norms_t;

/* A device of a process; NaN: unknown. */
typedef struct {
    char name[24];      /* "cuda:0" */
    char model[64];     /* "NVIDIA H200" */
    char serial[32];    /* "": unknown */
    uint64_t memory;    /* bytes */
    double clock;       /* Hz, now */
    double temperature; /* degrees Celsius, now */
    double power;       /* W, now */
    double energy;      /* J since an arbitrary fixed moment */
} hpl_device_t;

/* The cores that a process uses; texts are valid as long as the solver is open.
 */
typedef struct {
    int threads;         /* number of threads, the calling one included */
    const char *cpus;    /* text list of one processor per core; NULL: placed by
                            the launcher */
    const char *kernel;  /* kernel of the update: "avx512", or "blas" */
    const char *machine; /* hwloc's synthetic description of the whole host;
                            NULL or "": unknown */
} hpl_workers_t;

/* Current clock rates of some processors of a host; NaN: unknown. */
typedef struct {
    double least, mean, most; /* MHz */
    double celsius;           /* temperature of the host's hottest part */
} hpl_clocks_t;

/*
 * The work of a process in a factorization, in seconds, as means over its
 * threads; the sum of all kinds is at most the factorization's time.
 */
typedef struct {
    double panel, swap, solve, update;
    double broadcast, exchange; /* of panels; of rows */
    double wait;                /* waiting of any kind for other processes */
    double flop;   /* flop of products in updates, by cores and devices */
    double rate;   /* flop/s per thread in products, without time that other
                      programs had its core; NaN: too short to tell */
    double others; /* fraction of the products' time in which other programs had
                      the core; 0: none, or all were too short */
    bool is_checked;  /* whether check columns were compared during the
                         factorization */
    int wrong;        /* number of wrong rows and panels */
    int64_t compared; /* number of rows compared */
    double closest;   /* largest difference, relative to the bound for rounding
                         errors */
    bool has_devices; /* whether the following fields are set */
    double link_up, link_down;       /* bytes to devices; bytes from devices */
    double planned_up, planned_down; /* the same, predicted; NaN: unknown */
    int64_t operations; /* that were queued on devices: copies and kernels */
    int64_t iteration_operations; /* that an iteration queued on one device, at
                                     most */
} hpl_work_t;

/* What a device did in a factorization; 0: nothing, or unknown. */
typedef struct {
    double flop, seconds; /* flop of products; s spent on them */
    double up, up_seconds, down, down_seconds; /* bytes to it, s; from it, s */
    double link_wait; /* s in which only its link worked */
} hpl_device_work_t;

/* Where the block columns of a process live, and predicted times of phases,
 * which overlap. */
enum { HPL_PLAN_ROWS = 16 };
typedef struct {
    const char *home;  /* as requested: "auto" */
    const char *panel; /* who factors panels: "host", "device", or "auto" (the
                          faster one) */
    double share; /* devices' share of the products of the host's columns; or
                     NaN */
    int rows;
    struct {
        char where[24]; /* "panels", "host", "emu:0" */
        int64_t blocks; /* number of block columns; negative: not applicable */
        double seconds; /* predicted; NaN: unknown */
    } row[HPL_PLAN_ROWS];
} hpl_plan_t;

/* A checkpoint that all processes wrote. */
typedef struct {
    int iteration; /* first iteration after a restart */
    double bytes;
    double seconds; /* s of the pause for it */
} hpl_checkpoint_t;

/* The checkpoints that a solution wrote, and how it was restarted. */
typedef struct {
    int count, failed; /* complete checkpoints; checkpoints that some process
                          could not write */
    const hpl_checkpoint_t *list; /* `count` entries */
    int restarts;         /* number of restarts; if 0, the fields below are 0 */
    int iteration;        /* first iteration after the last restart */
    double before;        /* s from the run's start to this clock's */
    double lost, between; /* s of lost work; s between a kill and a restart */
    bool clocks_disagree; /* clocks before and after disagree: `before` is a
                             lower bound */
} hpl_checkpoints_t;

typedef struct hpl_system hpl_system_t; /* one system of equations */

typedef struct {
    const char *name; /* one word */

    /* Peak bytes of create and solve on this process. */
    uint64_t (*bytes)(const hpl_shape_t *shape);

    /*
     * Allocate an n x n system on grid; collective. algo and grid must outlive
     * it.
     * Errors: XH_ERR_MEMORY  on any process: all return it
     *         XH_ERR_INPUT   this solver cannot hold such a system; logged
     */
    xh_status_t (*create)(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                          hpl_system_t **system_p);

    /* Fill [ A | b ] with the sequence of seed; no communication. */
    void (*generate)(hpl_system_t *system, int seed);

    /*
     * Factor A and solve for x; collective.
     * info_p  out  0, or 1 + first column whose pivot is zero: x is not finite
     */
    void (*solve)(hpl_system_t *system, int *info_p);

    /*
     * Generate [ A | b ] of seed again in place of the factors, and compute the
     * norms of A, b, x and A x - b on every process; collective. A norm over a
     * NaN is NaN.
     */
    void (*check)(hpl_system_t *system, int seed, hpl_norms_t *norms_p);

    void (*destroy)(hpl_system_t *system); /* accepts NULL */

    /* HPL_pdgesv: solve the caller's own array. */
    void (*solve_array)(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *array);

    /*
     * The iterations of all systems solved so far on this process, as CSV: one
     * row per iteration, after a row of column names if process is 0. NULL:
     * this solver records none.
     *
     * process  in   this one's rank in MPI_COMM_WORLD
     * zero     in   s of xh_clock_now that times count from
     * csv_p    out  for free()
     * size_p   out  bytes, without a 0 byte at the end
     *
     * Errors: XH_ERR_MEMORY
     */
    xh_status_t (*iterations)(int process, double zero, char **csv_p,
                              size_t *size_p);

    /*
     * The work of this process when the system was first solved; false:
     * unknown, as after check. NULL: this solver never knows.
     */
    bool (*work)(const hpl_system_t *system, hpl_work_t *work_p);

    /*
     * What the first `most` devices of devices(), in that order, did when the
     * system was first solved. Returns their number, or 0 if work is unknown.
     * NULL: this solver has no devices.
     */
    int (*device_work)(const hpl_system_t *system, int most,
                       hpl_device_work_t *list_p);

    /* The checkpoints of a solved system; false: none were requested. The list
     * is valid until check. NULL: this solver writes no checkpoints. */
    bool (*checkpoints)(const hpl_system_t *system, hpl_checkpoints_t *found_p);

    /* The plan of a created system; false: there are no devices, or their rates
     * are unknown. NULL: this solver has no plan. */
    bool (*plan)(const hpl_system_t *system, hpl_plan_t *plan_p);

    /*
     * The first `most` devices of this process. Returns their number. NULL:
     * this solver has no devices.
     */
    int (*devices)(int most, hpl_device_t *list_p);

    /*
     * The clock rates of `count` processors of this host, numbered by the
     * system. Any thread may call this while the solver is open. NULL: unknown.
     */
    hpl_clocks_t (*clocks)(const int *cpus, int count);

    /* The cores that this process uses. NULL: unknown. */
    hpl_workers_t (*workers)(void);

    /*
     * Solve small systems as a test of order n on grid would: each process
     * alone on its cores and on its devices, and the grid together. Are all
     * results of this process right? The first wrong one is logged. Collective
     * over grid, while no system is being solved. NULL: call hpl_self_test
     * (hpl/solver/self_test.h).
     */
    bool (*self_test)(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb);
} hpl_solver_t;

/* The solver of this library: hpl/ alone, with one thread. */
extern const hpl_solver_t hpl_reference_solver;

/* The solver in use: the reference solver unless another was installed. */
const hpl_solver_t *hpl_solver(void);

/* Use solver from now on; not during a test. NULL returns to the reference. */
void hpl_solver_install(const hpl_solver_t *solver);

/*
 * ||Ax-b||_oo / ( eps * ( ||x||_oo * ||A||_oo + ||b||_oo ) * n ), 0 for n = 0;
 * eps is the relative machine precision, 2^-53.
 */
double hpl_scaled_residual(const hpl_norms_t *norms, int n);

#endif
