/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 */
#define _GNU_SOURCE
#include "testing/unit/unit_mpi.h"

#include <sched.h>
#include "hybrid/lu/solver/neighbours.h"

static int rank_of(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

/* Processes but the first on their last processor alone, others as they
 * are; returns where it was. */
static cpu_set_t spread_out(void)
{
    cpu_set_t before, one;
    size_t cpu = CPU_SETSIZE - 1;

    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    while (!CPU_ISSET(cpu, &before))
        cpu--;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (rank_of(MPI_COMM_WORLD) > 0)
        assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    return before;
}

/* Texts of other processes that are not what these say of themselves. */
static int wrong_texts(const char *const *texts, const char *mine)
{
    enum { LENGTH = 1024 };
    char theirs[LENGTH];
    int wrong = 0;

    for (int i = 0; i < size_of(MPI_COMM_WORLD); i++) {
        snprintf(theirs, LENGTH, "%s", mine);
        MPI_Bcast(theirs, LENGTH, MPI_CHAR, i, MPI_COMM_WORLD);
        wrong += strcmp(theirs, texts[i]) != 0;
    }
    return wrong;
}

TEST(all_of_a_node_know_each_others_masks)
{
    cpu_set_t before = spread_out();
    hyb_neighbours_t n;
    char *mask, *reach;
    int wrong;

    assert_ok(hyb_neighbours_find(MPI_COMM_WORLD, &n));
    assert_ok(hyb_topology_mask(n.topology, &mask));
    assert_ok(hyb_topology_reach(n.topology, &reach));
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(n.local.rank, rank_of(MPI_COMM_WORLD));
    assert_int_equal(n.local.count, size_of(MPI_COMM_WORLD));
    assert_ptr_equal(n.local.masks, n.masks);
    wrong = wrong_texts(n.masks, mask) + wrong_texts(n.reaches, reach);
    free(reach);
    free(mask);
    hyb_neighbours_free(&n);
    assert_int_equal(wrong, 0);
}

TEST(only_those_asked_for_are_neighbours)
{
    int odd = rank_of(MPI_COMM_WORLD) % 2;
    hyb_neighbours_t n;
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    assert_ok(hyb_neighbours_find(half, &n));
    assert_int_equal(n.local.rank, rank_of(half));
    assert_int_equal(n.local.count, size_of(half));
    hyb_neighbours_free(&n);
    MPI_Comm_free(&half);
}

TEST(nothing_is_left_after_they_are_freed)
{
    hyb_neighbours_t n;

    assert_ok(hyb_neighbours_find(MPI_COMM_SELF, &n));
    assert_int_equal(n.local.count, 1);
    hyb_neighbours_free(&n);
    assert_null(n.topology);
    assert_null(n.masks);
    hyb_neighbours_free(&n);
}

TEST_MPI_MAIN()
