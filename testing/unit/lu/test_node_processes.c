/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3; needs: mpi */
#define _GNU_SOURCE
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <sched.h>
#include "base/cgroup.h"
#include "base/settings.h"
#include "hybrid/lu/open/node_processes.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/node/machines.h"

UNIT_STEP(set_up)
{
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("SLURM_PROCID");
    unsetenv("MPI_LOCALNRANKS");
    assert_ok(xh_settings_load());
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, NULL)

static cpu_set_t current(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return set;
}

static void run_on(cpu_set_t set)
{
    assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Lets this process on its first processor alone; the second process on its
 * second one, and so on, if there are as many; returns where it was. */
static cpu_set_t confine(void)
{
    cpu_set_t before = current(), one;
    int left = unit_rank() % CPU_COUNT(&before);
    size_t cpu = 0;

    while (!CPU_ISSET(cpu, &before) || left-- > 0)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    run_on(one);
    return before;
}

static hyb_node_processes_t found(MPI_Comm comm)
{
    hyb_node_processes_t n;

    assert_ok(hyb_node_processes_find(comm, &n));
    assert_int_equal(n.local.rank, xhpl_rank(comm));
    assert_int_equal(n.local.count, xhpl_size(comm));
    assert_ptr_equal(n.local.masks, n.masks);
    return n;
}

/* ---- this machine -------------------------------------------------------- */

/* Texts of other processes that are not what these say of themselves. */
static int wrong_texts(const char *const *texts, const char *mine)
{
    enum { LENGTH = 1024 };
    char theirs[LENGTH];
    int wrong = 0;

    for (int i = 0; i < unit_processes(); i++) {
        snprintf(theirs, LENGTH, "%s", mine);
        MPI_Bcast(theirs, LENGTH, MPI_CHAR, i, MPI_COMM_WORLD);
        wrong += strcmp(theirs, texts[i]) != 0;
    }
    return wrong;
}

TEST_SET_UP(all_of_a_node_know_each_others_masks_and_what_is_within_reach)
{
    hyb_node_processes_t free_ones = found(MPI_COMM_WORLD), n;
    cpu_set_t before = confine(), confined = current(), after;
    char *mask, *reach;
    int wrong;

    n = found(MPI_COMM_WORLD);
    after = current();
    assert_ok(hyb_topology_mask(n.topology, &mask));
    assert_ok(hyb_topology_reach(n.topology, &reach));
    run_on(before);
    assert_true(CPU_EQUAL(&after, &confined));
    wrong = wrong_texts(n.masks, mask) + wrong_texts(n.reaches, reach);
    assert_int_equal(wrong, 0);
    for (int i = 0; i < n.local.count; i++) /* masks hide nothing of it */
        assert_string_equal(n.reaches[i], free_ones.reaches[n.local.rank]);
    free(reach);
    free(mask);
    hyb_node_processes_free(&free_ones);
    hyb_node_processes_free(&n);
}

TEST_SET_UP(only_those_asked_for_are_neighbours)
{
    hyb_node_processes_t n;
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, unit_rank() % 2, 0, &half);
    n = found(half);
    hyb_node_processes_free(&n);
    MPI_Comm_free(&half);
    assert_null(n.topology);
    assert_null(n.masks);
    hyb_node_processes_free(&n); /* twice does no harm */
}

/* What a share of the node looks like; the test knows no other way. */
static int cores_of_share(const hyb_node_processes_t *n)
{
    const hyb_local_t local = {n->local.rank, n->local.count, n->reaches};
    int *cpus, count;

    assert_ok(hyb_topology_cores(n->topology, &local, &cpus, &count));
    free(cpus);
    return count;
}

TEST_SET_UP(bind_node_takes_the_share_of_a_node_and_gives_it_back)
{
    cpu_set_t before = confine(), confined = current(), moved, after;
    hyb_node_processes_t n = found(MPI_COMM_WORLD);
    const char *said;

    assert_ok(xh_settings_assign("bind=node"));
    said = heard(assert_ok(hyb_node_processes_bind(&n, 0)));
    moved = current();
    assert_int_equal(CPU_COUNT(&moved), cores_of_share(&n));
    assert_string_equal(said, "");
    assert_string_equal(n.local.masks[0], n.reaches[0]);
    hyb_node_processes_free(&n);
    after = current();
    run_on(before);
    assert_true(CPU_EQUAL(&after, &confined));
}

TEST_SET_UP(bind_mask_leaves_a_process_where_it_is)
{
    hyb_node_processes_t n = found(MPI_COMM_WORLD);
    cpu_set_t before = current(), after;

    assert_ok(hyb_node_processes_bind(&n, 1));
    after = current();
    assert_true(CPU_EQUAL(&before, &after));
    hyb_node_processes_free(&n);
}

/* ---- other machines ------------------------------------------------------ */

/* Binds one of two processes with masks on a machine of 4 cores and 8 hardware
 * threads; cores_p: its cores, free(). */
static xh_status_t bind_with(const char *mask, const char *other, int rank,
                             int threads, char **cores_p)
{
    static const char *four_cores[] = {"0-7", "0-7"};
    const char *masks[] = {mask, other};
    hyb_node_processes_t n = {.topology = opened("core:4 pu:2"),
                              .local = {rank, 2, masks},
                              .masks = masks,
                              .reaches = four_cores};
    xh_status_t status = hyb_node_processes_bind(&n, threads);

    hyb_topology_close(n.topology);
    *cores_p = n.cores;
    return status;
}

/* What is said then; valid until the next call. */
static const char *said_with(const char *mask, const char *other, int rank,
                             int threads)
{
    const char *said;
    char *cores;
    xh_status_t status;

    said = heard(status = bind_with(mask, other, rank, threads, &cores));
    free(cores);
    assert_ok(status);
    return said;
}

/* Cores of the 4 that the limits of this machine let be used. */
static int usable(void)
{
    int cores = (int)fmin(4.0, ceil(xh_cgroup_cpu_quota("")));

    if (cores < 3)
        skip();
    return cores;
}

/* Two processes on 2 cores, with so many threads each: once, with this. */
static void assert_warned(int threads, const char *of_threads)
{
    char expected[140];

    snprintf(expected, sizeof(expected),
             "warning: processes are bound to 2 of %d cores%s: "
             "to use all cores, --set bind=node\n",
             usable(), of_threads);
    assert_in(said_with("0", "2-3", 0, threads), expected);
    assert_string_equal(said_with("0", "2-3", 1, threads), "");
}

/* Cores that both processes have count once. */
TEST_SET_UP(cores_left_unused_are_said_once_a_node)
{
    assert_warned(0, "");
    assert_warned(2, ", all of their 4 threads");
    assert_in(said_with("0-1", "1", 0, 0), "to 1 of");
}

TEST_SET_UP(nothing_is_said_where_threads_have_cores_or_all_cores_are_used)
{
    assert_string_equal(said_with("0", "2", 0, 1), "");
    assert_string_equal(said_with("0-3", "4-7", 0, 16), "");
    assert_string_equal(said_with("0-7", "0-7", 0, 0), "");
    assert_string_equal(said_with("0,2", "4,6", 0, 0), "");
    assert_string_equal(said_with("0-6", "7", 0, 0), "");
}

TEST_SET_UP(the_launchers_option_is_named)
{
    static const char *const of[][2] = {
        {"SLURM_PROCID", ": to use all cores, srun --cpus-per-task=4 "
                         "--cpu-bind=none or --set "},
        {"MPI_LOCALNRANKS",
         ": to use all cores, mpiexec -bind-to none or --set bind=node"},
        {"OMPI_COMM_WORLD_SIZE",
         ": to use all cores, mpirun --bind-to none or --set bind=node"}};

    usable();
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        setenv(of[i][0], "2", 1);
        assert_in(said_with("0", "2", 0, 0), of[i][1]);
    }
}

TEST_SET_UP(cores_are_listed_as_masks_are_and_none_are_an_error)
{
    char *cores;

    assert_ok(bind_with("0-3", "2-7", 1, 1, &cores));
    assert_string_equal(cores, "4,6");
    free(cores);
    assert_said(bind_with("40", "0-7", 0, 1, &cores), XH_ERR_ARG, "error: ");
    assert_null(cores);
}
