/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: isa threads */
#define _GNU_SOURCE
#include "base/cpu.h"

#include <math.h>
#include <sched.h>
#include "base/cgroup.h"
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

static int cpus_of_mask(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        skip(); /* more processors than a cpu_set_t has */
    return CPU_COUNT(&set);
}

static void use_v2(const char *group, const char *quota)
{
    char path[256];

    fake_root_write("proc/self/cgroup", "0::/a/b\n");
    fake_root_write("proc/self/mountinfo",
                    "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 x rw\n");
    snprintf(path, sizeof(path), "sys/fs/cgroup/%s/cpu.max", group);
    fake_root_write(path, quota);
}

static void use_v1(const char *quota)
{
    fake_root_write("proc/self/cgroup", "3:cpu,cpuacct:/a\n");
    fake_root_write("proc/self/mountinfo",
                    "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup x rw,"
                    "cpu,cpuacct\n");
    fake_root_write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota);
    fake_root_write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
}

TEST(the_instruction_set_found_is_the_widest_usable)
{
    int isa;

    assert_true(xh_cpu_has(xh_cpu_isa()) && xh_cpu_has(XH_ISA_PORTABLE));
    for (isa = 0; isa < (int)xh_cpu_isa(); isa++)
        assert_false(xh_cpu_has((xh_isa_t)isa));
}

TEST(this_processor_has_a_model_a_cache_and_cores_within_the_mask)
{
    const char *model = xh_cpu_model();

    assert_true(strlen(model) > 0);
    assert_null(strchr(model, '\n'));
    assert_ptr_equal(model, xh_cpu_model());
    assert_in_range(xh_cpu_l2_bytes(), 1 << 15, 1 << 28);
    assert_in_range(xh_cpu_cores(""), 1, cpus_of_mask());
}

#define TEST_SET_UP(name) TEST_WITH(name, fake_root_open, fake_root_close)

TEST_SET_UP(without_topology_every_processor_is_a_core)
{
    assert_int_equal(xh_cpu_cores(fake_root), cpus_of_mask());
}

TEST_SET_UP(hardware_threads_of_a_core_count_once)
{
    char path[256];
    int *ids = calloc((size_t)cpus_of_mask(), sizeof(*ids));
    int cores = xh_cpu_core_ids(fake_root, ids, cpus_of_mask());
    int first = ids[0];
    int again;

    for (int i = 0; i < cores; i++) {
        snprintf(path, sizeof(path),
                 "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 ids[i]);
        fake_root_write(path, "0,1-100000\n");
    }
    again = xh_cpu_core_ids(fake_root, ids, 1);
    assert_int_equal(again, 1);
    assert_int_equal(ids[0], first);
    free(ids);
}

TEST(a_list_is_numbers_and_ranges_of_them)
{
    int numbers[4] = {-1, -1, -1, -1};

    assert_int_equal(xh_cpu_list("0-2,8\n", numbers, 3), 4);
    assert_int_equal(numbers[0], 0);
    assert_int_equal(numbers[2], 2);
    assert_int_equal(numbers[3], -1);
    assert_int_equal(xh_cpu_list("7", numbers, 4), 1);
    assert_int_equal(numbers[0], 7);
    assert_int_equal(xh_cpu_list("", numbers, 4), 0);
    assert_int_equal(xh_cpu_list("3-1", numbers, 4), 0);
    assert_int_equal(xh_cpu_list("1,x", numbers, 4), 1);
    assert_int_equal(xh_cpu_list("0-99999999999999999999", numbers, 0),
                     1 << 20);
}

/* Processor cpu, and those of its core and socket. */
static void add_cpu(int cpu, const char *core, const char *socket)
{
    static const char folder[] = "sys/devices/system/cpu";
    char path[256];

    snprintf(path, sizeof(path), "%s/cpu%d/topology/thread_siblings_list",
             folder, cpu);
    fake_root_write(path, core);
    snprintf(path, sizeof(path), "%s/cpu%d/topology/core_siblings_list", folder,
             cpu);
    fake_root_write(path, socket);
}

TEST_SET_UP(sockets_cores_and_memory_nodes_are_counted)
{
    xh_census_t census;

    fake_root_write("sys/devices/system/cpu/online", "0-4,6\n");
    fake_root_write("sys/devices/system/node/online", "0-1,4\n");
    add_cpu(0, "0,3\n", "0-1,3-4\n");
    add_cpu(1, "1,4\n", "0-1,3-4\n");
    add_cpu(2, "2\n", "2,6\n");
    add_cpu(3, "0,3\n", "0-1,3-4\n");
    add_cpu(4, "1,4\n", "0-1,3-4\n");
    add_cpu(6, "6\n", "2,6\n");
    census = xh_cpu_census(fake_root);
    assert_int_equal(census.sockets, 2);
    assert_int_equal(census.cores, 4);
    assert_int_equal(census.numa_nodes, 3);
}

TEST_SET_UP(a_quota_is_quota_over_period_of_either_version)
{
    use_v2("a/b", "max 100000\n");
    assert_true(isinf(xh_cgroup_cpu_quota(fake_root)));
    use_v2("a/b", "150000 100000\n");
    assert_true(xh_cgroup_cpu_quota(fake_root) == 1.5);
    use_v2("a", "80000 100000\n");
    assert_true(xh_cgroup_cpu_quota(fake_root) == 0.8);
    use_v1("250000\n");
    assert_true(xh_cgroup_cpu_quota(fake_root) == 2.5);
    use_v1("-1\n");
    assert_true(isinf(xh_cgroup_cpu_quota(fake_root)));
}

TEST_SET_UP(a_quota_is_rounded_down_but_not_to_nothing)
{
    use_v2("a/b", "190000 100000\n");
    assert_int_equal(xh_cpu_cores(fake_root), 1);
    use_v2("a/b", "20000 100000\n");
    assert_int_equal(xh_cpu_cores(fake_root), 1);
    use_v2("a/b", "1000000000 1000\n");
    assert_int_equal(xh_cpu_cores(fake_root), cpus_of_mask());
}

/*
 * What each chain is after 100000 rounds, on average: it has converged, or is a
 * sum that began with 0, 1, .. or 23.
 */
static double end_of_chain(xh_isa_t isa)
{
    bool is_sum = isa >= XH_ISA_SVE512 && isa <= XH_ISA_NEON;

    return is_sum ? 11.5 + 100000 * 0.999 * 0.001 : 1000.0;
}

TEST(every_usable_loop_computes_its_chains)
{
    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        const xh_fma_t *kernel = xh_fma_kernel((xh_isa_t)isa);
        double limit;

        if (kernel == NULL)
            continue;
        assert_true(kernel->flop >= 2 * 12);
        limit = kernel->flop / 2 * end_of_chain((xh_isa_t)isa);
        assert_true(fabs(kernel->run(100000) - limit) < 1e-6 * limit);
        assert_true(kernel->run(10) < 0.2 * limit);
    }
}

TEST(the_ceiling_of_every_usable_set_is_positive)
{
    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        for (int threads = 1; threads <= 3; threads++) {
            double rate = xh_fma_ceiling((xh_isa_t)isa, NULL, threads, 0.01);

            assert_true(isfinite(rate));
            assert_int_equal(rate > 0.0, xh_fma_kernel((xh_isa_t)isa) != NULL);
        }
}

TEST(the_ceiling_is_that_of_the_processors_asked_for)
{
    int cpu, before = cpus_of_mask();

    assert_true(xh_cpu_core_ids("", &cpu, 1) > 0);
    assert_true(xh_fma_ceiling(xh_cpu_isa(), &cpu, 1, 0.01) > 0.0);
    assert_true(xh_fma_ceiling(xh_cpu_isa(), &cpu, 0, 0.01) == 0.0);
    assert_int_equal(cpus_of_mask(), before);
}
