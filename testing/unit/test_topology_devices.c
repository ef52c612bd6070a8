/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/machines.h"

#include "hybrid/node/topology.h"

/* Of TWO_SOCKETS, and the NUMA nodes that they hang on. */
static const char *const gpus[] = {
    "0000:07:00.0", "0000:0F:00.0", "0000:47:00.0", "0000:4e:00.0",
    "0000:87:00.0", "0000:90:00.0", "0000:b7:00.0", "0000:bd:00.0"};
static const int gpu_nodes[] = {3, 3, 1, 1, 7, 7, 5, 5};

static const int process_counts[] = {1, 2, 3, 4, 8, 16};

enum {
    GPUS = sizeof(gpus) / sizeof(gpus[0]),
    COUNTS = sizeof(process_counts) / sizeof(process_counts[0])
};

static int socket_of_node(int node)
{
    return node / 4;
}

/* Counts whose devices are rank's; returns how many. */
static int count_devices(const hyb_topology_t *topology,
                         const hyb_local_t *local, const char *const *addresses,
                         int devices, int *users)
{
    int *mine = NULL;
    int count = -1;
    int i;

    assert_int_equal(
        hyb_topology_deal(topology, local, addresses, devices, &mine, &count),
        XH_OK);
    for (i = 0; i < count; i++) {
        assert_in_range(mine[i], 0, devices - 1);
        assert_true(i == 0 || mine[i] > mine[i - 1]);
        users[mine[i]]++;
    }
    free(mine);
    return count;
}

static int count_gpus(const hyb_topology_t *topology, const hyb_local_t *local,
                      int *users)
{
    return count_devices(topology, local, gpus, GPUS, users);
}

/* Each of count processes gets one device: expected tells which. */
static void check_one_each(const char *source, const char *const *masks,
                           const char *const *addresses, int count,
                           const int *expected)
{
    hyb_topology_t *topology = opened(source);
    int rank;

    for (rank = 0; rank < count; rank++) {
        hyb_local_t local = {rank, count, masks};
        int users[GPUS] = {0};

        assert_int_equal(
            count_devices(topology, &local, addresses, count, users), 1);
        assert_int_equal(users[expected[rank]], 1);
    }
    hyb_topology_close(topology);
}

static void check_devices(const hyb_topology_t *topology, int processes)
{
    int users[GPUS] = {0};
    int most = processes > GPUS ? processes / GPUS : 1;
    int rank, i;

    for (rank = 0; rank < processes; rank++) {
        hyb_local_t local = {rank, processes, NULL};
        int count = count_gpus(topology, &local, users);

        if (processes <= GPUS)
            assert_in_range(count, GPUS / processes,
                            (GPUS + processes - 1) / processes);
        else
            assert_int_equal(count, 1);
    }
    for (i = 0; i < GPUS; i++)
        assert_in_range(users[i], most, processes % GPUS ? most + 1 : most);
}

static void devices_are_dealt_once_and_evenly(void **state)
{
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int i;

    (void)state;
    for (i = 0; i < COUNTS; i++)
        check_devices(topology, process_counts[i]);
    hyb_topology_close(topology);
}

static void devices_are_near_their_processes(void **state)
{
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int processes, rank, i;

    (void)state;
    for (processes = 2; processes <= 16; processes *= 2)
        for (rank = 0; rank < processes; rank++) {
            hyb_local_t local = {rank, processes, NULL};
            int users[GPUS] = {0};

            count_gpus(topology, &local, users);
            for (i = 0; i < GPUS; i++)
                if (users[i] > 0)
                    assert_int_equal(socket_of_node(gpu_nodes[i]),
                                     2 * rank / processes);
        }
    hyb_topology_close(topology);
}

static void devices_of_a_numa_node_go_to_its_process(void **state)
{
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int rank, i;

    (void)state;
    for (rank = 0; rank < 4; rank++) {
        hyb_local_t local = {rank, 4, NULL};
        int users[GPUS] = {0};

        assert_int_equal(count_gpus(topology, &local, users), 2);
        for (i = 0; i < GPUS; i++)
            assert_int_equal(users[i], gpu_nodes[i] / 2 == rank);
    }
    hyb_topology_close(topology);
}

static void devices_follow_the_masks(void **state)
{
    static const char *const masks[] = {"16-31", "0-15", "16-31", "0-15"};
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int rank, i;

    (void)state;
    for (rank = 0; rank < 4; rank++) {
        hyb_local_t local = {rank, 4, masks};
        int users[GPUS] = {0};

        assert_int_equal(count_gpus(topology, &local, users), 2);
        for (i = 0; i < GPUS; i++)
            if (users[i] > 0)
                assert_int_equal(socket_of_node(gpu_nodes[i]), 1 - rank % 2);
    }
    hyb_topology_close(topology);
}

static void the_next_best_device_is_of_the_same_socket(void **state)
{
    static const char *const masks[] = {"28-31", "24-27", "20-23", "16-19",
                                        "12-15", "8-11",  "4-7",   "0-3"};
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int rank, i;

    (void)state;
    for (rank = 0; rank < 8; rank++) {
        hyb_local_t local = {rank, 8, masks};
        int users[GPUS] = {0};

        assert_int_equal(count_gpus(topology, &local, users), 1);
        for (i = 0; i < GPUS; i++)
            if (users[i] > 0)
                assert_int_equal(socket_of_node(gpu_nodes[i]), 1 - rank / 4);
    }
    hyb_topology_close(topology);
}

static void a_device_goes_to_whom_most_cores_near_it_belong(void **state)
{
    static const char *const masks[] = {"0-3,5-6", "7-9"};
    static const char *const addresses[] = {"0000:41:00.0", "0000:21:00.0"};
    static const int expected[] = {1, 0};

    (void)state;
    check_one_each(UNEVEN, masks, addresses, 2, expected);
}

static void devices_with_a_place_are_dealt_first(void **state)
{
    static const char *const masks[] = {"0-3", "16-19"};
    static const char *const addresses[] = {"", "0000:07:00.0"};
    static const int expected[] = {1, 0};

    (void)state;
    check_one_each(TWO_SOCKETS, masks, addresses, 2, expected);
}

static void equally_near_processes_take_turns(void **state)
{
    static const char *const masks[] = {"12-13", "14-15"};
    static const char *const addresses[] = {"0000:07:00.0", "0000:0f:00.0",
                                            "0000:b7:00.0"};
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int rank;

    (void)state;
    for (rank = 0; rank < 2; rank++) {
        hyb_local_t local = {rank, 2, masks};
        int users[3] = {0};

        count_devices(topology, &local, addresses, 3, users);
        assert_int_equal(users[0] + users[1], 1);
    }
    hyb_topology_close(topology);
}

static void the_odd_device_goes_where_its_numa_node_is(void **state)
{
    static const char *const addresses[] = {"0000:21:00.0", "0000:41:00.0",
                                            "0000:61:00.0"};
    const hyb_local_t local = {0, 2, NULL};
    hyb_topology_t *topology = opened(UNEVEN);
    int users[3] = {0};

    (void)state;
    assert_int_equal(count_devices(topology, &local, addresses, 3, users), 1);
    assert_int_equal(users[0], 1);
    hyb_topology_close(topology);
}

static void devices_without_an_address_are_dealt_evenly(void **state)
{
    static const char *const addresses[] = {"", "0000:ff:00.0", "emulated",
                                            "0000:21:00.0"};
    hyb_topology_t *topology = opened(UNEVEN);
    int users[2][4] = {{0}};
    int rank, i;

    (void)state;
    for (rank = 0; rank < 2; rank++) {
        hyb_local_t local = {rank, 2, NULL};

        assert_int_equal(
            count_devices(topology, &local, addresses, 4, users[rank]), 2);
    }
    assert_int_equal(users[0][3], 1);
    for (i = 0; i < 4; i++)
        assert_int_equal(users[0][i] + users[1][i], 1);
    hyb_topology_close(topology);
}

static void no_devices_are_nobodys(void **state)
{
    const hyb_local_t local = {1, 2, NULL};
    hyb_topology_t *topology = opened(UNEVEN);

    (void)state;
    assert_int_equal(count_devices(topology, &local, NULL, 0, NULL), 0);
    hyb_topology_close(topology);
}

static void feeders_sit_near_their_device(void **state)
{
    hyb_topology_t *topology = opened(TWO_SOCKETS);
    int *cpus = NULL, *near = NULL;
    int count = 0;
    int device, i;

    (void)state;
    assert_int_equal(hyb_topology_cores(topology, 0, 1, NULL, &cpus, &count),
                     XH_OK);
    for (device = 0; device < GPUS; device++) {
        assert_int_equal(
            hyb_topology_near(topology, gpus[device], cpus, count, 6, &near),
            XH_OK);
        for (i = 0; i < 4; i++)
            assert_int_equal(node_of(near[i]), gpu_nodes[device]);
        for (; i < 6; i++)
            assert_int_equal(socket_of_node(node_of(near[i])),
                             socket_of_node(gpu_nodes[device]));
        free(near);
    }
    free(cpus);
    hyb_topology_close(topology);
}

static void feeders_of_a_device_somewhere_take_the_last_cores(void **state)
{
    static const int cpus[] = {0, 1, 2, 3, 5};
    hyb_topology_t *topology = opened(UNEVEN);
    int *near = NULL;

    (void)state;
    assert_int_equal(hyb_topology_near(topology, "", cpus, 5, 2, &near), XH_OK);
    assert_int_equal(near[0], 5);
    assert_int_equal(near[1], 3);
    free(near);
    near = NULL;
    assert_int_equal(hyb_topology_near(topology, "", cpus, 5, 6, &near),
                     XH_ERR_ARG);
    assert_null(near);
    hyb_topology_close(topology);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(devices_are_dealt_once_and_evenly),
    cmocka_unit_test(devices_are_near_their_processes),
    cmocka_unit_test(devices_of_a_numa_node_go_to_its_process),
    cmocka_unit_test(devices_follow_the_masks),
    cmocka_unit_test(the_next_best_device_is_of_the_same_socket),
    cmocka_unit_test(a_device_goes_to_whom_most_cores_near_it_belong),
    cmocka_unit_test(devices_with_a_place_are_dealt_first),
    cmocka_unit_test(equally_near_processes_take_turns),
    cmocka_unit_test(the_odd_device_goes_where_its_numa_node_is),
    cmocka_unit_test(devices_without_an_address_are_dealt_evenly),
    cmocka_unit_test(no_devices_are_nobodys),
    cmocka_unit_test(feeders_sit_near_their_device),
    cmocka_unit_test(feeders_of_a_device_somewhere_take_the_last_cores),
};

UNIT_MAIN(cases)
