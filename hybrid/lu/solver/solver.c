/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/solver/system.h"
#include "hybrid/observe/observers.h"
#include "hybrid/observe/sensors.h"
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/open/device_mpi.h"
#include "hybrid/lu/open/log_lines.h"
#include "hybrid/lu/open/node_processes.h"
#include "hybrid/lu/open/rates.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/solver/factorization.h"
#include "hybrid/lu/solver/self_test.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/back_substitution.h"
#include "hybrid/lu/system/generate.h"
#include "hybrid/lu/system/huge_pages.h"
#include "hybrid/lu/system/residual.h"
#include "hybrid/lu/tune/dealing.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/split.h"

/* This process's share of its node. A process has one solver. */
static hyb_resources_t resources;
static hyb_iterations_t record;
static hyb_node_processes_t node_processes;
static bool logged_depth, logged_forms; /* in this run */
static hpl_shape_t logged_plan;         /* shape of the plan logged last */
static bool devices_refused; /* devices refused memory for the columns */
static bool test_passed;     /* did the newest test pass? */

static const double usual_threshold = 16.0; /* of the scaled residual */

/* Is `mine` true on any process? */
static bool anywhere(MPI_Comm comm, bool mine)
{
    int any = mine;

    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    return any != 0;
}

/* ---- the socket ---------------------------------------------------------- */

/* Return the resources for a system of `shape`: homes and check columns depend
 * on it. A matrix in a caller's array uses `resources` as they are, so that the
 * host computes its columns. */
static hyb_resources_t system_resources(const hpl_shape_t *shape)
{
    hyb_resources_t mine = resources;

    mine.resident =
        !devices_refused && hyb_residence_is_device(xh_settings_text("home"),
                                                    &resources.figures, shape);
    mine.checked = hyb_check_columns_wanted(&mine, shape->n, shape->nprow);
    return mine;
}

/* Return the number of check columns, which follow b. */
static int spare_columns(const hyb_resources_t *mine, const hpl_shape_t *shape)
{
    return HYB_CHECK_COLUMNS * hyb_deal_checked(mine, shape);
}

static uint64_t bytes(const hpl_shape_t *shape)
{
    enum { PAGE = 4096 };
    HPL_T_pmat mat = hpl_system_matrix(shape);
    hyb_resources_t mine = system_resources(shape);
    /* The host holds the diagonal blocks' pages of columns on devices. */
    uint64_t diagonal =
        (uint64_t)Mmin(mat.nb, mat.n) * sizeof(double) + 2 * PAGE;
    uint64_t factor = hyb_factorization_bytes(&mine, shape);
    uint64_t check = hyb_check_bytes(shape, hyb_team_size(mine.team));
    int64_t columns; /* held by devices */

    mat.nq = (int)hyb_deal_host_columns(&mine, shape);
    columns = hpl_system_columns(shape) - mat.nq;
    return hpl_system_matrix_bytes(&mat, spare_columns(&mine, shape),
                                   shape->align) +
           (uint64_t)columns * diagonal + Mmax(factor, check);
}

static void destroy(hpl_system_t *system)
{
    if (system != NULL) {
        hyb_factorization_free(system->prepared);
        if (hyb_machine_devices(resources.machine) > 0)
            hyb_machine_unpin(resources.machine, system->mat.A);
    }
    hpl_system_destroy(system);
}

/* Pin the columns for which devices have no room, so that devices access them
 * at full speed. Pinning is slow, so this happens before the timed phase. */
static void pin(hpl_system_t *system, const hyb_resources_t *mine)
{
    HPL_T_pmat mat = system->mat;
    hpl_shape_t shape = hpl_system_shape(system->grid, mat.n, mat.nb);

    mat.nq = (int)hyb_deal_columns_left(mine, &shape);
    if (hyb_machine_working_devices(resources.machine) == 0 || mat.nq == 0)
        return;
    xh_memory_prefer_huge(mat.A,
                          (size_t)mat.ld * (size_t)mat.nq * sizeof(double));
    hyb_generate_touch(resources.team, &mat);
    hyb_machine_pin(resources.machine,
                    (xh_view_t){mat.A, mat.mp, mat.nq, mat.ld});
}

/* Prepare this process's part of the factorization. */
static xh_status_t prepare(hpl_system_t *system, const hyb_resources_t *mine)
{
    hyb_lu_t *prepared = NULL;
    char why[160];
    xh_status_t status;

    if (mine->resident &&
        !hyb_place_device_able(mine, system->grid->nprow, why, sizeof(why))) {
        if (strcmp(xh_settings_text("home"), "device") != 0)
            return XH_ERR_INPUT;
        xh_log_error("home=device: %s", why);
        return hyb_machine_working_devices(mine->machine) <
                       hyb_machine_devices(mine->machine)
                   ? XH_ERR_DEVICE
                   : XH_ERR_INPUT;
    }
    pin(system, mine);
    status = hyb_factorization_prepare(mine, system->grid, system->algo,
                                       &system->mat, &prepared);
    system->prepared = prepared;
    return status;
}

static bool plan(const hpl_system_t *system, hpl_plan_t *plan_p)
{
    return system->prepared != NULL &&
           hyb_factorization_plan(system->prepared, plan_p);
}

/* Log the plan on process 0, unless the last plan was for the same shape. */
static void log_plan(const hpl_system_t *system)
{
    hpl_shape_t shape =
        hpl_system_shape(system->grid, system->mat.n, system->mat.nb);
    hpl_plan_t p;

    if (system->grid->iam > 0 ||
        memcmp(&shape, &logged_plan, sizeof(shape)) == 0 || !plan(system, &p))
        return;
    hyb_log_plan(&shape, &p);
    logged_plan = shape;
}

static xh_status_t create_by(const hyb_resources_t *mine, HPL_T_grid *grid,
                             HPL_T_palg *algo, int n, int nb,
                             hpl_system_t **system_p)
{
    hpl_shape_t shape = hpl_system_shape(grid, n, nb);
    hpl_system_t *system;
    xh_status_t status;

    XH_TRY(hpl_system_create(
        grid, algo, n, nb, spare_columns(mine, &shape),
        mine->resident ? xh_memory_reserve : xh_memory_allocate, &system));
    status = hpl_agree(grid->all_comm, prepare(system, mine));
    if (status == XH_OK)
        *system_p = system;
    else
        destroy(system);
    return status;
}

/* Create a system. If devices refuse memory for its columns, the columns live
 * on the host from now on, unless home=device. */
static xh_status_t create_by_home(HPL_T_grid *grid, HPL_T_palg *algo, int n,
                                  int nb, hpl_system_t **system_p)
{
    hpl_shape_t shape = hpl_system_shape(grid, n, nb);
    hyb_resources_t mine;
    xh_status_t status;

    shape.depth = algo->depth;
    devices_refused = anywhere(grid->all_comm, devices_refused);
    mine = system_resources(&shape);
    status = create_by(&mine, grid, algo, n, nb, system_p);
    if (status == XH_OK || !mine.resident ||
        strcmp(xh_settings_text("home"), "device") == 0)
        return status;
    if (grid->iam == 0)
        xh_log_info("home=%s: the matrix lives in host memory: the devices "
                    "could not allocate memory for its columns",
                    xh_settings_text("home"));
    devices_refused = true;
    mine.resident = false;
    return create_by(&mine, grid, algo, n, nb, system_p);
}

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                          hpl_system_t **system_p)
{
    hpl_system_t *system;
    xh_status_t status;

    XH_TRY(create_by_home(grid, algo, n, nb, &system));
    status = hyb_checkpoint_create(system->prepared);
    if (status == XH_OK) {
        log_plan(system);
        *system_p = system;
    } else
        destroy(system);
    return status;
}

/* Is the system's prepared factorization still unused? */
static bool is_fresh(const hpl_system_t *system)
{
    return system->prepared != NULL &&
           !hyb_factorization_is_over(system->prepared);
}

static void generate(hpl_system_t *system, int seed)
{
    hyb_lu_t *lu = is_fresh(system) ? system->prepared : NULL;

    if (lu == NULL)
        hyb_generate(&resources, system->grid, &system->mat, seed);
    else if (!hyb_checkpoint_resumes(lu->checkpoint, seed))
        hyb_generate_homes(lu, seed);
    hyb_huge_pages_verify(system->grid, &system->mat, lu);
}

static void run(hyb_lu_t *prepared, const HPL_T_grid *grid,
                const HPL_T_palg *algo)
{
    if (grid->iam == 0) {
        logged_depth = logged_depth || hyb_log_depth(algo);
        logged_forms = logged_forms || hyb_log_forms(algo);
    }
    hyb_factorization_run(prepared);
    hyb_back_substitution(prepared);
}

static void solve_array(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *array)
{
    hyb_lu_t *prepared;

    if (hyb_factorization_prepare(&resources, grid, algo, array, &prepared) !=
        XH_OK)
        HPL_pabort(__LINE__, "HPL_pdgesv", "out of memory");
    run(prepared, grid, algo);
    hyb_factorization_free(prepared);
}

/* The first solution of a system uses its prepared factorization. */
static void solve(hpl_system_t *system, int *info_p)
{
    if (!is_fresh(system))
        solve_array(system->grid, system->algo, &system->mat);
    else
        run(system->prepared, system->grid, system->algo);
    *info_p = system->mat.info;
}

/* The factorization's memory is freed first, to make room for the check's. */
static void check(hpl_system_t *system, int seed, hpl_norms_t *norms_p)
{
    hyb_factorization_free(system->prepared);
    system->prepared = NULL;
    hyb_check_solution(&resources, system->grid, &system->mat, seed, norms_p);
    test_passed = hpl_scaled_residual(norms_p, system->mat.n) < usual_threshold;
}

static xh_status_t iterations(int process, double zero, char **csv_p,
                              size_t *size_p)
{
    return hyb_iterations_csv(&record, process, zero, csv_p, size_p);
}

static bool is_over(const hpl_system_t *system)
{
    return system->prepared != NULL &&
           hyb_factorization_is_over(system->prepared);
}

static bool work(const hpl_system_t *system, hpl_work_t *work_p)
{
    if (!is_over(system))
        return false;
    *work_p = hyb_factorization_work(system->prepared);
    return true;
}

static int device_work(const hpl_system_t *system, int most,
                       hpl_device_work_t *list_p)
{
    return is_over(system)
               ? hyb_factorization_device_work(system->prepared, most, list_p)
               : 0;
}

static bool checkpoints(const hpl_system_t *system, hpl_checkpoints_t *report_p)
{
    const hyb_lu_t *lu = system->prepared;

    return is_over(system) && hyb_checkpoint_report(lu->checkpoint, report_p);
}

/* List the node's first devices and the current values of their sensors. */
static int devices(int most, hpl_device_t *list_p)
{
    int count = Mmin(most, hyb_machine_devices(resources.machine));

    for (int i = 0; i < count; i++) {
        const hyb_device_info_t *info =
            hyb_machine_device_info(resources.machine, i);
        hyb_device_sensors_t now = {NAN, NAN, NAN, NAN};

        hyb_device_sensors(hyb_machine_device(resources.machine, i), &now);
        list_p[i] = (hpl_device_t){.memory = info->memory,
                                   .clock = now.clock,
                                   .temperature = now.temperature,
                                   .power = now.power,
                                   .energy = now.energy};
        snprintf(list_p[i].name, sizeof(list_p[i].name), "%s:%d", info->backend,
                 info->index);
        snprintf(list_p[i].model, sizeof(list_p[i].model), "%s", info->name);
        memcpy(list_p[i].serial, info->serial, sizeof(info->serial));
    }
    return count;
}

static hpl_clocks_t clocks(const int *cpus, int count)
{
    return hyb_sensors_clocks("", cpus, count);
}

static hpl_workers_t workers(void)
{
    return (hpl_workers_t){
        .threads = hyb_team_size(resources.team),
        .cpus = node_processes.cores,
        .machine = node_processes.machine,
        .kernel = resources.by_blas ? "blas" : resources.kernel->name};
}

static bool self_test(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb)
{
    hpl_shape_t shape = hpl_system_shape(grid, n, nb);
    hyb_resources_t mine;

    shape.depth = algo->depth;
    mine = system_resources(&shape);
    return hyb_self_test(&mine, grid, algo, n, nb);
}

static const hpl_solver_t hybrid_solver = {.name = "hybrid",
                                           .bytes = bytes,
                                           .create = create,
                                           .generate = generate,
                                           .solve = solve,
                                           .check = check,
                                           .destroy = destroy,
                                           .solve_array = solve_array,
                                           .iterations = iterations,
                                           .work = work,
                                           .device_work = device_work,
                                           .checkpoints = checkpoints,
                                           .plan = plan,
                                           .devices = devices,
                                           .clocks = clocks,
                                           .workers = workers,
                                           .self_test = self_test};

/* ---- open and close ------------------------------------------------------ */

/*
 * Choose the same kernel on all processes, from the instruction sets that all
 * have and the slowest rates: panels are sent in tiles of the kernel's height,
 * and results must not depend on which process had a disturbed trial.
 */
static void choose_kernel(void)
{
    hyb_kernels_t kernels = hyb_kernels_of_setting();
    const hyb_kernel_t *mine = hyb_kernels_fastest(&kernels);

    MPI_Allreduce(MPI_IN_PLACE, &kernels.set, 1, MPI_UNSIGNED, MPI_BAND,
                  MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, kernels.rate, XH_ISA_COUNT, MPI_DOUBLE, MPI_MIN,
                  MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &kernels.blas, 1, MPI_DOUBLE, MPI_MIN,
                  MPI_COMM_WORLD);
    resources.kernel = hyb_kernels_fastest(&kernels);
    resources.by_blas = hyb_resources_by_blas(&kernels, resources.kernel);
    if ((kernels.set & 1u << mine->isa) == 0)
        xh_log_warning(
            "all processes use kernel %s, because some processors lack %s",
            resources.kernel->name, mine->name);
}

static xh_status_t open_node(bool funneled)
{
    int threads = (int)xh_settings_int("threads");
    hyb_visible_devices_t visible = {.own = false};
    hyb_split_t split;
    xh_status_t status =
        hyb_node_processes_find(MPI_COMM_WORLD, &node_processes);

    if (status == XH_OK)
        status = hyb_split_of_setting(&split); /* refused before other work */
    if (status == XH_OK && !hyb_residence_share_is_valid())
        status = XH_ERR_INPUT;
    if (status == XH_OK)
        status = hyb_checkpoint_check_settings();
    if (!funneled && threads != 1) {
        xh_log_warning("only one thread computes, because this MPI library "
                       "does not support MPI_THREAD_FUNNELED");
        threads = 1;
    }
    if (status == XH_OK)
        status = hyb_node_processes_bind(&node_processes, threads);
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    status =
        hyb_visible_devices_find(MPI_COMM_WORLD, &node_processes, &visible);
    if (status == XH_OK)
        status = hyb_machine_open(threads, &node_processes.local, &visible,
                                  &resources.machine);
    free(visible.chosen);
    if (status == XH_OK) {
        resources.team = hyb_machine_team(resources.machine);
        resources.observer = hyb_observers(&record);
    }
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    return hyb_mpi_probe_device(resources.machine, &resources.device_mpi);
}

xh_status_t hyb_solver_open(bool funneled)
{
    int rank, processes;
    xh_status_t status;

    if (strcmp(xh_settings_text("solver"), "reference") == 0)
        return XH_OK;
    xh_blas_library_set_threads((int)xh_settings_int("blas_threads"));
    status = open_node(funneled);
    if (status != XH_OK) {
        hyb_solver_close();
        return status;
    }
    choose_kernel();
    resources.offloads =
        anywhere(MPI_COMM_WORLD, hyb_machine_devices(resources.machine) > 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank == 0)
        hyb_log_solver(&resources, node_processes.cores, processes);
    resources.figures = hyb_rates_measure(&resources);
    hpl_solver_install(&hybrid_solver);
    return XH_OK;
}

bool hyb_solver_results_kept(void)
{
    bool any = anywhere(MPI_COMM_WORLD, test_passed);

    if (any)
        hyb_checkpoint_clear(MPI_COMM_WORLD, test_passed);
    test_passed = false;
    return any;
}

const hyb_resources_t *hyb_solver_resources(void)
{
    return resources.machine != NULL ? &resources : NULL;
}

void hyb_solver_close(void)
{
    hpl_solver_install(NULL);
    hyb_iterations_free(&record);
    hyb_machine_close(resources.machine);
    resources = (hyb_resources_t){.machine = NULL};
    hyb_node_processes_free(&node_processes);
    logged_depth = logged_forms = devices_refused = false;
    logged_plan = (hpl_shape_t){.n = 0};
}
