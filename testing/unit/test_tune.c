/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune.h"

#include "testing/unit/unit.h"

/* Of an update's blocks the first ones are the devices'. */
typedef struct {
    int64_t columns, nb;
    hyb_blocks_t blocks; /* of A's and b, which is the last one */
    double share;
    int64_t learnt, fixed; /* the first block that is not */
} division_t;

static const division_t divisions[] = {
    {80, 8, {0, 11}, 0.0, 0, 0},    {80, 8, {0, 11}, 1.0, 11, 11},
    {80, 8, {0, 11}, 0.01, 1, 0},   {80, 8, {0, 11}, 0.52, 6, 5},
    {80, 8, {0, 11}, 0.57, 6, 6},   {80, 8, {4, 11}, 0.5, 8, 7},
    {80, 8, {10, 11}, 0.2, 11, 10}, {80, 8, {10, 11}, 0.6, 11, 11},
    {80, 8, {11, 11}, 1.0, 11, 11}, {80, 8, {9, 11}, 0.6, 11, 11},
    {83, 8, {9, 12}, 0.6, 10, 10},  {83, 8, {9, 12}, 0.8, 12, 12},
};

TEST(blocks_are_divided_by_their_columns)
{
    hyb_ledger_t ledger;

    for (size_t i = 0; i < COUNT_OF(divisions); i++) {
        const division_t *d = &divisions[i];

        assert_ok(hyb_ledger_create(d->columns, true, d->nb, &ledger));
        assert_int_equal(hyb_tune_division(&ledger, d->blocks, d->share, false),
                         d->learnt);
        assert_int_equal(hyb_tune_division(&ledger, d->blocks, d->share, true),
                         d->fixed);
        hyb_ledger_destroy(&ledger);
    }
}

TEST_MAIN()
