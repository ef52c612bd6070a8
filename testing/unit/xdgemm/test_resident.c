/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/* Products in a device's memory: wrong ones are found, and products are queued
 * beside those that the host waits for, whatever the backend. */
#include "base/settings.h"
#include "hybrid/device/backend.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_cases.h"
#include "testing/unit/device/model_fixture.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/resident.h"

enum { M = 40, N = 30, K = 20, PRODUCTS = 25 };

#define TEST_SET_UP(name) TEST_OF_GEMM(name, "devices=none")

/* ---- a backend that counts what passes through it --------------------------
 */

static struct {
    const hyb_backend_t *of;
    int gemms, gemvs; /* queued */
    int waits;        /* of the host, for a product */
    int least; /* products queued beside that of a wait, while more come */
    int longest_copy; /* doubles of a copy to the host */
} counted;

static xh_status_t count_work(void *state, void *queue, const hyb_task_t *task)
{
    int64_t elements = task->op == HYB_OP_COPY_OUT
                           ? task->link.block.rows * task->link.block.cols
                           : 0;

    counted.gemms += task->op == HYB_OP_GEMM;
    counted.gemvs += task->op == HYB_OP_GEMV;
    if (elements > counted.longest_copy)
        counted.longest_copy = (int)elements;
    return counted.of->work(state, queue, task);
}

/* The host waits for product number `waits`; before the first it waits for its
 * operands. */
static xh_status_t count_wait(void *state, void *event, double seconds,
                              bool *done_p)
{
    if (counted.gemms > 0 && counted.waits < PRODUCTS) {
        int beside = counted.gemms - counted.waits - 1;

        counted.waits++;
        counted.least = beside < counted.least ? beside : counted.least;
    }
    return counted.of->event_wait(state, event, seconds, done_p);
}

/* Device 0 of backend, counted from here. */
static hyb_device_t *counted_device(const char *name)
{
    static hyb_backend_t backend;
    hyb_device_t *device = NULL;

    counted.of = device_cases_backend(name);
    counted.gemms = counted.gemvs = counted.waits = counted.longest_copy = 0;
    counted.least = PRODUCTS;
    backend = *counted.of;
    backend.work = count_work;
    backend.event_wait = count_wait;
    assert_ok(
        hyb_device_open((hyb_device_choice_t){&backend, 0}, NULL, 0, &device));
    return device;
}

/* ---- a torture of PRODUCTS products ----------------------------------------
 */

typedef struct { /* what was told, of all products */
    int products, wrong;
    int first_wrong; /* its number, from 1 */
    xdg_wrong_rows_t rows;
} told_t;

static bool tell(void *told, const xdg_wrong_rows_t *wrong)
{
    told_t *t = told;

    t->products++;
    if (wrong->count > 0 && t->wrong++ == 0) {
        t->first_wrong = t->products;
        t->rows = *wrong;
    }
    return t->products < PRODUCTS;
}

typedef struct {
    problem_t problem;
    xdg_row_check_t check;
} scene_t;

static scene_t scene(xh_trans_t trans)
{
    scene_t s = {.problem = problem_create(
                     (shape_t){M, N, K, trans, trans, 1.0, 0.0, 0}, false)};

    assert_ok(xdg_row_check_create(hyb_machine_team(gemm->machine),
                                   &s.problem.product, 7, &s.check));
    return s;
}

static void end_scene(scene_t *s)
{
    xdg_row_check_free(&s->check);
    problem_destroy(&s->problem);
}

/* The products on a device, which is closed. */
static told_t tortured(hyb_device_t *device, xh_trans_t trans,
                       xh_status_t expected)
{
    scene_t s = scene(trans);
    xdg_resident_t *resident = NULL;
    told_t told = {0};

    assert_ok(xdg_resident_open(device, &s.problem.product, &s.check,
                                DEVICE_PATIENCE, &resident));
    assert_int_equal(xdg_resident_run(resident, tell, &told), expected);
    xdg_resident_close(resident);
    hyb_device_close(device);
    end_scene(&s);
    return told;
}

/* While more products come, the host waits for one only if XDG_AHEAD - 1 are
 * queued behind it; checks are queued with them, and only vectors come back. */
static void check_never_empty(const char *backend, xh_trans_t trans)
{
    told_t told = tortured(counted_device(backend), trans, XH_OK);

    assert_int_equal(told.products, PRODUCTS + XDG_AHEAD - 1);
    assert_int_equal(told.wrong, 0);
    assert_int_equal(counted.gemms, told.products);
    assert_int_equal(counted.gemvs, told.products);
    assert_int_equal(counted.waits, PRODUCTS);
    assert_int_equal(counted.least, XDG_AHEAD - 1);
    assert_true(counted.least >= 1);
    assert_int_equal(counted.longest_copy, M);
}

TEST_SET_UP(products_are_queued_behind_the_one_waited_for_on_emu)
{
    check_never_empty("emu", XH_NO_TRANS);
    check_never_empty("emu", XH_TRANS);
}

TEST_SET_UP(products_are_queued_behind_the_one_waited_for_on_cuda)
{
    if (!model_fixture_begin(""))
        skip();
    check_never_empty("cuda", XH_NO_TRANS);
    check_never_empty("cuda", XH_TRANS);
    model_fixture_assert_nothing_left();
}

TEST_SET_UP(products_are_queued_behind_the_one_waited_for_on_opencl)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend = NULL;
    const char *reason;

    if (hyb_backend_find("opencl", &backend, why) != XH_OK ||
        backend->count(&reason) == 0)
        skip();
    check_never_empty("opencl", XH_NO_TRANS);
}

/* ---- wrong products --------------------------------------------------------
 */

/* What is told if a device has that fault. */
static told_t faulty(const char *fault, xh_status_t expected)
{
    told_t told;

    assert_ok(xh_settings_assign(fault));
    capture_begin();
    told = tortured(counted_device("emu"), XH_NO_TRANS, expected);
    capture_end(NULL);
    assert_ok(xh_settings_assign("emu_fault="));
    return told;
}

TEST_SET_UP(a_wrong_product_is_found_with_its_row)
{
    told_t told = faulty("emu_fault=flip@gemm:6", XH_OK);

    assert_int_equal(told.wrong, 1);
    assert_int_equal(told.first_wrong, 6);
    assert_int_equal(told.rows.count, 1);
    assert_int_equal(told.rows.worst, M / 2);
    told = faulty("emu_fault=flip@gemm:1,flip@gemm:28", XH_OK);
    assert_int_equal(told.wrong, 2);
}

/* An operand that is damaged on its way makes all products wrong. */
TEST_SET_UP(damaged_operands_make_all_products_wrong)
{
    told_t told = faulty("emu_fault=flip@copy_in:1", XH_OK);

    assert_int_equal(told.wrong, told.products);
    assert_int_equal(told.rows.count, 1); /* of A, hence a row */
    told = faulty("emu_fault=flip@copy_in:2", XH_OK);
    assert_int_equal(told.wrong, told.products);
    assert_int_equal(told.rows.count, M);
}

TEST_SET_UP(a_device_that_fails_ends_it)
{
    told_t told = faulty("emu_fault=fail@gemm:9", XH_ERR_DEVICE);

    assert_true(told.products < 9 && told.wrong == 0);
    told = faulty("emu_fault=oom@gemm:9", XH_ERR_MEMORY);
    assert_true(told.products < 9 && told.wrong == 0);
}

/* ---- the host --------------------------------------------------------------
 */

/* An element of A changes after the vectors were computed. */
TEST_SET_UP(the_host_multiplies_and_checks_as_well)
{
    scene_t s = scene(XH_TRANS);
    told_t told = {0};

    assert_ok(
        xdg_host_run(gemm->host, &s.problem.product, &s.check, tell, &told));
    assert_int_equal(told.products, PRODUCTS);
    assert_int_equal(told.wrong, 0);
    ((double *)s.problem.product.a.data)[0] += 1e-6;
    told = (told_t){0};
    assert_ok(
        xdg_host_run(gemm->host, &s.problem.product, &s.check, tell, &told));
    assert_int_equal(told.wrong, PRODUCTS);
    assert_int_equal(told.rows.worst, 0);
    assert_int_equal(told.rows.count, 1);
    end_scene(&s);
}
