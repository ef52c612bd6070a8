/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
#include "testing/ptest/run.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit_mpi.h"

#include <math.h>

/* A solver that solves nothing and ends as the case wants. */
struct hpl_system {
    int n;
};

enum { SYSTEMS_MOST = 64, TEXT_SIZE = 32768 };

static struct {
    xh_status_t create;
    int info;
    double x_inf;
    int created, destroyed;
    HPL_T_palg algorithm[SYSTEMS_MOST]; /* of each system created */
} fake;

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                          hpl_system_t **system_p)
{
    (void)grid;
    (void)nb;
    if (fake.create != XH_OK)
        return fake.create;
    fake.algorithm[fake.created++ % SYSTEMS_MOST] = *algo;
    *system_p = malloc(sizeof(**system_p));
    (*system_p)->n = n;
    return XH_OK;
}

static void generate(hpl_system_t *system, int seed)
{
    (void)system;
    assert_int_equal(seed, HPL_ISEED);
}

static void solve(hpl_system_t *system, int *info_p)
{
    (void)system;
    *info_p = fake.info;
}

static void check(hpl_system_t *system, int seed, hpl_norms_t *norms_p)
{
    (void)system;
    assert_int_equal(seed, HPL_ISEED);
    *norms_p = (hpl_norms_t){.a_inf = 1,
                             .a_one = 1,
                             .b_inf = 1,
                             .x_inf = fake.x_inf,
                             .x_one = fake.x_inf};
}

static void destroy(hpl_system_t *system)
{
    fake.destroyed++;
    free(system);
}

static const hpl_solver_t solver = {.name = "fake",
                                    .create = create,
                                    .generate = generate,
                                    .solve = solve,
                                    .check = check,
                                    .destroy = destroy};

static const xhpl_forecast_t unknown;
static xhpl_command_t command;
static xhpl_parameters_t *const parameters = &command.parameters;
static char text[TEXT_SIZE]; /* the report, on process 0 */

UNIT_STEP(setup)
{
    memset(&fake, 0, sizeof(fake));
    fake.x_inf = 1;
    memset(&command, 0, sizeof(command));
    xhpl_parameters_default(parameters);
    parameters->list[XHPL_N].value[0] = 100;
    hpl_solver_install(&solver);
}

UNIT_STEP(teardown)
{
    hpl_solver_install(NULL);
    assert_int_equal(fake.created, fake.destroyed);
}

/* Run, to end with status; returns what was said on stderr. */
static const char *run(int status)
{
    FILE *out = NULL;
    const char *said;
    bool solved;
    int found;

    memset(text, 0, sizeof(text));
    if (unit_rank() == 0)
        out = fmemopen(text, sizeof(text), "w");
    capture_begin();
    found = xhpl_run(&command, out, NULL, &unknown, NULL, &solved);
    if (out != NULL)
        fclose(out);
    said = capture_end(NULL);
    assert_int_equal(found, status);
    return said;
}

static void assert_reported(const char *line)
{
    if (unit_rank() == 0)
        assert_in(text, line);
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

TEST_SET_UP(a_run_ends_as_its_test_does)
{
    static const struct {
        xh_status_t create;
        int info;
        double x_inf, threshold;
        int status;
        const char *report, *said;
    } of[] = {
        {XH_OK, 0, 1, 16, XH_EXIT_PASSED, "...... PASSED\n", ""},
        {XH_OK, 0, INFINITY, 16, XH_EXIT_FAILED, "...... FAILED\n", ""},
        {XH_OK, 7, NAN, 16, XH_EXIT_FAILED, "...... FAILED\n",
         "column 7 has no pivot"},
        {XH_ERR_MEMORY, 0, 1, 16, XH_EXIT_INPUT,
         " 1 tests skipped because of illegal input values.\n", ""},
        {XH_OK, 0, INFINITY, 0, XH_EXIT_PASSED,
         " 1 tests completed without checking,\n", ""},
    };

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        const char *said;

        fake.create = of[i].create;
        fake.info = of[i].info;
        fake.x_inf = of[i].x_inf;
        parameters->threshold = of[i].threshold;
        said = run(of[i].status);
        assert_reported(of[i].report);
        if (unit_rank() == 0)
            assert_in(said, of[i].said);
        else
            assert_string_equal(said, "");
    }
}

TEST_SET_UP(a_system_that_cannot_begin_ends_the_run_on_all_processes)
{
    const char *said;

    parameters->list[XHPL_N] = (xhpl_list_t){.count = 2, .value = {10, 20}};
    fake.create = XH_ERR_DEVICE;
    said = run(XH_EXIT_RUNTIME);
    if (unit_rank() != 0)
        return;
    assert_in(said, "N = 10 on 1 x 1 processes cannot begin: ");
    assert_null(strstr(said, "N = 20"));
    assert_null(strstr(text, "Finished"));
}

TEST_SET_UP(without_a_threshold_nothing_is_checked)
{
    parameters->threshold = 0;
    fake.x_inf = INFINITY;
    run(XH_EXIT_PASSED);
    assert_reported(" 1 tests completed without checking,\n");
}

TEST_SET_UP(every_test_runs_once_on_its_grid)
{
    parameters->list[XHPL_N] = (xhpl_list_t){.count = 2, .value = {10, 20}};
    parameters->list[XHPL_P] = (xhpl_list_t){.count = 2, .value = {1, 1}};
    parameters->list[XHPL_Q] =
        (xhpl_list_t){.count = 2, .value = {1, unit_processes()}};
    run(XH_EXIT_PASSED);
    assert_int_equal(fake.created, unit_rank() == 0 ? 4 : 2);
    assert_reported("Finished      4 tests");
}

/* what HPL.dat's values of L1 and U choose */
static const struct {
    int l1, u;
    HPL_T_PFA_FUN pffun;
    HPL_T_RFA_FUN rffun;
    HPL_T_UPD_FUN upfun;
} forms[] = {
    {0, 0, HPL_pdpancrT, HPL_pdrpanrlT, HPL_pdupdateTT},
    {0, 1, HPL_pdpancrT, HPL_pdrpanrlT, HPL_pdupdateTN},
    {1, 0, HPL_pdpancrN, HPL_pdrpanrlN, HPL_pdupdateNT},
    {1, 1, HPL_pdpancrN, HPL_pdrpanrlN, HPL_pdupdateNN},
};

TEST_SET_UP(the_forms_of_l1_and_u_choose_the_functions)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        const HPL_T_palg *algorithm = &fake.algorithm[0];

        parameters->list[XHPL_L1].value[0] = forms[i].l1;
        parameters->list[XHPL_U].value[0] = forms[i].u;
        fake.created = fake.destroyed = 0;
        run(XH_EXIT_PASSED);
        if (unit_rank() != 0)
            continue;
        assert_true(algorithm->pffun == forms[i].pffun);
        assert_true(algorithm->rffun == forms[i].rffun);
        assert_true(algorithm->upfun == forms[i].upfun);
    }
}

TEST_SET_UP(the_values_of_the_plan_reach_the_solver)
{
    static const struct {
        xhpl_quantity_t quantity;
        int value;
    } of[] = {
        {XHPL_RFACT, 0}, {XHPL_PFACT, 1},           {XHPL_NBMIN, 3},
        {XHPL_NDIV, 5},  {XHPL_DEPTH, 2},           {XHPL_SWAP, XHPL_SWAP_LONG},
        {XHPL_EQUIL, 0}, {XHPL_SWAP_THRESHOLD, 17}, {XHPL_ALIGN, 4}};
    const HPL_T_palg *algorithm = &fake.algorithm[0];

    parameters->list[XHPL_BCAST] = (xhpl_list_t){.count = 2, .value = {0, 5}};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        parameters->list[of[i].quantity].value[0] = of[i].value;
    run(XH_EXIT_PASSED);
    if (unit_rank() != 0)
        return;
    assert_int_equal(algorithm[0].btopo, HPL_1RING);
    assert_int_equal(algorithm[1].btopo, HPL_BLONG_M);
    assert_int_equal(algorithm->rfact, HPL_LEFT_LOOKING);
    assert_int_equal(algorithm->pfact, HPL_CROUT);
    assert_true(algorithm->pffun == HPL_pdpancrT);
    assert_true(algorithm->rffun == HPL_pdrpanllT);
    assert_int_equal(algorithm->nbmin, 3);
    assert_int_equal(algorithm->nbdiv, 5);
    assert_int_equal(algorithm->depth, 2);
    assert_int_equal(algorithm->fswap, HPL_SWAP01);
    assert_int_equal(algorithm->fsthr, 17);
    assert_int_equal(algorithm->equil, 0);
    assert_int_equal(algorithm->align, 4);
}
