/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/node/machines.h"

#include "hybrid/node/topology.h"

/* The GPUs of TWO_SOCKETS, and the NUMA nodes that they hang on. */
static const char *const gpus[] = {
    "0000:07:00.0", "0000:0F:00.0", "0000:47:00.0", "0000:4e:00.0",
    "0000:87:00.0", "0000:90:00.0", "0000:b7:00.0", "0000:bd:00.0"};
static const int gpu_nodes[] = {3, 3, 1, 1, 7, 7, 5, 5};

static const int process_counts[] = {1, 2, 3, 4, 8, 16};

enum { GPUS = COUNT_OF(gpus), COUNTS = COUNT_OF(process_counts) };

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

    assert_ok(
        hyb_topology_deal(topology, local, addresses, devices, &mine, &count));
    for (int i = 0; i < count; i++) {
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

static void check_devices(const hyb_topology_t *topology, int processes)
{
    int users[GPUS] = {0};
    int most = processes > GPUS ? processes / GPUS : 1;

    for (int rank = 0; rank < processes; rank++) {
        hyb_local_t local = {rank, processes, NULL};
        int count = count_gpus(topology, &local, users);

        if (processes <= GPUS)
            assert_in_range(count, GPUS / processes,
                            (GPUS + processes - 1) / processes);
        else
            assert_int_equal(count, 1);
    }
    for (int i = 0; i < GPUS; i++)
        assert_in_range(users[i], most, processes % GPUS ? most + 1 : most);
}

TEST_ON_MACHINES(devices_are_dealt_once_and_evenly)
{
    for (int i = 0; i < COUNTS; i++)
        check_devices(two_sockets, process_counts[i]);
}

/* Each of the processes has as many devices, all of its socket. */
static void check_sockets(const char *const *masks, int processes,
                          const int *sockets)
{
    for (int rank = 0; rank < processes; rank++) {
        hyb_local_t local = {rank, processes, masks};
        int users[GPUS] = {0};

        assert_int_equal(count_gpus(two_sockets, &local, users),
                         processes < GPUS ? GPUS / processes : 1);
        for (int i = 0; i < GPUS; i++)
            if (users[i] > 0)
                assert_int_equal(socket_of_node(gpu_nodes[i]), sockets[rank]);
    }
}

TEST_ON_MACHINES(devices_are_near_their_processes)
{
    int sockets[16];

    for (int processes = 2; processes <= 16; processes *= 2) {
        for (int rank = 0; rank < processes; rank++)
            sockets[rank] = 2 * rank / processes;
        check_sockets(NULL, processes, sockets);
    }
}

TEST_ON_MACHINES(devices_of_a_numa_node_go_to_its_process)
{
    for (int rank = 0; rank < 4; rank++) {
        hyb_local_t local = {rank, 4, NULL};
        int users[GPUS] = {0};

        count_gpus(two_sockets, &local, users);
        for (int i = 0; i < GPUS; i++)
            assert_int_equal(users[i], gpu_nodes[i] / 2 == rank);
    }
}

/* Also where the next best device is of the same socket only. */
TEST_ON_MACHINES(devices_follow_the_masks)
{
    static const char *const halves[] = {"16-31", "0-15", "16-31", "0-15"};
    static const char *const masks[] = {"28-31", "24-27", "20-23", "16-19",
                                        "12-15", "8-11",  "4-7",   "0-3"};
    static const int of_halves[] = {1, 0, 1, 0};
    static const int sockets[] = {1, 1, 1, 1, 0, 0, 0, 0};

    check_sockets(halves, 4, of_halves);
    check_sockets(masks, 8, sockets);
}

/* A device goes to whom most cores near it belong; one with a place is dealt
 * first. */
TEST(a_device_goes_where_it_is_nearest)
{
    static const struct {
        const char *machine, *masks[2], *addresses[2];
    } of[] = {{UNEVEN, {"0-3,5-6", "7-9"}, {"0000:41:00.0", "0000:21:00.0"}},
              {TWO_SOCKETS, {"0-3", "16-19"}, {"", "0000:07:00.0"}}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        hyb_topology_t *topology = opened(of[i].machine);

        for (int rank = 0; rank < 2; rank++) {
            hyb_local_t local = {rank, 2, of[i].masks};
            int users[2] = {0};

            assert_int_equal(
                count_devices(topology, &local, of[i].addresses, 2, users), 1);
            assert_int_equal(users[1 - rank], 1);
        }
        hyb_topology_close(topology);
    }
}

/* The odd one goes where its NUMA node is. */
TEST_ON_MACHINES(equally_near_processes_take_turns)
{
    static const char *const masks[] = {"12-13", "14-15"};
    static const char *const addresses[] = {"0000:07:00.0", "0000:0f:00.0",
                                            "0000:b7:00.0"};
    static const char *const odd[] = {"0000:21:00.0", "0000:41:00.0",
                                      "0000:61:00.0"};
    const hyb_local_t first = {0, 2, NULL};
    int users[3] = {0};

    assert_int_equal(count_devices(uneven, &first, odd, 3, users), 1);
    assert_int_equal(users[0], 1);
    for (int rank = 0; rank < 2; rank++) {
        hyb_local_t local = {rank, 2, masks};

        memset(users, 0, sizeof(users));
        count_devices(two_sockets, &local, addresses, 3, users);
        assert_int_equal(users[0] + users[1], 1);
    }
}

TEST_ON_MACHINES(devices_without_an_address_are_dealt_evenly)
{
    static const char *const addresses[] = {"", "0000:ff:00.0", "emulated",
                                            "0000:21:00.0"};
    int users[2][4] = {{0}};

    assert_int_equal(
        count_devices(uneven, &(hyb_local_t){1, 2, NULL}, NULL, 0, NULL), 0);
    for (int rank = 0; rank < 2; rank++) {
        hyb_local_t local = {rank, 2, NULL};

        assert_int_equal(
            count_devices(uneven, &local, addresses, 4, users[rank]), 2);
    }
    assert_int_equal(users[0][3], 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(users[0][i] + users[1][i], 1);
}

TEST_ON_MACHINES(feeders_sit_near_their_device)
{
    const hyb_local_t alone = {0, 1, NULL};
    int *cpus = NULL;
    int count = 0;

    assert_ok(hyb_topology_cores(two_sockets, &alone, &cpus, &count));
    for (int device = 0; device < GPUS; device++) {
        for (int i = 1; i <= 6; i++) {
            int node;

            hyb_topology_put_nearest_last(two_sockets, gpus[device], cpus,
                                          count - i + 1);
            node = node_of(cpus[count - i]);
            assert_int_equal(socket_of_node(node),
                             socket_of_node(gpu_nodes[device]));
            assert_true(i > 4 || node == gpu_nodes[device]);
        }
    }
    free(cpus);
}

TEST_ON_MACHINES(feeders_of_a_device_somewhere_take_the_last_cores)
{
    int cpus[] = {0, 1, 2, 3, 5};
    static const int same[] = {0, 1, 2, 3, 5};

    for (int left = 5; left > 0; left--)
        hyb_topology_put_nearest_last(uneven, "", cpus, left);
    assert_memory_equal(cpus, same, sizeof(same));
}
