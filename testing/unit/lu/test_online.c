/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * The online check in whole factorizations: silent where all is right, and what
 * it says where the kernel or a device is wrong for a moment.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "hybrid/device/device_private.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/state/resources.h"

/* A kernel of which one product is wrong in one element. */
static const hyb_kernel_t *real;
static hyb_kernel_t wrong;
static _Atomic int products;
static int wrong_product;
static bool in_panels;                   /* elements of panels are, instead */
static double usual_error = 1e-3, error; /* of an element */

static void multiply(int64_t k, const double *a, const double *b, double *c,
                     int64_t ldc, const double *ahead)
{
    real->multiply(k, a, b, c, ldc, ahead);
    if (!in_panels && atomic_fetch_add(&products, 1) == wrong_product)
        c[1] += error;
}

static hyb_candidate_t eliminate(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count)
{
    if (in_panels && e->cols > 0 &&
        atomic_fetch_add(&products, 1) == wrong_product)
        first[e->depth * real->rows] += error;
    return real->eliminate(e, first, stride, count);
}

/* On one process the product of that number is wrong; below 0: none. */
static void choose(int process, int product)
{
    atomic_store(&products, 0);
    error = usual_error;
    wrong_product = unit_rank() == process ? product : -1;
}

static void plant(int process, int product)
{
    hyb_resources_t *resources = (hyb_resources_t *)hyb_solver_resources();

    real = resources->kernel;
    wrong = *real;
    wrong.multiply = multiply;
    wrong.eliminate = eliminate;
    resources->kernel = &wrong;
    choose(process, product);
}

/* ---- the same of a device ------------------------------------------------ */

static const hyb_backend_t *backend;
static hyb_backend_t wrong_backend;

/* A product that C of columns on a device is updated by: what U is solved by
 * has fewer rows, what a panel is factored by fewer columns. */
static bool is_update(const hyb_task_t *t)
{
    return t->op == HYB_OP_GEMM && t->gemm.alpha == -1.0 &&
           t->gemm.c.rows > 60 && t->gemm.c.cols >= 24;
}

static void wait_for(void *state, void *queue)
{
    void *event;
    bool done = false;

    assert_ok(backend->event_create(state, &event));
    assert_ok(backend->event_record(state, queue, event));
    while (!done)
        assert_ok(backend->event_wait(state, event, 1.0, &done));
    backend->event_destroy(state, event);
}

static xh_status_t work(void *state, void *queue, const hyb_task_t *task)
{
    xh_status_t status = backend->work(state, queue, task);
    hyb_device_view_t c = task->gemm.c;

    if (status != XH_OK || !is_update(task) ||
        atomic_fetch_add(&products, 1) != wrong_product)
        return status;
    wait_for(state, queue);
    ((double *)c.buffer->memory)[c.offset + c.rows - 1] += error;
    return XH_OK;
}

static void plant_on_device(int process, int product)
{
    hyb_device_t *device =
        hyb_machine_device(hyb_solver_resources()->machine, 0);

    backend = device->backend;
    wrong_backend = *backend;
    wrong_backend.work = work;
    device->backend = &wrong_backend;
    choose(process, product);
}

/* One system on all processes, of several iterations on each. */
static combination_t medium(void)
{
    const combinations_t of = {NARROWED({N, 250, 250, 1}, {NB, 24, 24, 1})};
    uint64_t random = 5;
    combination_t c = combination_next(&of, &random);

    c.value[P] = c.value[Q] = unit_processes() == 4 ? 2 : 1;
    return c;
}

/* Solve it with such a kernel on the last process; what all say of it. */
static const char *solve_with(const char *settings, int product,
                              const char **said_p)
{
    combination_t c = medium();
    const char *problem;

    solver_open(settings);
    plant(unit_processes() - 1, product);
    *said_p = heard(problem = combination_solve(&c));
    solver_close();
    return problem;
}

/* Here or on another process. */
static bool anywhere(bool here)
{
    int any = here;

    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

/* Random parameters, with so many devices on each process. */
static void raise_no_alarm(int devices, const char *settings)
{
    const combinations_t of = {.seed = 7, .count = 3, .settings = settings};
    const char *said;
    int failures;

    solver_open_with_devices(devices, settings);
    said = heard(failures = combinations_solve(&of));
    solver_close();
    if (strstr(said, "wrong") != NULL)
        fail_msg("%s", said);
    combinations_end(failures);
}

#define CHECKED "threads=2 verify=online verify_every=1 on_error=report "

TEST_CALL(right_results_raise_no_alarm, raise_no_alarm(0, CHECKED))

TEST_CALL(right_results_of_devices_raise_no_alarm,
          raise_no_alarm(1, CHECKED "home=device panel=host"))

TEST_CALL(right_panels_of_several_devices_raise_no_alarm,
          raise_no_alarm(2, CHECKED "home=device panel=device"))

TEST_CALL(right_columns_that_meet_groups_raise_no_alarm,
          raise_no_alarm(2, "threads=2 verify=online verify_every=3 "
                            "on_error=report home=device group=4"))

TEST(a_wrong_product_is_found_where_it_was)
{
    const char *said, *problem;
    bool named, is_wrong;

    problem = solve_with(
        "threads=2 kernel=portable verify=online on_error=report", 100, &said);
    is_wrong = anywhere(problem != NULL);
    named = strstr(said, "row of the matrix is wrong") != NULL;
    combinations_end(!is_wrong ||
                     named != (unit_rank() == unit_processes() - 1));
}

/* Does the process with the wrong product say so, or another one name it? */
static bool is_blamed(const char *said)
{
    int last = unit_processes() - 1;
    char from[32];

    snprintf(from, sizeof(from), "from rank %d", last);
    return anywhere(unit_rank() == last ? strstr(said, "wrong") != NULL
                                        : strstr(said, from) != NULL);
}

/* Also where the top lost the row, or got it, while the panel was factored. */
TEST(a_panel_is_blamed_on_who_was_wrong)
{
    int others = 0;

    in_panels = true;
    for (int product = 0; product < 120; product += 15) {
        const char *said,
            *problem = solve_with("threads=1 kernel=portable verify=online "
                                  "on_error=report",
                                  product, &said);

        if (anywhere(problem != NULL) && !is_blamed(said)) {
            printf("# product %d\n", product);
            others++;
        }
    }
    in_panels = false;
    combinations_end(others);
}

/* Neither is lost where sums of them are no number, either. */
TEST(what_is_huge_or_no_number_is_found)
{
    static const double errors[] = {1e160, 1e300, INFINITY, NAN};
    int missed = 0;

    for (size_t e = 0; e < COUNT_OF(errors); e++)
        for (int product = 0; product < 100; product += 50) {
            const char *said, *problem;

            usual_error = errors[e];
            in_panels = product % 100 == 0;
            problem = solve_with("threads=2 kernel=portable verify=online "
                                 "on_error=report",
                                 product, &said);
            if (anywhere(problem != NULL) &&
                !anywhere(strstr(said, "wrong") != NULL)) {
                printf("# %g in product %d\n", errors[e], product);
                missed++;
            }
        }
    usual_error = 1e-3;
    in_panels = false;
    combinations_end(missed);
}

/* ---- devices ------------------------------------------------------------- */

/* What is said of a wrong product of the device of the last process. */
static bool is_named_on_device(const char *settings, int product)
{
    combination_t c = medium();
    int process = unit_processes() - 1;
    const char *said;
    bool named;

    solver_open_with_devices(1, settings);
    plant_on_device(process, product);
    said = heard(combination_solve(&c));
    solver_close();
    named = strstr(said, "by device 0") != NULL;
    return !anywhere(named != (unit_rank() == process));
}

static void find_on_device(const char *settings)
{
    bool right = true;

    for (int product = 3; product < 8; product += 4)
        right = is_named_on_device(settings, product) && right;
    combinations_end(!right);
}

#define FOUND "threads=2 verify=online verify_every=1 on_error=report "

TEST_CALL(a_wrong_element_on_a_device_is_found,
          find_on_device(FOUND "home=device panel=host"))

TEST_CALL(a_wrong_element_of_a_device_that_factors_panels_is_found,
          find_on_device(FOUND "home=device panel=device"))

TEST_CALL(a_wrong_element_of_columns_that_meet_groups_is_found,
          find_on_device("threads=2 verify=online verify_every=4 "
                         "on_error=report home=device panel=host group=3"))

/* ---- guests -------------------------------------------------------------- */

/* Half of the columns come to the device in turns, which has this product of
 * all wrong; what is said. */
static const char *say_with_guests(const char *settings, int product)
{
    const combinations_t of = {NARROWED({N, 700, 700, 1}, {NB, 24, 24, 1},
                                        {P, 1, 1, 1}, {Q, 1, 1, 1})};
    uint64_t random = 5;
    combination_t c = combination_next(&of, &random);
    const char *said;

    solver_open_with_devices(1, settings);
    plant_on_device(0, product);
    said = heard(combination_solve(&c));
    solver_close();
    return said;
}

#define GUESTS                                                                 \
    "verify=online on_error=report home=device emu_memory=3 panel=device"

TEST(a_wrong_element_of_a_guest_is_found)
{
    bool right = true;

    if (unit_processes() == 1)
        right = strstr(say_with_guests(GUESTS, -1), "wrong") == NULL &&
                strstr(say_with_guests(GUESTS " group=3", -1), "wrong") == NULL;
    for (int i = 0; unit_processes() == 1 && i < 4; i++)
        right = strstr(say_with_guests(GUESTS, 10 + 32 * i), "by device 0") !=
                    NULL &&
                right;
    combinations_end(!right);
}
