/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_SOLVER_H
#define HPL_SOLVER_H

/*
 * The interface between a program and the solver that runs its tests. A solver
 * owns matrix, generation, factorization and check, and keeps its data where it
 * likes. The default is that of hpl/; another one installs its own table.
 */
#include <stdbool.h>
#include "base/status.h"
#include "hpl_types.h"

/* a test and the place of one process in it: all that memory depends on */
typedef struct {
    int n, nb;
    int nprow, npcol, myrow, mycol;
    int depth, align;
    const struct hpl_deal *deal; /* of the grid */
} hpl_shape_t;

/* infinity and one norms of the generated system and of its solution */
typedef struct {
    double a_inf, a_one; /* A */
    double b_inf;
    double x_inf, x_one;
    double r_inf;    /* A x - b */
    uint64_t x_bits; /* a sum of the bits of x: the same for the same x */
} hpl_norms_t;

/* a device of a process; NAN: unknown */
typedef struct {
    char name[24];      /* "cuda:0" */
    char model[64];     /* "NVIDIA H200" */
    char serial[32];    /* "": unknown */
    uint64_t memory;    /* bytes */
    double clock;       /* Hz, now */
    double temperature; /* degrees Celsius, now */
    double power;       /* W, now */
    double energy;      /* J since some moment */
} hpl_device_t;

/* the cores that a process uses; texts last as long as the solver */
typedef struct {
    int threads;         /* including the calling one */
    const char *cpus;    /* text list of one processor a core; NULL: it runs
                            where the launcher lets it */
    const char *kernel;  /* of the update: "avx512", or "blas" */
    const char *machine; /* hwloc's synthetic description of the whole host;
                            NULL or "": unknown */
} hpl_workers_t;

/* clock rates of some processors of a host, now; NAN: unknown */
typedef struct {
    double least, mean, most; /* MHz */
    double celsius;           /* of the hottest part of the host */
} hpl_clocks_t;

/*
 * the work of a process in a factorization: s, resources over its threads,
 * whose sum is at most the time that it took
 */
typedef struct {
    double panel, swap, solve, update;
    double broadcast, exchange; /* of panels; of rows */
    double wait;                /* for others, of any kind */
    double flop;      /* of the products in updates, by cores and devices */
    double rate;      /* flop/s of a thread in these, without the time in which
                         others had its core; NAN: all were too short */
    double others;    /* that time, as a part of all that these took; 0: none,
                         or all were too short */
    bool is_checked;  /* by check columns during the factorization: */
    int wrong;        /* rows and panels that are wrong */
    int64_t compared; /* rows, with their check columns */
    double closest;   /* the largest difference, in parts of what rounding may
                         make of it */
    bool has_devices; /* the following is of their links: */
    double link_up, link_down;       /* bytes to devices and from them */
    double planned_up, planned_down; /* ... as predicted; NAN: unknown */
} hpl_work_t;

/* what a device did in a factorization; 0: nothing, or it is unknown */
typedef struct {
    double flop, seconds; /* of products; s at work on them */
    double up, up_seconds, down, down_seconds; /* B to it and from it; s */
    double link_wait; /* s in which its link copied and it did nothing else */
} hpl_device_work_t;

/* where the block columns of a process live, and what is expected of that: of
 * phases that overlap */
enum { HPL_PLAN_ROWS = 16 };
typedef struct {
    const char *home;  /* as asked for: "auto" */
    const char *panel; /* who factors panels: "host", "device", or "auto":
                          whoever is quicker */
    double share;      /* of products of the host's columns, by devices; NAN */
    int rows;
    struct {
        char where[24]; /* "panels", "host", "emu:0" */
        int64_t blocks; /* below 0: it is none of these */
        double seconds; /* NAN: unknown */
    } row[HPL_PLAN_ROWS];
} hpl_plan_t;

/* a checkpoint that all processes wrote */
typedef struct {
    int iteration; /* with which a restart goes on */
    double bytes;
    double seconds; /* of the pause */
} hpl_checkpoint_t;

/* what a solution wrote, and what it was restarted from */
typedef struct {
    int count, failed;            /* checkpoints; those that somebody could not
                                     write */
    const hpl_checkpoint_t *list; /* count of them */
    int restarts;         /* 0: it ran undisturbed, and all that follows is 0 */
    int iteration;        /* that it went on with */
    double before;        /* s from the run's start until this clock's: */
    double lost, between; /* computed in vain, and between the processes */
    bool clocks_disagree; /* of its parts: before is what was seen to pass */
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
     *         XH_ERR_INPUT   this solver cannot keep such a system: said
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
     * Generate [ A | b ] of seed again in place of the factors, and compute its
     * norms and those of x and of A x - b on every process; collective. A norm
     * that meets a NaN is NaN.
     */
    void (*check)(hpl_system_t *system, int seed, hpl_norms_t *norms_p);

    void (*destroy)(hpl_system_t *system); /* accepts NULL */

    /* HPL_pdgesv: solve the caller's own array. */
    void (*solve_array)(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *array);

    /*
     * The iterations of all systems solved so far on this process, as CSV: a
     * row each, preceded by the names of the columns if process is 0. NULL:
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
     * The work of this process when the system was first solved; false: unknown
     * after check. NULL: this solver never knows.
     */
    bool (*work)(const hpl_system_t *system, hpl_work_t *work_p);

    /*
     * What the first `most` of devices(), in its order, did when the system was
     * first solved; returns how many these are, 0 where work is not known.
     * NULL: this solver has none.
     */
    int (*device_work)(const hpl_system_t *system, int most,
                       hpl_device_work_t *list_p);

    /* The checkpoints of a system that was solved; false: none were asked for.
     * The list lasts until check. NULL: this solver writes none. */
    bool (*checkpoints)(const hpl_system_t *system, hpl_checkpoints_t *found_p);

    /* The plan of a system that was created; false: there are no devices to
     * plan with, or they are not known well enough. NULL: this solver has none.
     */
    bool (*plan)(const hpl_system_t *system, hpl_plan_t *plan_p);

    /*
     * The first `most` devices of this process; returns how many these are.
     * NULL: this solver has none.
     */
    int (*devices)(int most, hpl_device_t *list_p);

    /*
     * The clock rates of count processors of this host, by the system's
     * numbers. Any thread, while the solver is open. NULL: unknown.
     */
    hpl_clocks_t (*clocks)(const int *cpus, int count);

    /* The cores that this process uses. NULL: unknown. */
    hpl_workers_t (*workers)(void);

    /*
     * Solve small systems as a test of order n on grid would: each process
     * alone on its cores and on its devices, and the grid together. Are all
     * results of this process right? The first wrong one is logged. Collective
     * over grid, with no system in work. NULL: hpl_self_test does
     * (hpl/solver/self_test.h).
     */
    bool (*self_test)(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb);
} hpl_solver_t;

/* The solver of this library: hpl/ alone, one thread. */
extern const hpl_solver_t hpl_reference_solver;

/* The solver in use; the reference unless another was installed. */
const hpl_solver_t *hpl_solver(void);

/* Use solver from now on; not during a test. NULL returns to the reference. */
void hpl_solver_install(const hpl_solver_t *solver);

/*
 * ||Ax-b||_oo / ( eps * ( ||x||_oo * ||A||_oo + ||b||_oo ) * n ), 0 for n = 0;
 * eps is the relative machine precision, 2^-53.
 */
double hpl_scaled_residual(const hpl_norms_t *norms, int n);

#endif
