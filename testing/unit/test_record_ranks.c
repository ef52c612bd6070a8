/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 */
#include "testing/ptest/record_parts.h"

#include <math.h>
#include "testing/unit/unit_mpi.h"

static int rank, processes;

static int setup(void **state)
{
    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hpl_solver_install(NULL);
    return 0;
}

/* Each process multiplied for as many seconds as it has ranks before it. */
static bool work_by_rank(const hpl_system_t *system, hpl_work_t *work_p)
{
    (void)system;
    *work_p = (hpl_work_t){.update = rank, .flop = 1e9, .rate = NAN};
    return true;
}

static bool work_forgotten(const hpl_system_t *system, hpl_work_t *work_p)
{
    (void)system;
    (void)work_p;
    return false;
}

/* Of a test of a solver that tells this. */
static json_t *ranks_of(bool (*work)(const hpl_system_t *, hpl_work_t *))
{
    hpl_solver_t solver = hpl_reference_solver;

    solver.work = work;
    hpl_solver_install(&solver);
    return xhpl_record_ranks(MPI_COMM_WORLD, NULL);
}

TEST_WITH(each_process_tells_what_it_did, setup, teardown)
{
    json_t *found = ranks_of(work_by_rank), *at;
    size_t i;

    assert_int_equal(json_array_size(found), rank == 0 ? processes : 0);
    json_array_foreach(found, i, at)
    {
        assert_int_equal(json_integer_value(json_object_get(at, "rank")), i);
        assert_true(json_real_value(json_object_get(at, "update")) ==
                    (double)i);
        assert_true(json_real_value(json_object_get(at, "gflop")) == 1.0);
        assert_true(json_is_null(json_object_get(at, "thread_gflops")));
    }
    json_decref(found);
}

TEST_WITH(what_was_not_measured_is_null, setup, teardown)
{
    json_t *never = ranks_of(NULL), *not_now = ranks_of(work_forgotten);

    assert_int_equal(json_is_null(never), rank == 0);
    assert_int_equal(json_is_null(not_now), rank == 0);
}

/* Ranks of a grid need not be those of the job. */
TEST_WITH(processes_stand_by_their_rank_in_the_job, setup, teardown)
{
    hpl_solver_t solver = hpl_reference_solver;
    json_t *found, *at;
    MPI_Comm backwards;
    size_t i;

    solver.work = work_by_rank;
    hpl_solver_install(&solver);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    found = xhpl_record_ranks(backwards, NULL);
    MPI_Comm_free(&backwards);
    assert_int_equal(found != NULL, rank == processes - 1);
    json_array_foreach(found, i, at)
    {
        assert_int_equal(json_integer_value(json_object_get(at, "rank")), i);
        assert_true(json_real_value(json_object_get(at, "update")) ==
                    (double)i);
    }
    json_decref(found);
}

TEST_MPI_MAIN()
