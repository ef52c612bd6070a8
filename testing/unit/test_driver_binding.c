/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 2 */
#define _GNU_SOURCE
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <sched.h>
#include "base/cgroup.h"
#include "base/settings.h"
#include "hybrid/lu/solver/binding.h"
#include "hybrid/lu/solver/neighbours.h"
#include "testing/unit/capture.h"
#include "testing/unit/machines.h"

static int set_up(void **state)
{
    (void)state;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("SLURM_PROCID");
    return xh_settings_load() != XH_OK;
}

static cpu_set_t current(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return set;
}

/* ---- this machine --------------------------------------------------------
 */

/* Lets this process on its first processor alone; returns where it was. */
static cpu_set_t confine(int *cpu_p)
{
    cpu_set_t before = current(), one;
    int cpu = 0;

    while (!CPU_ISSET((size_t)cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    *cpu_p = cpu;
    return before;
}

static void release(const cpu_set_t *before)
{
    assert_int_equal(sched_setaffinity(0, sizeof(*before), before), 0);
}

static hyb_neighbours_t found(void)
{
    hyb_neighbours_t n;

    assert_ok(hyb_neighbours_find(MPI_COMM_WORLD, &n));
    return n;
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, NULL)

TEST_SET_UP(a_mask_hides_nothing_of_what_is_within_reach)
{
    cpu_set_t before, confined, after;
    hyb_neighbours_t n;
    char *mask, whole[1024];
    int cpu;

    n = found();
    snprintf(whole, sizeof(whole), "%s", n.reaches[n.local.rank]);
    hyb_neighbours_free(&n);
    before = confine(&cpu);
    confined = current();
    n = found();
    after = current();
    release(&before);
    assert_true(CPU_EQUAL(&after, &confined));
    for (int i = 0; i < n.local.count; i++)
        assert_string_equal(n.reaches[i], whole);
    assert_ok(hyb_topology_mask(n.topology, &mask));
    assert_string_equal(mask, n.masks[n.local.rank]);
    free(mask);
    hyb_neighbours_free(&n);
}

/* What a share of the node looks like; the test knows no other way. */
static int cores_of_share(const hyb_neighbours_t *n)
{
    const hyb_local_t local = {n->local.rank, n->local.count, n->reaches};
    int *cpus, count;

    assert_ok(hyb_topology_cores(n->topology, &local, &cpus, &count));
    free(cpus);
    return count;
}

TEST_SET_UP(bind_node_takes_the_share_of_a_node_and_gives_it_back)
{
    cpu_set_t before, confined, moved, after;
    hyb_binding_t binding;
    hyb_neighbours_t n;
    const char *said;
    int cpu;

    assert_ok(xh_settings_assign("bind=node"));
    before = confine(&cpu);
    confined = current();
    n = found();
    capture_begin();
    assert_ok(hyb_binding_open(&n, 0, &binding));
    said = capture_end(NULL);
    moved = current();
    assert_int_equal(CPU_COUNT(&moved), cores_of_share(&n));
    assert_string_equal(said, "");
    assert_string_equal(n.local.masks[0], n.reaches[0]);
    hyb_binding_close(&binding);
    after = current();
    assert_true(CPU_EQUAL(&after, &confined));
    hyb_binding_close(&binding); /* twice does no harm */
    hyb_neighbours_free(&n);
    release(&before);
}

TEST_SET_UP(bind_mask_leaves_a_process_where_it_is)
{
    hyb_neighbours_t n = found();
    cpu_set_t before = current(), after;
    hyb_binding_t binding;

    assert_ok(hyb_binding_open(&n, 1, &binding));
    after = current();
    assert_true(CPU_EQUAL(&before, &after));
    hyb_binding_close(&binding);
    hyb_neighbours_free(&n);
}

/* ---- other machines ------------------------------------------------------
 */

static const char *four_cores[] = {"0-7", "0-7"};

/* Two processes on a machine of 4 cores and 8 hardware threads. */
static hyb_neighbours_t neighbours_with(const char **masks, int rank)
{
    return (hyb_neighbours_t){.topology = opened("core:4 pu:2"),
                              .local = {rank, 2, masks},
                              .masks = masks,
                              .reaches = four_cores};
}

/* What is said where two processes have masks; valid until the next call. */
static const char *said_with(const char *mask, const char *other, int rank,
                             int threads)
{
    const char *masks[] = {mask, other}, *said;
    hyb_neighbours_t n = neighbours_with(masks, rank);
    hyb_binding_t binding;
    xh_status_t status;

    capture_begin();
    status = hyb_binding_open(&n, threads, &binding);
    said = capture_end(NULL);
    assert_ok(status);
    hyb_binding_close(&binding);
    hyb_topology_close(n.topology);
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

TEST_SET_UP(cores_left_unused_are_said_once_a_node)
{
    char expected[80];
    int cores = usable();

    snprintf(expected, sizeof(expected),
             "warning: processes are bound to 2 of %d cores: "
             "--set bind=node takes all\n",
             cores);
    assert_non_null(strstr(said_with("0", "2-3", 0, 0), expected));
    assert_string_equal(said_with("0", "2-3", 1, 0), "");
}

TEST_SET_UP(cores_that_both_processes_have_count_once)
{
    usable();
    assert_non_null(strstr(said_with("0-1", "1", 0, 0), "to 1 of"));
}

TEST_SET_UP(nothing_is_said_where_the_threads_asked_for_have_cores)
{
    assert_string_equal(said_with("0", "2", 0, 1), "");
    assert_string_equal(said_with("0-3", "4-7", 0, 16), "");
}

TEST_SET_UP(more_threads_than_cores_of_the_masks_are_said)
{
    char expected[120];
    int cores = usable();

    snprintf(expected, sizeof(expected),
             "warning: processes are bound to 2 of %d cores, all of their 4 "
             "threads: --set bind=node takes all\n",
             cores);
    assert_non_null(strstr(said_with("0", "2-3", 0, 2), expected));
    assert_string_equal(said_with("0", "2-3", 1, 2), "");
}

TEST_SET_UP(nothing_is_said_where_all_cores_are_used)
{
    assert_string_equal(said_with("0-7", "0-7", 0, 0), "");
    assert_string_equal(said_with("0,2", "4,6", 0, 0), "");
    assert_string_equal(said_with("0-6", "7", 0, 0), "");
}

TEST_SET_UP(the_launchers_option_is_named)
{
    static const char mpirun[] = ": mpirun --bind-to none or --set bind=node";
    static const char srun[] =
        ": srun --cpus-per-task=4 --cpu-bind=none or --set bind=node";

    usable();
    setenv("SLURM_PROCID", "0", 1);
    assert_non_null(strstr(said_with("0", "2", 0, 0), srun));
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    assert_non_null(strstr(said_with("0", "2", 0, 0), mpirun));
}

TEST_SET_UP(cores_are_listed_as_masks_are)
{
    const char *masks[] = {"0-3", "2-7"};
    hyb_neighbours_t n = neighbours_with(masks, 1);
    hyb_binding_t binding;

    assert_ok(hyb_binding_open(&n, 1, &binding));
    assert_string_equal(binding.cores, "4,6");
    hyb_binding_close(&binding);
    hyb_topology_close(n.topology);
}

TEST_SET_UP(a_mask_without_processors_is_an_error)
{
    const char *masks[] = {"40", "0-7"};
    hyb_neighbours_t n = neighbours_with(masks, 0);
    hyb_binding_t binding;

    assert_said(hyb_binding_open(&n, 1, &binding), XH_ERR_ARG, "error: ");
    hyb_topology_close(n.topology);
}

TEST_MPI_MAIN()
