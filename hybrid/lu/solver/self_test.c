/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/self_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arithmetic.h"
#include "base/blas_library.h"
#include "base/log.h"
#include "base/memory.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/solver/self_test.h"
#include "hpl/solver/system.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/solver/factorization.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/observer.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/system/back_substitution.h"
#include "hybrid/lu/system/generate.h"
#include "hybrid/lu/system/residual.h"
#include "hybrid/lu/tune/dealing.h"

enum { TEXT = 192 };

/* A system, and the resources that solve it. */
typedef struct {
    hyb_resources_t resources;
    HPL_T_grid *grid;
    HPL_T_palg algo;
    hpl_self_test_size_t size;
} run_t;

/* ---- the observer: which threads multiply; the watchdog's phase ---------- */

static hyb_phase_t phase;
static const hyb_observer_t *observed;
static bool all_multiplied; /* in the last factorization */

static void begin(const hyb_observer_t *run)
{
    observed = run;
    hyb_phase_begin(&phase, "in the self-test");
}

static void step(int64_t columns_left)
{
    (void)columns_left;
    hyb_phase_step(&phase);
}

static void iteration(const hyb_iteration_t *row)
{
    (void)row;
}

static void end(void)
{
    all_multiplied = true;
    for (int i = 0; i < observed->members; i++)
        if (hyb_timer_lap(&observed->worker[i], 1).flop == 0.0)
            all_multiplied = false;
    hyb_phase_end(&phase);
}

/* ---- one system ---------------------------------------------------------- */

static xh_status_t prepare(run_t *r, hpl_system_t **system_p)
{
    hpl_shape_t shape = hpl_system_shape(r->grid, r->size.n, r->size.nb);
    int spare = HYB_CHECK_COLUMNS * hyb_deal_checked(&r->resources, &shape);
    hpl_system_t *system;
    hyb_lu_t *lu = NULL;
    xh_status_t status;

    XH_TRY(hpl_system_create(r->grid, &r->algo, r->size.n, r->size.nb, spare,
                             r->resources.resident ? xh_memory_reserve
                                                   : xh_memory_allocate,
                             &system));
    status = hpl_agree(r->grid->all_comm,
                       hyb_factorization_prepare(&r->resources, r->grid,
                                                 &r->algo, &system->mat, &lu));
    system->prepared = lu;
    *system_p = system;
    return status;
}

/* Factor and solve. Return true if no alarm was raised on this process. */
static bool factor(hpl_system_t *system)
{
    hyb_lu_t *lu = system->prepared;
    bool right;

    hyb_generate_homes(lu, HPL_ISEED);
    hyb_factorization_run(lu);
    hyb_back_substitution(lu);
    right = hyb_check_columns_alarm(lu->check) == NULL;
    hyb_factorization_free(lu);
    system->prepared = NULL;
    return right;
}

static bool is_near(double a, double b)
{
    static const double near = 1e-10;

    return fabs(a - b) <= near * fabs(b);
}

/* Set `why` to what is wrong with x, or with the check; "" if nothing is. */
static void judge(const run_t *r, hpl_system_t *system, char *why)
{
    hpl_norms_t n, plain;

    hyb_check_solution(&r->resources, r->grid, &system->mat, HPL_ISEED, &n);
    hpl_self_test_judge(system, &plain, why);
    if (why[0] == '\0' &&
        !(is_near(n.a_inf, plain.a_inf) && is_near(n.a_one, plain.a_one) &&
          is_near(n.b_inf, plain.b_inf)))
        snprintf(why, HPL_SELF_TEST_WHY,
                 "norms of A and b are %g, %g and %g, and must be %g, %g and "
                 "%g",
                 n.a_inf, n.a_one, n.b_inf, plain.a_inf, plain.a_one,
                 plain.b_inf);
    if (why[0] == '\0' && !hpl_self_test_is_small(&n, r->size.n))
        snprintf(why, HPL_SELF_TEST_WHY,
                 "the check finds a scaled residual of %g, and must find %g",
                 hpl_scaled_residual(&n, r->size.n),
                 hpl_scaled_residual(&plain, r->size.n));
}

/* Solve and judge. If x is wrong and no process raised an alarm, process 0 logs
 * so. */
static bool solve_prepared(const run_t *r, hpl_system_t *system)
{
    bool right = factor(system);
    bool all =
        hpl_agree(r->grid->all_comm, right ? XH_OK : XH_ERR_INTERNAL) == XH_OK;
    char why[HPL_SELF_TEST_WHY];

    judge(r, system, why);
    if (!all || why[0] == '\0' || r->grid->iam > 0)
        return right;
    xh_log_error("trust: wrong result of %s: N = %d, NB = %d: %s",
                 r->resources.self_test, r->size.n, r->size.nb, why);
    return false;
}

/* Solve a system on `executor`, whose name is logged with errors. */
static bool solve(run_t *r, const char *executor)
{
    hpl_system_t *system = NULL;
    xh_status_t status;
    bool right = true;

    r->resources.self_test = executor;
    status = prepare(r, &system);
    if (status == XH_OK)
        right = solve_prepared(r, system);
    else
        xh_log_warning("trust: %s: not tested: %s", executor,
                       xh_status_text(status));
    if (system != NULL)
        hyb_factorization_free(system->prepared);
    hpl_system_destroy(system);
    return right;
}

/* ---- this process alone -------------------------------------------------- */

static void name_cores(const hyb_resources_t *resources, char *text)
{
    xh_blas_library_t blas = xh_blas_library_identify();
    char library[TEXT];

    snprintf(library, TEXT, "BLAS library %s %s", blas.name, blas.version);
    if (resources->by_blas)
        snprintf(text, 2 * TEXT, "cores (%s, kernel %s)", library,
                 resources->kernel->name);
    else
        snprintf(text, 2 * TEXT, "cores (kernel %s, %s)",
                 resources->kernel->name, library);
}

/* Test the cores; repeat if a thread got no columns because other threads were
 * faster. */
static bool test_cores(run_t r)
{
    enum { TRIES = 4 };
    char name[2 * TEXT];
    bool right = true;

    name_cores(&r.resources, name);
    r.resources.resident = r.resources.offloads = all_multiplied = false;
    for (int i = 0; i < TRIES && right && !all_multiplied; i++)
        right = solve(&r, name);
    return right;
}

/* Can this process keep columns where the test would? If not, the test logs the
 * reason when it begins. */
static bool is_able(const run_t *r)
{
    char why[TEXT];

    return !r->resources.resident ||
           hyb_place_device_able(&r->resources, r->grid->nprow, why, TEXT);
}

/* Test one device as the test uses it: with columns that live on it, or with
 * columns of the host that visit it. If both the team and the device may factor
 * panels of its columns, test each. */
static bool test_device(run_t r, const hyb_device_info_t *info)
{
    double rows =
        hyb_place_device_panel_rows(hyb_machine_device(r.resources.machine, 0));
    bool either = strcmp(hyb_resources_panel(&r.resources), "auto") == 0;
    char name[TEXT];

    snprintf(name, TEXT, "device %s:%d", info->backend, info->index);
    if (!is_able(&r))
        return true;
    if (!r.resources.resident || !either)
        return solve(&r, name);
    r.resources.panel = "host";
    if (!solve(&r, name))
        return false;
    r.resources.panel = "device";
    return rows < 1.0 || solve(&r, name);
}

/* Test the cores alone (device -1), or the cores with one device. */
static bool test_alone(const hyb_resources_t *resources, run_t r, int device)
{
    bool right;

    r.resources.machine = hyb_machine_alone(resources->machine, device);
    if (r.resources.machine == NULL)
        return true;
    right =
        device < 0
            ? test_cores(r)
            : test_device(r, hyb_machine_device_info(r.resources.machine, 0));
    free(r.resources.machine);
    return right;
}

static void check_arithmetic(void *wrong, int member)
{
    (void)member;
    xh_arithmetic_is_right(wrong);
}

static bool test_process(const run_t *grid)
{
    const hyb_resources_t *resources = &grid->resources;
    int devices = hyb_machine_devices(resources->machine);
    run_t r = *grid;
    HPL_T_grid alone;
    _Atomic int wrong = 0;
    bool right;

    hyb_team_run(resources->team, check_arithmetic, &wrong);
    HPL_grid_init(MPI_COMM_SELF, HPL_ROW_MAJOR, 1, 1, &alone);
    r.grid = &alone;
    r.resources.device_mpi = false;
    right = wrong == 0 && test_alone(resources, r, -1);
    for (int d = 0; d < devices && right; d++)
        if (hyb_machine_works(resources->machine, d))
            right = test_alone(resources, r, d);
    HPL_grid_exit(&alone);
    return right;
}

/* ---- all processes ------------------------------------------------------- */

/* Return the flop of a system that takes some hundredths of a second on this
 * process. */
static double flop_of(const hyb_resources_t *resources, int nb)
{
    static const double of_a_thread = 3e8, seconds = 0.05;
    int devices = hyb_machine_devices(resources->machine);
    double flop = of_a_thread * hyb_team_size(resources->team);

    for (int d = 0; d < devices; d++) {
        double rate = hyb_machine_rate(resources->machine, d, nb);

        if (rate > 0.0)
            flop = fmin(flop, seconds * rate);
    }
    return flop / (1 + devices);
}

bool hyb_self_test(const hyb_resources_t *resources, HPL_T_grid *grid,
                   const HPL_T_palg *algo, int n, int nb)
{
    run_t r = {.resources = *resources, .grid = grid, .algo = *algo};
    double flop = flop_of(resources, nb);
    bool right, continues;

    MPI_Allreduce(MPI_IN_PLACE, &flop, 1, MPI_DOUBLE, MPI_MIN, grid->all_comm);
    r.resources.checked = true;
    r.resources.observer = (hyb_observer_t){
        .begin = begin, .step = step, .iteration = iteration, .end = end};
    r.size = hpl_self_test_size(n, nb, grid->nprocs, 1, flop);
    right = test_process(&r);
    continues = right && is_able(&r);
    if (hpl_agree(grid->all_comm, continues ? XH_OK : XH_ERR_INTERNAL) !=
            XH_OK ||
        (grid->nprocs == 1 && hyb_machine_devices(resources->machine) < 2))
        return right;
    r.size = hpl_self_test_size(n, nb, grid->nprocs, grid->nprocs, flop);
    return solve(&r, grid->nprocs > 1 ? "messages of the grid" : "all devices");
}
