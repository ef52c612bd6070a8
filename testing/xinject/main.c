/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xinject N NB P Q FIRST COUNT BITS [NAME=VALUE]...: runs of the hybrid solver,
 * each with one fault, and what the online check says of it.
 *
 * BITS is single, or several: those of a word, or of every so many words, as a
 * vector lane that is wrong for a moment. "none" makes clean runs. The faults
 * are numbers FIRST .. FIRST + COUNT - 1 of a fixed sequence. A line of JSON
 * goes to stdout before each run and after it, so that one that ends the job is
 * known by the line that is missing.
 */
#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"
#include "hpl/solver/system.h"
#include "testing/xinject/fault.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/solver/factorization.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/back_substitution.h"
#include "hybrid/lu/system/generate.h"
#include "hybrid/lu/tune/dealing.h"

typedef struct {
    int n, nb, nprow, npcol;
    int64_t first, count;
    fault_bits_t bits;
} job_t;

/* ---- one run ------------------------------------------------------------- */

static HPL_T_palg algorithm(void)
{
    return (HPL_T_palg){.btopo = HPL_1RING_M,
                        .depth = 1,
                        .nbmin = 4,
                        .nbdiv = 2,
                        .pfact = HPL_RIGHT_LOOKING,
                        .rfact = HPL_CROUT,
                        .fswap = HPL_SW_MIX,
                        .fsthr = 64,
                        .equil = 1,
                        .align = 8};
}

typedef struct { /* what the check found */
    hpl_work_t work;
    hyb_alarm_t first; /* if it found anything */
} seen_t;

/* x of this process goes to x. */
static void solve(HPL_T_grid *grid, HPL_T_palg *algo, const job_t *job,
                  const fault_t *fault, double *x, seen_t *seen)
{
    hyb_resources_t resources = *hyb_solver_resources();
    hpl_system_t *system = NULL;
    hyb_lu_t *lu = NULL;
    hpl_shape_t shape;
    int spare;

    resources.kernel = fault_kernel(resources.kernel);
    fault_devices(resources.machine);
    resources.resident = strcmp(xh_settings_text("home"), "device") == 0;
    resources.checked = true;
    shape = hpl_system_shape(grid, job->n, job->nb);
    spare = HYB_CHECK_COLUMNS * hyb_deal_checked(&resources, &shape);
    if (hpl_system_create(grid, algo, job->n, job->nb, spare,
                          xh_memory_allocate, &system) != XH_OK ||
        hyb_factorization_prepare(&resources, grid, algo, &system->mat, &lu) !=
            XH_OK)
        hpl_abort_job();
    hyb_generate_homes(lu, HPL_ISEED);
    fault_begin(fault, &system->mat);
    hyb_factorization_run(lu);
    hyb_back_substitution(lu);
    fault_end();
    memcpy(x, system->mat.X, (size_t)system->mat.nq * sizeof(*x));
    *seen = (seen_t){.work = hyb_factorization_work(lu)};
    if (hyb_check_columns_alarm(lu->check) != NULL)
        seen->first = *hyb_check_columns_alarm(lu->check);
    hyb_factorization_free(lu);
    hpl_system_destroy(system);
}

/* ||x - y|| / ||y||, infinity norms, of all processes. */
static double distance(const double *x, const double *y, int64_t count)
{
    double most[2] = {0.0, 0.0};

    for (int64_t j = 0; j < count; j++) {
        double d = fabs(x[j] - y[j]);

        most[0] = d <= most[0] ? most[0] : (isnan(d) ? INFINITY : d);
        most[1] = fmax(most[1], fabs(y[j]));
    }
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most[0] / most[1];
}

/* The process that this one names. */
static int named(const seen_t *seen, int rank)
{
    return seen->first.sender >= 0 ? seen->first.sender : rank;
}

/* The process that is named by the first alarm: the one that would end the job.
 * All processes have one clock. */
static int first_finder(const seen_t *seen)
{
    struct {
        double when;
        int rank;
    } mine = {seen->work.wrong > 0 ? seen->first.seconds : HUGE_VAL, 0};

    MPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
    mine.rank = named(seen, mine.rank);
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE_INT, MPI_MINLOC,
                  MPI_COMM_WORLD);
    return mine.when < HUGE_VAL ? mine.rank : -1;
}

/* The device that finder names, or -1. */
static int first_device(const seen_t *seen, int finder)
{
    int rank, device = -1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (seen->work.wrong > 0 && named(seen, rank) == finder)
        device = seen->first.device;
    MPI_Allreduce(MPI_IN_PLACE, &device, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return device;
}

static void say(const fault_t *fault, int64_t number, seen_t *seen, double away)
{
    int total[2] = {seen->work.wrong, fault_happened()};
    int finder = first_finder(seen), device = first_device(seen, finder), rank;
    int most[] = {fault_receiver(), fault_operation(),
                  seen->work.wrong > 0 ? (int)seen->first.kind : -1};
    double closest = seen->work.closest;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &closest, 1, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    if (rank > 0)
        return;
    printf("{\"number\": %lld, \"fault\": \"%s\", \"rank\": %d, \"happened\": "
           "%d, \"found\": %d, \"finder\": %d, \"to\": %d, "
           "\"kind\": %d, \"device\": %d, \"named\": %d, "
           "\"operation\": \"%s\", \"distance\": %.3g, \"closest\": %.3g}\n",
           (long long)number, fault_name(fault), fault->rank, total[1],
           total[0], finder, most[0], most[2], fault->device, device,
           most[1] < 0 ? "" : hyb_op_name((hyb_op_t)most[1]),
           isfinite(away) ? away : 1e300, isfinite(closest) ? closest : 1e300);
    fflush(stdout);
}

/* What this process's devices are called in messages: their numbers among all
 * of their kind. A line of them, by process. */
static void say_devices(void)
{
    hyb_machine_t *machine = hyb_solver_resources()->machine;
    int count = hyb_machine_devices(machine), rank, processes;
    hyb_device_info_t info;
    int called[HYB_EXECUTORS];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int i = 0; i < HYB_EXECUTORS; i++)
        called[i] =
            i < count && hyb_device_describe(hyb_machine_device(machine, i),
                                             &info) == XH_OK
                ? info.index
                : -1;
    int all[processes][HYB_EXECUTORS];
    MPI_Gather(called, HYB_EXECUTORS, MPI_INT, all, HYB_EXECUTORS, MPI_INT, 0,
               MPI_COMM_WORLD);
    for (int p = 0; p < processes && rank == 0; p++)
        for (int i = 0; i < HYB_EXECUTORS && all[p][i] >= 0; i++)
            printf("{\"rank\": %d, \"device\": %d, \"called\": %d}\n", p, i,
                   all[p][i]);
}

/* ---- all runs ------------------------------------------------------------ */

static void run_all(HPL_T_grid *grid, const job_t *job)
{
    HPL_T_palg algo = algorithm();
    fault_t fault = {.where = FAULT_NOWHERE, .device = -1};
    size_t bytes = ((size_t)job->n + 1) * sizeof(double);
    double *clean = malloc(bytes), *x = malloc(bytes);
    int devices = hyb_machine_devices(hyb_solver_resources()->machine);
    int64_t columns;
    seen_t seen;

    /* all draw the same fault */
    MPI_Allreduce(MPI_IN_PLACE, &devices, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (clean == NULL || x == NULL)
        hpl_abort_job();
    solve(grid, &algo, job, &fault, clean, &seen);
    columns =
        HPL_numrocI(job->n, 0, job->nb, job->nb, grid->mycol, 0, grid->npcol);
    for (int64_t i = job->first; i < job->first + job->count; i++) {
        fault = fault_draw((uint64_t)i, job->bits, grid->nprocs, devices);
        if (grid->iam == 0)
            printf("{\"begins\": %lld, \"fault\": \"%s\", \"rank\": %d, "
                   "\"device\": %d}\n",
                   (long long)i, fault_name(&fault), fault.rank, fault.device);
        fflush(stdout);
        solve(grid, &algo, job, &fault, x, &seen);
        say(&fault, i, &seen, distance(x, clean, columns));
    }
    free(clean);
    free(x);
}

static bool read_job(int argc, char **argv, job_t *job)
{
    static const char *const bits[] = {"none", "single", "several"};

    if (argc < 8)
        return false;
    *job = (job_t){.n = atoi(argv[1]),
                   .nb = atoi(argv[2]),
                   .nprow = atoi(argv[3]),
                   .npcol = atoi(argv[4]),
                   .first = atoll(argv[5]),
                   .count = atoll(argv[6])};
    for (int i = 0; i < 3; i++)
        if (strcmp(argv[7], bits[i]) == 0)
            job->bits = (fault_bits_t)i;
    for (int i = 8; i < argc; i++)
        if (xh_settings_assign(argv[i]) != XH_OK)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    int rank, provided, status = XH_EXIT_INPUT;
    HPL_T_grid grid;
    job_t job;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    xh_log_identify("xinject", rank, "this host");
    xh_log_limit(XH_LOG_WARNING);
    if (xh_settings_load() == XH_OK && read_job(argc, argv, &job) &&
        hyb_solver_open(provided >= MPI_THREAD_FUNNELED) == XH_OK) {
        HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, job.nprow, job.npcol,
                      &grid);
        say_devices();
        run_all(&grid, &job);
        HPL_grid_exit(&grid);
        hyb_solver_close();
        status = XH_EXIT_PASSED;
    }
    MPI_Finalize();
    return status;
}
