/* SPDX-License-Identifier: BSD-3-Clause */
/* What crosses links where devices compute all columns. */
#include <math.h>
#include "base/integers.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/tune/residence.h"

static hpl_shape_t shape_of(int n, int nb, int nprow, int npcol)
{
    return (hpl_shape_t){
        .n = n, .nb = nb, .nprow = nprow, .npcol = npcol, .depth = 1};
}

typedef struct {
    double up, down; /* bytes */
} traffic_t;

/* With groups of so many panels. */
static traffic_t moved_with(const hpl_shape_t *shape, const hyb_homes_t *homes,
                            int width, bool rows_stay, bool by_device)
{
    hyb_groups_t groups;
    traffic_t t;

    assert_ok(hyb_groups_create((int)xh_units(shape->n, shape->nb),
                                (hyb_grouping_t){.width = width}, &groups));
    hyb_residence_traffic(shape, homes, &groups, rows_stay, by_device, &t.up,
                          &t.down);
    hyb_groups_destroy(&groups);
    return t;
}

/* Where rows travel through the host. */
static traffic_t moved(const hpl_shape_t *shape, const hyb_homes_t *homes,
                       bool by_device)
{
    return moved_with(shape, homes, 1, false, by_device);
}

static traffic_t traffic(hpl_shape_t shape, int devices, bool by_device)
{
    return moved(&shape, &(hyb_homes_t){.places = 1 + devices}, by_device);
}

/* Nearly all bytes are those of panels: with a large nb, lists and vectors are
 * few. */
TEST(one_process_moves_its_panels_down_and_up)
{
    double panels = 8.0 * 6000 * (6000 + 500) / 2;
    hpl_shape_t shape = shape_of(6000, 500, 1, 1);
    traffic_t t = traffic(shape, 1, false);

    assert_true(t.down > panels && t.down < 1.02 * panels);
    assert_true(t.up > panels && t.up < 1.02 * panels);
    /* each device gets all of them */
    t = traffic(shape, 3, false);
    assert_true(t.up > 3 * panels && t.up < 3 * 1.02 * panels);
    assert_true(t.down < 1.02 * panels);
    /* L1 alone comes down, and goes up for the solve */
    t = traffic(shape, 1, true);
    assert_true(t.down < 0.2 * panels && t.up < 0.2 * panels);
}

/* Their L2 goes neither down nor up, but where other processes read it. */
TEST(devices_that_reach_each_other_keep_panels_from_the_link)
{
    hpl_shape_t shape = shape_of(6000, 500, 1, 1);
    int number[13] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1};
    hyb_homes_t homes = {.places = 4, .peers = true, .number = number};
    double l1 = 8.0 * 6000 * 500, l2 = 8.0 * 6000 * (6000 - 500) / 2;
    traffic_t t = moved(&shape, &homes, true);

    assert_true(t.down > l1 && t.down < 2.1 * l1);
    assert_true(t.up > 3 * l1 && t.up < 4.1 * l1);
    homes.guests = 12; /* of all panels */
    homes.blocks = 13;
    assert_true(moved(&shape, &homes, true).down > l1 + l2);
    shape.npcol = 2;
    homes.guests = 0;
    t = moved(&shape, &homes, true);
    assert_true(t.down > l2 / 2 && t.up > 3 * l2 / 2);
    homes.peers = false;
    assert_true(moved(&shape, &homes, true).up > t.up + 2 * 0.9 * l2 / 2);
}

/* All columns come, and go, once for each group, less and less of them. */
TEST(guests_cross_the_link_once_for_a_group)
{
    enum { N = 9600, NB = 100, GUESTS = N / NB };
    const hpl_shape_t shape = shape_of(N, NB, 1, 1);
    const hyb_homes_t none = {.places = 2, .blocks = GUESTS + 1};
    int number[GUESTS + 1];
    const hyb_homes_t homes = {
        .places = 2, .blocks = GUESTS + 1, .guests = GUESTS, .number = number};
    const double all = 8.0 * N * (double)N * N / NB / 3.0;

    for (int b = 0; b <= GUESTS; b++)
        number[b] = 1;
    for (int width = 1; width <= 8; width *= 2) {
        double up = moved_with(&shape, &homes, width, false, true).up -
                    moved_with(&shape, &none, width, false, true).up;

        assert_true(up > 0.8 * all / width && up < 1.5 * all / width);
    }
}

/* All processes of a grid: each row of U leaves one and comes to all others. */
TEST(rows_of_a_process_column_cross_each_link)
{
    enum { N = 6000, NB = 100, P = 3 };
    const hyb_homes_t homes = {.places = 2};
    double columns = 0.0, up = 0.0, others = 0.0, panels = 0.0;
    hpl_shape_t shape = shape_of(N, NB, P, 1);

    for (shape.myrow = 0; shape.myrow < P; shape.myrow++) {
        up += traffic(shape, 1, false).up;
        others += moved_with(&shape, &homes, 1, true, false).up;
    }
    for (int k = 1; k <= N / NB; k++) {
        columns += NB * (N - k * NB + 1.0);
        panels += NB * (double)k * NB + (P - 1) * NB * NB;
    }
    /* of NB rows P - 1 parts of P to each, and as many displaced ones */
    up -= 8.0 * (panels + columns * (P - 1.0) / P * (P + 1.0));
    others -= 8.0 * panels;
    assert_true(fabs(others) < 0.03 * 8.0 * columns * P);
    assert_true(fabs(up) < 0.03 * 8.0 * columns * P);
}
