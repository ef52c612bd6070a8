/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_energy.h"

#include <math.h>
#include "testing/unit/fake_root.h"
#include "testing/unit/unit.h"

#define ZONE "sys/class/powercap/intel-rapl:"

static const char *root;

static int create(void **state)
{
    (void)state;
    root = fake_root_create();
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    fake_root_destroy();
    return 0;
}

static void write_file(const char *zone, const char *file, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), ZONE "%s/%s", zone, file);
    fake_root_write(path, text);
}

static void write_zone(const char *zone, const char *name, const char *counter)
{
    write_file(zone, "name", name);
    write_file(zone, "max_energy_range_uj", "1000000000\n");
    write_file(zone, "energy_uj", counter);
}

static void count_to(const char *zone, const char *counter)
{
    write_file(zone, "energy_uj", counter);
}

static xhpl_energy_t *opened(void)
{
    xhpl_energy_t *energy = NULL;

    assert_ok(xhpl_energy_open(root, &energy));
    return energy;
}

#define TEST_SET_UP(name) TEST_WITH(name, create, destroy)

TEST_SET_UP(the_packages_and_the_memory_of_a_node_add_up)
{
    double joules[XHPL_ENERGY_KINDS];
    xhpl_energy_t *energy;

    write_zone("0", "package-0\n", "5000000\n");
    write_zone("1", "package-1\n", "0\n");
    write_zone("0:1", "dram\n", "7000000\n");
    write_zone("1:0", "dram\n", "7000000\n");
    energy = opened();
    count_to("0", "15000000\n");
    count_to("1", "2500000\n");
    count_to("0:1", "8000000\n");
    count_to("1:0", "8500000\n");
    xhpl_energy_read(energy, joules);
    xhpl_energy_close(energy);
    assert_true(fabs(joules[XHPL_ENERGY_PACKAGE] - 12.5) < 1e-9);
    assert_true(fabs(joules[XHPL_ENERGY_DRAM] - 2.5) < 1e-9);
}

TEST_SET_UP(parts_and_sums_of_packages_count_once)
{
    double joules[XHPL_ENERGY_KINDS];
    xhpl_energy_t *energy;

    write_zone("0", "package-0\n", "0\n");
    write_zone("0:0", "core\n", "0\n");
    write_zone("1", "psys\n", "0\n");
    energy = opened();
    count_to("0", "3000000\n");
    count_to("0:0", "2000000\n");
    count_to("1", "9000000\n");
    xhpl_energy_read(energy, joules);
    xhpl_energy_close(energy);
    assert_true(fabs(joules[XHPL_ENERGY_PACKAGE] - 3) < 1e-9);
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_SET_UP(a_counter_that_starts_again_is_followed)
{
    double joules[XHPL_ENERGY_KINDS];
    xhpl_energy_t *energy;

    write_zone("0", "package-0\n", "900000000\n");
    energy = opened();
    for (int lap = 0; lap < 3; lap++) {
        count_to("0", "100000000\n");
        xhpl_energy_read(energy, joules);
        count_to("0", "900000000\n");
        xhpl_energy_read(energy, joules);
    }
    xhpl_energy_close(energy);
    assert_true(fabs(joules[XHPL_ENERGY_PACKAGE] - 3000) < 1e-6);
}

TEST_SET_UP(a_node_without_counters_knows_nothing)
{
    double joules[XHPL_ENERGY_KINDS];
    xhpl_energy_t *energy = opened();

    xhpl_energy_read(energy, joules);
    xhpl_energy_close(energy);
    assert_true(isnan(joules[XHPL_ENERGY_PACKAGE]));
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_SET_UP(a_counter_that_cannot_be_read_hides_its_kind)
{
    double joules[XHPL_ENERGY_KINDS];
    xhpl_energy_t *energy;

    write_zone("0", "package-0\n", "0\n");
    write_file("1", "name", "package-1\n");
    write_zone("0:0", "dram\n", "0\n");
    energy = opened();
    count_to("0:0", "1000000\n");
    xhpl_energy_read(energy, joules);
    assert_true(isnan(joules[XHPL_ENERGY_PACKAGE]));
    assert_true(fabs(joules[XHPL_ENERGY_DRAM] - 1) < 1e-9);
    count_to("0:0", "\n");
    xhpl_energy_read(energy, joules);
    xhpl_energy_close(energy);
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_SET_UP(nothing_can_be_closed)
{
    xhpl_energy_close(NULL);
}

TEST_MAIN()
