/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <math.h>
#include <stdbool.h>
#include "testing/unit/fake_root.h"
#include "testing/unit/unit.h"

#define ZONE "sys/class/powercap/intel-rapl:"

static const char *root;
static xhpl_energy_t *energy;
static double joules[XHPL_ENERGY_KINDS];

static int create(void **state)
{
    (void)state;
    root = fake_root_create();
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    xhpl_energy_close(energy);
    energy = NULL;
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

static void open_energy(void)
{
    assert_ok(xhpl_energy_open(root, &energy));
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-6;
}

#define TEST_SET_UP(name) TEST_WITH(name, create, destroy)

TEST_SET_UP(the_packages_and_the_memory_of_a_node_add_up)
{
    write_zone("0", "package-0\n", "5000000\n");
    write_zone("1", "package-1\n", "0\n");
    write_zone("0:1", "dram\n", "7000000\n");
    write_zone("1:0", "dram\n", "7000000\n");
    open_energy();
    count_to("0", "15000000\n");
    count_to("1", "2500000\n");
    count_to("0:1", "8000000\n");
    count_to("1:0", "8500000\n");
    xhpl_energy_read(energy, joules);
    assert_true(is_near(joules[XHPL_ENERGY_PACKAGE], 12.5));
    assert_true(is_near(joules[XHPL_ENERGY_DRAM], 2.5));
}

TEST_SET_UP(parts_and_sums_of_packages_count_once)
{
    write_zone("0", "package-0\n", "0\n");
    write_zone("0:0", "core\n", "0\n");
    write_zone("1", "psys\n", "0\n");
    open_energy();
    count_to("0", "3000000\n");
    count_to("0:0", "2000000\n");
    count_to("1", "9000000\n");
    xhpl_energy_read(energy, joules);
    assert_true(is_near(joules[XHPL_ENERGY_PACKAGE], 3));
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_SET_UP(a_counter_that_starts_again_is_followed)
{
    write_zone("0", "package-0\n", "900000000\n");
    open_energy();
    for (int lap = 0; lap < 3; lap++) {
        count_to("0", "100000000\n");
        xhpl_energy_read(energy, joules);
        count_to("0", "900000000\n");
        xhpl_energy_read(energy, joules);
    }
    assert_true(is_near(joules[XHPL_ENERGY_PACKAGE], 3000));
}

TEST_SET_UP(a_node_without_counters_knows_nothing)
{
    open_energy();

    xhpl_energy_read(energy, joules);
    assert_true(isnan(joules[XHPL_ENERGY_PACKAGE]));
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_SET_UP(a_counter_that_cannot_be_read_hides_its_kind)
{
    write_zone("0", "package-0\n", "0\n");
    write_file("1", "name", "package-1\n");
    write_zone("0:0", "dram\n", "0\n");
    open_energy();
    count_to("0:0", "1000000\n");
    xhpl_energy_read(energy, joules);
    assert_true(isnan(joules[XHPL_ENERGY_PACKAGE]));
    assert_true(is_near(joules[XHPL_ENERGY_DRAM], 1));
    count_to("0:0", "\n");
    xhpl_energy_read(energy, joules);
    assert_true(isnan(joules[XHPL_ENERGY_DRAM]));
}

TEST_MAIN()
