/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "testing/unit/node/machines.h"

#include <sched.h>
#include <stdbool.h>
#include "hybrid/node/topology.h"

static const struct {
    const char *source;
    int cores;
} machines[] = {
    {TWO_SOCKETS, 32},
    {UNEVEN, 9},
    {"pack:2 numa:4 core:8 pu:2", 64},
    {"pack:3 core:5 pu:1", 15},
    {"numa:2 pu:6", 12},
    {"pack:1 l3:3 core:7 pu:4", 21},
};

static const int process_counts[] = {1, 2, 3, 4, 8, 16};

enum {
    MACHINES = COUNT_OF(machines),
    COUNTS = COUNT_OF(process_counts),
    MOST = 256 /* processors of any machine here */
};

static const hyb_local_t alone = {0, 1, NULL};

/* Add each processor of a share to users, per processor; returns its size. */
static int count_share(const hyb_topology_t *topology, int rank, int processes,
                       const char *const *masks, int *users)
{
    const hyb_local_t local = {rank, processes, masks};
    int *cpus = NULL;
    int count = 0;

    assert_ok(hyb_topology_cores(topology, &local, &cpus, &count));
    for (int i = 0; i < count; i++) {
        assert_in_range(cpus[i], 0, MOST - 1);
        users[cpus[i]]++;
    }
    free(cpus);
    return count;
}

static void check_shares(const char *source, int cores, int processes)
{
    hyb_topology_t *topology = opened(source);
    int users[MOST] = {0};
    int total = 0;

    for (int rank = 0; rank < processes; rank++) {
        int count = count_share(topology, rank, processes, NULL, users);

        assert_in_range(count, cores / processes,
                        (cores + processes - 1) / processes);
        total += count;
    }
    assert_int_equal(total, cores);
    for (int i = 0; i < MOST; i++)
        assert_in_range(users[i], 0, 1);
    hyb_topology_close(topology);
}

TEST(shares_are_disjoint_complete_and_even)
{
    for (int machine = 0; machine < MACHINES; machine++)
        for (int i = 0; i < COUNTS; i++)
            if (process_counts[i] <= machines[machine].cores)
                check_shares(machines[machine].source, machines[machine].cores,
                             process_counts[i]);
}

TEST_ON_MACHINES(numa_nodes_stay_together_when_counts_divide)
{
    for (int processes = 1; processes <= 8; processes *= 2)
        for (int rank = 0; rank < processes; rank++) {
            int users[MOST] = {0};
            int nodes[8] = {0};

            count_share(two_sockets, rank, processes, NULL, users);
            for (int cpu = 0; cpu < 64; cpu++)
                nodes[node_of(cpu)] += users[cpu];
            for (int cpu = 0; cpu < 8; cpu++)
                assert_int_equal(nodes[cpu] % 4, 0);
        }
}

TEST_ON_MACHINES(the_odd_core_goes_where_its_numa_node_is)
{
    int users[MOST] = {0};

    assert_int_equal(count_share(uneven, 0, 2, NULL, users), 4);
    assert_int_equal(users[0] + users[1] + users[2] + users[3], 4);
    assert_int_equal(count_share(uneven, 1, 2, NULL, users), 5);
}

/* Processes of one mask share it. */
TEST_ON_MACHINES(a_share_is_within_its_own_mask)
{
    static const struct {
        int processes;
        const char *masks[4];
        int first[4], count[4]; /* processors of each process */
    } of[] = {{3, {"36-39", "0-3,32-35", "60"}, {36, 0, 60}, {4, 4, 1}},
              {4,
               {"16-31", "0-15,32-47", "16-31", "0-15,32-47"},
               {16, 0, 24, 8},
               {8, 8, 8, 8}}};

    for (size_t k = 0; k < COUNT_OF(of); k++)
        for (int rank = 0; rank < of[k].processes; rank++) {
            int users[MOST] = {0};

            assert_int_equal(count_share(two_sockets, rank, of[k].processes,
                                         of[k].masks, users),
                             of[k].count[rank]);
            for (int i = 0; i < of[k].count[rank]; i++)
                assert_int_equal(users[of[k].first[rank] + i], 1);
        }
}

TEST_ON_MACHINES(masks_that_overlap_give_disjoint_even_shares)
{
    static const char *const masks[] = {"0-31", "0-15", "8-23"};
    int users[MOST] = {0};
    int total = 0;

    for (int rank = 0; rank < 3; rank++) {
        int count = count_share(two_sockets, rank, 3, masks, users);

        assert_in_range(count, 10, 12);
        total += count;
    }
    assert_int_equal(total, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(users[i], 1);
}

/* The second user of a core takes its other thread. */
TEST_ON_MACHINES(more_processes_than_cores_share_cores_evenly)
{
    hyb_topology_t *two_cores = opened("core:2 pu:2");
    int users[MOST] = {0}, threads[MOST] = {0};

    for (int rank = 0; rank < 16; rank++)
        assert_int_equal(count_share(uneven, rank, 16, NULL, users), 1);
    for (int i = 0; i < 10; i++)
        if (i != 4)
            assert_in_range(users[i], 1, 2);
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(count_share(two_cores, rank, 4, NULL, threads), 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(threads[i], 1);
    hyb_topology_close(two_cores);
}

TEST_ON_MACHINES(a_process_without_processors_is_refused)
{
    static const char *const absent[] = {"64-70", "0-3"};
    static const char *const wrong[] = {"0-3", "many"};
    const hyb_local_t refused[] = {
        {0, 2, absent}, {0, 2, wrong}, {2, 2, NULL}, {0, 0, NULL}};
    const hyb_local_t other = {1, 2, absent};
    int *cpus = NULL;
    int count = -1;

    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_int_equal(
            hyb_topology_cores(two_sockets, &refused[i], &cpus, &count),
            XH_ERR_ARG);
    assert_null(cpus);
    assert_int_equal(count, -1);
    assert_ok(hyb_topology_cores(two_sockets, &other, &cpus, &count));
    assert_int_equal(count, 4);
    free(cpus);
}

TEST(a_wrong_description_is_refused)
{
    hyb_topology_t *topology = NULL;

    assert_int_equal(hyb_topology_open("core:many", &topology), XH_ERR_INPUT);
    assert_int_equal(hyb_topology_open("absent.xml", &topology), XH_ERR_INPUT);
    assert_null(topology);
    hyb_topology_close(NULL);
}

TEST_ON_MACHINES(the_description_counts_what_is_there)
{
    char text[256];

    hyb_topology_describe(two_sockets, text, sizeof(text));
    assert_string_equal(text, "2 sockets, 8 NUMA nodes, 64 hardware threads, "
                              "32 of 32 cores in the affinity mask");
}

/* Lets the calling thread on cpu alone; returns what it was let on before. */
static cpu_set_t restrict_to(int cpu)
{
    cpu_set_t before, one;

    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    return before;
}

TEST(the_launchers_mask_is_law_on_this_machine)
{
    hyb_topology_t *topology;
    char expected[16];
    cpu_set_t before;
    int *cpus = NULL;
    char *mask = NULL;
    int count = 0;
    int cpu = sched_getcpu();

    before = restrict_to(cpu);
    topology = opened(NULL);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_ok(hyb_topology_cores(topology, &alone, &cpus, &count));
    assert_int_equal(count, 1);
    assert_int_equal(cpus[0], cpu);
    assert_ok(hyb_topology_mask(topology, &mask));
    snprintf(expected, sizeof(expected), "%d", cpu);
    assert_string_equal(mask, expected);
    free(mask);
    free(cpus);
    hyb_topology_close(topology);
}

/* A topology of another machine allows everything. */
TEST(a_confined_thread_is_told_all_that_the_system_allows)
{
    hyb_topology_t *topology = opened("core:4 pu:2");
    char *reach = NULL, *confined = NULL;
    cpu_set_t before, now;

    assert_ok(hyb_topology_reach(topology, &reach));
    assert_string_equal(reach, "0-7");
    free(reach);
    hyb_topology_close(topology);
    topology = opened(NULL);
    assert_ok(hyb_topology_reach(topology, &reach));
    before = restrict_to(sched_getcpu());
    assert_ok(hyb_topology_reach(topology, &confined));
    assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(CPU_COUNT(&now), 1);
    assert_string_equal(reach, confined);
    free(reach);
    free(confined);
    hyb_topology_close(topology);
}

static void assert_counts(const hyb_topology_t *topology, const char *mask,
                          const char *other, int cores, int processors)
{
    const char *masks[] = {mask, other};
    int got[2] = {-1, -1};

    assert_ok(hyb_topology_count(topology, masks, 2, &got[0], &got[1]));
    assert_int_equal(got[0], cores);
    assert_int_equal(got[1], processors);
}

TEST_ON_MACHINES(cores_and_processors_of_masks_are_counted_once)
{
    const char *wrong = "many";
    int cores = -1, processors = -1;

    assert_counts(two_sockets, "0-31", "32-63", 32, 64);
    assert_counts(two_sockets, "0,32", "0", 1, 2);
    assert_counts(two_sockets, "0-2", "34", 3, 4);
    assert_counts(two_sockets, "", "5", 1, 1);
    assert_counts(two_sockets, "4", "1000-1009", 1, 1);
    assert_int_equal(
        hyb_topology_count(two_sockets, &wrong, 1, &cores, &processors),
        XH_ERR_ARG);
    assert_int_equal(cores, -1);
}

TEST(processors_are_listed_in_ranges)
{
    static const int cpus[] = {6, 0, 2, 1, 40};
    char *list = NULL;

    assert_ok(hyb_topology_list(cpus, 5, &list));
    assert_string_equal(list, "0-2,6,40");
    free(list);
}

/* What is made of the description of a machine is as that machine. */
TEST(a_synthetic_description_makes_the_same_machine_or_there_is_none)
{
    static const struct {
        const char *source;
        int cores;
        size_t size;
        bool there;
    } of[] = {{"pack:2 numa:4 core:8 pu:2", 64, 1024, true},
              {"pack:1 l3:3 core:7 pu:4", 21, 1024, true},
              {UNEVEN, 9, 1024, false},
              {"core:2 pu:1", 2, 4, false}}; /* without room */

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        hyb_topology_t *topology = opened(of[i].source);
        char text[1024] = "?", again[1024];

        hyb_topology_synthetic(topology, text, of[i].size);
        hyb_topology_close(topology);
        assert_int_equal(text[0] != '\0', of[i].there);
        if (!of[i].there)
            continue;
        check_shares(text, of[i].cores, 1);
        topology = opened(text);
        hyb_topology_synthetic(topology, again, sizeof(again));
        hyb_topology_close(topology);
        assert_string_equal(again, text);
    }
}
