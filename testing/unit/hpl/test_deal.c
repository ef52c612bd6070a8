/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <math.h>
#include "hpl/pauxil/map.h"

enum { MOST_PROCESSES = 7, ROUNDS = 200 };

typedef struct {
    int64_t n, nb;
    int nprocs;
    double rate[MOST_PROCESSES];
    hpl_deal_t *deal;
} case_t;

/* Rates up to 15 times the lowest. */
static case_t random_case(void)
{
    case_t c = {.n = rand() % 300,
                .nb = 1 + rand() % 9,
                .nprocs = 1 + rand() % MOST_PROCESSES};

    for (int p = 0; p < c.nprocs; p++)
        c.rate[p] = exp2(rand() % 1000 / 256.0);
    assert_ok(hpl_deal_create(c.rate, c.nprocs, c.n, c.nb, &c.deal));
    return c;
}

static hpl_map_t map_of(const case_t *c, int me)
{
    return (hpl_map_t){c->nb, c->nprocs, me, c->deal};
}

/* Counted index by index. */
static void check_indices(const case_t *c)
{
    int64_t held[MOST_PROCESSES] = {0};

    for (int64_t g = 0; g <= c->n; g++) {
        hpl_map_t map = map_of(c, 0);
        int owner = hpl_map_owner(&map, g);

        assert_in_range(owner, 0, c->nprocs - 1);
        for (int p = 0; p < c->nprocs; p++) {
            map.me = p;
            assert_int_equal(hpl_map_count(&map, g), held[p]);
        }
        map.me = owner;
        assert_int_equal(hpl_map_local(&map, g), held[owner]);
        assert_int_equal(hpl_map_global(&map, held[owner]), g);
        held[owner]++;
    }
}

TEST(equal_rates_deal_in_turn)
{
    const double rate[MOST_PROCESSES] = {3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0};

    for (int nprocs = 1; nprocs <= MOST_PROCESSES; nprocs++)
        for (int64_t n = 0; n < 60; n++) {
            hpl_deal_t *deal = (hpl_deal_t *)rate; /* none */

            assert_ok(hpl_deal_create(rate, nprocs, n, 4, &deal));
            assert_null(deal);
        }
}

/* What a process has of the blocks from `from` on. */
static double part_of(const case_t *c, int process, int64_t from,
                      int64_t blocks)
{
    hpl_map_t map = map_of(c, process);

    return (double)(hpl_map_block_count(&map, blocks) -
                    hpl_map_block_count(&map, from));
}

/* No process takes longer for its part of a trailing matrix than all would
 * take, by speed, for a block more for each other one. */
static void check_suffixes(const case_t *c)
{
    int64_t blocks = (c->n + c->nb - 1) / c->nb;
    double all = 0.0;

    for (int p = 0; p < c->nprocs; p++)
        all += c->rate[p];
    for (int64_t from = 0; from < blocks; from++)
        for (int p = 0; p < c->nprocs; p++) {
            double most = (double)(blocks - from + c->nprocs - 1) / all;

            assert_true(part_of(c, p, from, blocks) <=
                        most * c->rate[p] * (1.0 + 1e-12));
        }
}

TEST(each_column_has_a_place_and_trailing_parts_are_shared_by_speed)
{
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        case_t c = random_case();

        check_indices(&c);
        check_suffixes(&c);
        hpl_deal_destroy(c.deal);
    }
}

/* With N a multiple of NB b has a block of its own. */
TEST(the_column_of_b_counts_for_nothing)
{
    const double rate[] = {2.0, 1.0};
    case_t with = {.n = 120, .nb = 10, .nprocs = 2};
    case_t without = {.n = 119, .nb = 10, .nprocs = 2};

    assert_ok(hpl_deal_create(rate, 2, with.n, with.nb, &with.deal));
    assert_ok(hpl_deal_create(rate, 2, without.n, without.nb, &without.deal));
    for (int b = 0; b < 12; b++)
        assert_int_equal(with.deal->owner[b], without.deal->owner[b]);
    hpl_deal_destroy(with.deal);
    hpl_deal_destroy(without.deal);
}

TEST(rates_within_four_percent_count_as_equal)
{
    assert_true(hpl_deal_round(0.96, 1.0) == 1.0);
    assert_true(hpl_deal_round(1.0, 1.0) == 1.0);
    assert_true(hpl_deal_round(0.95, 1.0) < 1.0);
    assert_true(hpl_deal_round(1.02, 2.0) == 0.5);
}
