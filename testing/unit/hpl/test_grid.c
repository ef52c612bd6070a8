/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 4 */
#include <math.h>
#include "testing/unit/unit_mpi.h"
#include "hpl.h"

static void check_place(const HPL_T_grid *grid)
{
    int rank = unit_rank(), p, q, myrow, mycol;

    HPL_grid_info(grid, &p, &q, &myrow, &mycol);
    assert_int_equal(p, grid->nprow);
    assert_int_equal(q, grid->npcol);
    if (rank >= p * q) {
        assert_int_equal(myrow, -1);
        assert_int_equal(mycol, -1);
    } else if (grid->order == HPL_ROW_MAJOR) {
        assert_int_equal(myrow * q + mycol, rank);
        assert_in_range(mycol, 0, q - 1);
    } else {
        assert_int_equal(mycol * p + myrow, rank);
        assert_in_range(myrow, 0, p - 1);
    }
    if (myrow >= 0)
        assert_int_equal(HPL_pnum(grid, myrow, mycol), rank);
}

static void check_communicators(const HPL_T_grid *grid)
{
    if (grid->myrow < 0) {
        assert_true(grid->all_comm == MPI_COMM_NULL);
        assert_true(grid->row_comm == MPI_COMM_NULL);
        assert_true(grid->col_comm == MPI_COMM_NULL);
        assert_true(grid->bcast_comm == MPI_COMM_NULL);
        assert_true(grid->exchange_comm == MPI_COMM_NULL);
        return;
    }
    assert_int_equal(xhpl_size(grid->all_comm), grid->nprocs);
    assert_int_equal(xhpl_rank(grid->all_comm), grid->iam);
    assert_int_equal(xhpl_size(grid->row_comm), grid->npcol);
    assert_int_equal(xhpl_rank(grid->row_comm), grid->mycol);
    assert_int_equal(xhpl_rank(grid->bcast_comm), grid->mycol);
    assert_int_equal(xhpl_size(grid->col_comm), grid->nprow);
    assert_int_equal(xhpl_rank(grid->col_comm), grid->myrow);
    assert_int_equal(xhpl_rank(grid->exchange_comm), grid->myrow);
}

static void check_hypercube(int nprocs, int ip2, int hdim, int ip2m1, int mask)
{
    assert_int_equal(ip2, 1 << hdim);
    assert_true(ip2 <= nprocs && 2 * ip2 > nprocs);
    assert_true(nprocs == 1 || (ip2m1 < nprocs && 2 * ip2m1 >= nprocs));
    assert_int_equal(ip2m1 & (ip2m1 - 1), 0);
    assert_int_equal(mask, 2 * ip2m1 - 1);
}

static void check_hypercubes(const HPL_T_grid *grid)
{
    check_hypercube(grid->nprow, grid->row_ip2, grid->row_hdim, grid->row_ip2m1,
                    grid->row_mask);
    check_hypercube(grid->npcol, grid->col_ip2, grid->col_hdim, grid->col_ip2m1,
                    grid->col_mask);
}

/* All grids, in both orders, that the processes of this run can form. */
TEST(a_grid_has_places_communicators_and_the_largest_hypercubes_that_fit)
{
    int size = unit_processes();
    HPL_T_grid grid;

    for (int o = 0; o < 2; o++)
        for (int p = 1; p <= size; p++)
            for (int q = 1; q <= size / p; q++) {
                HPL_T_ORDER order = o ? HPL_COLUMN_MAJOR : HPL_ROW_MAJOR;

                assert_int_equal(
                    HPL_grid_init(MPI_COMM_WORLD, order, p, q, &grid),
                    MPI_SUCCESS);
                assert_int_equal(grid.nprow, p);
                assert_int_equal(grid.npcol, q);
                assert_int_equal(grid.order, order);
                check_place(&grid);
                check_communicators(&grid);
                check_hypercubes(&grid);
                assert_int_equal(HPL_grid_exit(&grid), MPI_SUCCESS);
                assert_true(grid.all_comm == MPI_COMM_NULL);
                assert_true(grid.bcast_comm == MPI_COMM_NULL);
            }
}

TEST(a_sum_arrives_at_any_root)
{
    int root, i, rank = unit_rank(), size = unit_processes();
    double values[100];

    for (root = 0; root < size; root++) {
        for (i = 0; i < 100; i++)
            values[i] = i + 1000 * rank;
        HPL_reduce(values, 100, HPL_DOUBLE, HPL_sum, root, MPI_COMM_WORLD);
        for (i = 0; i < 100 && rank == root; i++)
            assert_true(values[i] == size * i + 1000 * (size * (size - 1) / 2));
    }
}

TEST(extremes_and_sums_of_both_types_reach_everyone)
{
    int rank = unit_rank(), size = unit_processes();
    int least[2] = {rank, -rank}, most[2] = {rank, -rank}, sum = rank;
    double x[2] = {rank, -rank}, y[2] = {rank, -rank};

    HPL_all_reduce(least, 2, HPL_INT, HPL_min, MPI_COMM_WORLD);
    assert_true(least[0] == 0 && least[1] == 1 - size);
    HPL_all_reduce(most, 2, HPL_INT, HPL_max, MPI_COMM_WORLD);
    assert_true(most[0] == size - 1 && most[1] == 0);
    HPL_all_reduce(&sum, 1, HPL_INT, HPL_sum, MPI_COMM_WORLD);
    assert_int_equal(sum, size * (size - 1) / 2);
    HPL_all_reduce(x, 2, HPL_DOUBLE, HPL_min, MPI_COMM_WORLD);
    assert_true(x[0] == 0 && x[1] == 1 - size);
    HPL_all_reduce(y, 2, HPL_DOUBLE, HPL_max, MPI_COMM_WORLD);
    assert_true(y[0] == size - 1 && y[1] == 0);
}

TEST(a_nan_on_any_process_is_the_result)
{
    static const HPL_T_OP operators[] = {HPL_max, HPL_min, HPL_sum};
    int at, op, rank = unit_rank(), size = unit_processes();
    double x;

    for (op = 0; op < 3; op++)
        for (at = 0; at < size; at++) {
            x = rank == at ? NAN : rank;
            HPL_all_reduce(&x, 1, HPL_DOUBLE, operators[op], MPI_COMM_WORLD);
            assert_true(isnan(x));
        }
}

/* Pairs (value, place): the larger value, the lower place among equals. */
static void largest_pair(const int N, const void *IN, void *INOUT,
                         const HPL_T_TYPE DTYPE)
{
    const double *in = IN;
    double *best = INOUT;

    if (N != 2 || DTYPE != HPL_DOUBLE)
        fail();
    if (in[0] > best[0] || (in[0] == best[0] && in[1] < best[1]))
        memcpy(best, in, 2 * sizeof(double));
}

TEST(the_callers_own_operator_serves)
{
    int rank = unit_rank(), size = unit_processes();
    double pair[2] = {rank / 2, rank};

    HPL_all_reduce(pair, 2, HPL_DOUBLE, largest_pair, MPI_COMM_WORLD);
    assert_true(pair[0] == (size - 1) / 2);
    assert_true(pair[1] == (size - 1) / 2 * 2);
}

TEST(sums_are_bitwise_equal_on_all_processes)
{
    double x = 1.0 / (3 + unit_rank()), least, most;

    HPL_all_reduce(&x, 1, HPL_DOUBLE, HPL_sum, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(least == most);
}

TEST(a_broadcast_copies_from_any_root)
{
    int root, rank = unit_rank(), x[2];
    double y;

    for (root = 0; root < unit_processes(); root++) {
        x[0] = x[1] = rank;
        y = rank;
        HPL_broadcast(x, 1, HPL_INT, root, MPI_COMM_WORLD);
        HPL_broadcast(&y, 1, HPL_DOUBLE, root, MPI_COMM_WORLD);
        assert_int_equal(x[0], root);
        assert_int_equal(x[1], rank);
        assert_true(y == root);
    }
    assert_int_equal(HPL_barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

TEST(no_values_need_no_buffer)
{
    assert_int_equal(
        HPL_all_reduce(NULL, 0, HPL_DOUBLE, HPL_sum, MPI_COMM_WORLD),
        MPI_SUCCESS);
    assert_int_equal(HPL_reduce(NULL, -1, HPL_INT, HPL_sum, 0, MPI_COMM_WORLD),
                     MPI_SUCCESS);
}
