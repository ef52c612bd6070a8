/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
#include "testing/ptest/capacity.h"
#include "base/settings.h"
#include "hpl_solver.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit_mpi.h"

/* A solver that is only asked how much memory a system takes. */
static uint64_t bytes(const hpl_shape_t *shape)
{
    return (uint64_t)shape->n * (uint64_t)shape->n * 8 /
           (uint64_t)(shape->nprow * shape->npcol);
}

static const hpl_solver_t fake = {.name = "fake", .bytes = bytes};

UNIT_STEP(setup)
{
    hpl_solver_install(&fake);
}

UNIT_STEP(teardown)
{
    hpl_solver_install(NULL);
    assert_ok(xh_settings_assign("memory_reserve=256"));
}

static xhpl_parameters_t parameters;

/* Check parameters, with that status; returns what process 0 says, on all. */
static const char *check(xh_status_t status)
{
    static char said[1024];
    xh_status_t found;

    snprintf(said, sizeof(said), "%s",
             heard(found = xhpl_capacity_check(&parameters, NULL)));
    MPI_Bcast(said, sizeof(said), MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_int_equal(found, status);
    return said;
}

/* One test of order n on all processes, NB = 100. */
static const char *check_order(int n, xh_status_t status)
{
    xhpl_parameters_default(&parameters);
    parameters.list[XHPL_N].value[0] = n;
    parameters.list[XHPL_NB].value[0] = 100;
    parameters.list[XHPL_Q].value[0] = unit_processes();
    return check(status);
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

/*
 * Available memory moves while this runs, so the order that is said to fit is
 * checked against a third more and less.
 */
TEST_SET_UP(a_refusal_names_the_largest_order_that_fits)
{
    const char *said = check_order(100000000, XH_ERR_MEMORY), *at;
    int n;

    assert_in(said, "N = 100000000 on");
    at = strstr(said, "the largest N that fits with NB = 100 is ");
    assert_non_null(at);
    n = atoi(strrchr(at, ' '));
    assert_int_equal(n % 100, 0);
    assert_true(n > 0);
    check_order(n - n / 3 - 100, XH_OK);
    check_order(n + n / 3 + 100, XH_ERR_MEMORY);
}

TEST_SET_UP(every_test_of_the_run_is_checked)
{
    check_order(10, XH_OK);
    parameters.list[XHPL_N] = (xhpl_list_t){3, {10, 90000000, 20}};
    parameters.list[XHPL_DEPTH] = (xhpl_list_t){2, {2, 1}};
    assert_in(check(XH_ERR_MEMORY), "N = 90000000 on");
}

TEST_SET_UP(a_negative_reserve_takes_more_than_is_available)
{
    assert_ok(xh_settings_assign("memory_reserve=-100000000"));
    assert_string_equal(check_order(2000000, XH_OK), "");
    check_order(100000000, XH_ERR_MEMORY);
}

TEST(a_node_that_all_share_is_one_node)
{
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();

    assert_int_equal(capacity.nodes, 1);
    assert_int_equal(capacity.processes, unit_processes());
}
