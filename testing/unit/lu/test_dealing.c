/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include "testing/unit/unit.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/tune/dealing.h"

enum { MOST_DEVICES = 6, MOST_BLOCKS = 150, ROUNDS = 300 };

typedef struct {
    hpl_dealt_t device[MOST_DEVICES];
    int devices;
    int64_t blocks;
    int home[MOST_BLOCKS];
} dealt_t;

static void deal(dealt_t *d)
{
    hyb_deal_by_rate(d->device, d->devices, d->blocks, d->home);
}

/* Devices with room for everything, and so many blocks. */
static dealt_t with_room(int devices, int64_t blocks)
{
    dealt_t d = {.devices = devices, .blocks = blocks};

    for (int i = 0; i < devices; i++)
        d.device[i] = (hpl_dealt_t){.rate = 1e12, .room = blocks};
    return d;
}

static void assert_in_turn(const dealt_t *d)
{
    for (int64_t b = 0; b < d->blocks; b++)
        assert_int_equal(d->home[b], b % d->devices);
}

TEST(equal_devices_get_blocks_in_turn)
{
    for (int devices = 1; devices <= MOST_DEVICES; devices++)
        for (int64_t blocks = 0; blocks < 40; blocks++) {
            dealt_t d = with_room(devices, blocks);

            deal(&d);
            assert_in_turn(&d);
        }
}

static double random_between(double least, double most)
{
    return least + (most - least) * (double)rand() / RAND_MAX;
}

/* Where rates are noise or one is unknown, and where there is just room. */
TEST(devices_about_as_fast_get_blocks_in_turn)
{
    dealt_t d;

    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        d = with_room(3, 39);
        for (int i = 0; i < 3; i++) {
            d.device[i].rate = random_between(4.9e13, 5.1e13);
            d.device[i].room = 13 + round % 2;
        }
        if (round % 3 == 0)
            d.device[round % 2].rate = 0.0;
        deal(&d);
        assert_in_turn(&d);
    }
}

/* Those of blocks from .. d->blocks - 1 that device i has. */
static int64_t count(const dealt_t *d, int64_t from, int i)
{
    int64_t found = 0;

    for (int64_t b = from; b < d->blocks; b++)
        found += d->home[b] == i;
    return found;
}

TEST(twice_the_rate_gets_twice_the_blocks_of_every_trailing_part)
{
    dealt_t d = with_room(2, 120);

    d.device[1].rate *= 2.0;
    deal(&d);
    for (int64_t from = 0; from < d.blocks; from++)
        assert_true(llabs(count(&d, from, 1) - 2 * count(&d, from, 0)) <= 2);
    assert_int_equal(count(&d, 0, 1), 80);
}

/* ---- any rates and memories ---------------------------------------------- */

/* Time of the slowest device on blocks from .. d->blocks - 1. */
static double seconds(const dealt_t *d, int64_t from)
{
    double most = 0.0;

    for (int i = 0; i < d->devices; i++)
        most = fmax(most, (double)count(d, from, i) / d->device[i].rate);
    return most;
}

/* Could the devices do so many blocks in less than limit? */
static bool is_possible(const dealt_t *d, int64_t blocks, double limit)
{
    int64_t most = 0;

    for (int i = 0; i < d->devices; i++) {
        double can = ceil(limit * d->device[i].rate * (1.0 - 1e-9)) - 1.0;

        most += xh_smaller(d->device[i].room, (int64_t)fmax(can, 0.0));
    }
    return most >= blocks;
}

/* Rates are those that rounding leaves; some devices have little memory. */
static dealt_t random_deal(void)
{
    dealt_t d = {.devices = 1 + rand() % MOST_DEVICES};
    int64_t room = 0;

    for (int i = 0; i < d.devices; i++) {
        d.device[i] = (hpl_dealt_t){.rate = 3.7e12 * exp2(rand() % 40 / 8.0),
                                    .room = rand() % 60};
        room += d.device[i].room;
    }
    d.blocks = xh_smaller(room, rand() % MOST_BLOCKS);
    deal(&d);
    return d;
}

TEST(no_trailing_part_could_be_done_sooner_and_no_device_is_too_full)
{
    srand(3);
    for (int round = 0; round < ROUNDS; round++) {
        dealt_t d = random_deal();

        for (int i = 0; i < d.devices; i++)
            assert_true(count(&d, 0, i) <= d.device[i].room);
        for (int64_t from = 0; from < d.blocks; from++)
            assert_false(is_possible(&d, d.blocks - from, seconds(&d, from)));
    }
}
