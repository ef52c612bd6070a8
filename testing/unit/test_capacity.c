/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
#include "testing/ptest/capacity.h"
#include "base/settings.h"
#include "hpl_solver.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit_mpi.h"

/* A solver that is only asked how much memory a system takes. */
static uint64_t bytes(const hpl_shape_t *shape)
{
    return (uint64_t)shape->n * (uint64_t)shape->n * 8 /
           (uint64_t)(shape->nprow * shape->npcol);
}

static const hpl_solver_t fake = {.name = "fake", .bytes = bytes};

static int setup(void **state)
{
    (void)state;
    hpl_solver_install(&fake);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hpl_solver_install(NULL);
    return xh_settings_assign("memory_check=on") != XH_OK;
}

/* One test of order n on all processes, NB = 100. */
static xhpl_parameters_t test_of_order(int n)
{
    xhpl_parameters_t parameters;
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    xhpl_parameters_default(&parameters);
    parameters.list[XHPL_N].value[0] = n;
    parameters.list[XHPL_NB].value[0] = 100;
    parameters.list[XHPL_Q].value[0] = processes;
    return parameters;
}

/* What process 0 says, on all processes, and what all return. */
static const char *check(const xhpl_parameters_t *parameters,
                         xh_status_t *status_p)
{
    static char said[1024];

    capture_begin();
    *status_p = xhpl_capacity_check(parameters);
    snprintf(said, sizeof(said), "%s", capture_end(NULL));
    MPI_Bcast(said, sizeof(said), MPI_CHAR, 0, MPI_COMM_WORLD);
    return said;
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

TEST_SET_UP(a_small_system_fits)
{
    xhpl_parameters_t parameters = test_of_order(10);
    xh_status_t status;

    assert_string_equal(check(&parameters, &status), "");
    assert_ok(status);
}

/*
 * Available memory moves while this runs, so the order that is said to fit is
 * checked against a third more and less.
 */
TEST_SET_UP(a_refusal_names_the_largest_order_that_fits)
{
    xhpl_parameters_t parameters = test_of_order(100000000);
    const char *said, *at;
    xh_status_t status;
    int n;

    said = check(&parameters, &status);
    assert_int_equal(status, XH_ERR_MEMORY);
    assert_non_null(strstr(said, "N = 100000000 on"));
    at = strstr(said, "the largest N that fits with NB = 100 is ");
    assert_non_null(at);
    n = atoi(strrchr(at, ' '));
    assert_int_equal(n % 100, 0);
    assert_true(n > 0);
    parameters = test_of_order(n - n / 3 - 100);
    check(&parameters, &status);
    assert_ok(status);
    parameters = test_of_order(n + n / 3 + 100);
    check(&parameters, &status);
    assert_int_equal(status, XH_ERR_MEMORY);
}

TEST_SET_UP(every_test_of_the_run_is_checked)
{
    xhpl_parameters_t parameters = test_of_order(10);
    xh_status_t status;

    parameters.list[XHPL_N].count = 3;
    parameters.list[XHPL_N].value[1] = 90000000;
    parameters.list[XHPL_N].value[2] = 20;
    parameters.list[XHPL_DEPTH].count = 2;
    parameters.list[XHPL_DEPTH].value[1] = 1;
    assert_non_null(strstr(check(&parameters, &status), "N = 90000000 on"));
    assert_int_equal(status, XH_ERR_MEMORY);
}

TEST_SET_UP(the_check_can_be_turned_off)
{
    xhpl_parameters_t parameters = test_of_order(100000000);
    xh_status_t status;

    assert_ok(xh_settings_assign("memory_check=off"));
    assert_string_equal(check(&parameters, &status), "");
    assert_ok(status);
}

TEST(a_node_that_all_share_is_one_node)
{
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    assert_int_equal(capacity.nodes, 1);
    assert_int_equal(capacity.processes, processes);
}

TEST_MPI_MAIN()
