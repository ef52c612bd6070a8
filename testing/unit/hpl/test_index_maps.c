/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"
#include "hpl.h"
#include "hpl/pauxil/map.h"

enum { MOST = 40 }; /* indices of the brute-force cases */

/* a distribution, dealt one index at a time */
typedef struct {
    int inb, nb, src, nprocs;
    int owner[MOST], local[MOST];
    int held[8]; /* by each process */
} dealt_t;

static dealt_t deal(int inb, int nb, int src, int nprocs)
{
    dealt_t d = {.inb = inb, .nb = nb, .src = src, .nprocs = nprocs};
    int left = inb, p = src;

    for (int g = 0; g < MOST; g++) {
        if (left == 0) {
            p = (p + 1) % nprocs;
            left = nb;
        }
        left--;
        d.owner[g] = p;
        d.local[g] = d.held[p]++;
    }
    return d;
}

static void check_places(const dealt_t *d)
{
    int p, l;

    for (int g = 0; g < MOST; g++) {
        assert_int_equal(HPL_indxg2p(g, d->inb, d->nb, d->src, d->nprocs),
                         d->owner[g]);
        assert_int_equal(HPL_indxg2l(g, d->inb, d->nb, d->src, d->nprocs),
                         d->local[g]);
        HPL_indxg2lp(&l, &p, g, d->inb, d->nb, d->src, d->nprocs);
        assert_int_equal(l, d->local[g]);
        assert_int_equal(p, d->owner[g]);
        assert_int_equal(HPL_indxl2g(l, d->inb, d->nb, p, d->src, d->nprocs),
                         g);
    }
}

static int held(const dealt_t *d, int from, int to, int p)
{
    int count = 0;

    for (int g = from; g < to; g++)
        count += d->owner[g] == p;
    return count;
}

static void check_counts(const dealt_t *d)
{
    for (int p = 0; p < d->nprocs; p++)
        for (int to = 0; to < MOST; to++) {
            assert_int_equal(
                HPL_numroc(to, d->inb, d->nb, p, d->src, d->nprocs),
                held(d, 0, to, p));
            for (int from = 0; from <= to; from += 3)
                assert_int_equal(HPL_numrocI(to - from, from, d->inb, d->nb, p,
                                             d->src, d->nprocs),
                                 held(d, from, to, p));
        }
}

TEST(every_index_and_range_has_the_place_that_dealing_gives)
{
    for (int nprocs = 1; nprocs <= 5; nprocs++)
        for (int src = 0; src < nprocs; src++)
            for (int inb = 1; inb <= 7; inb++)
                for (int nb = 1; nb <= 5; nb++) {
                    dealt_t d = deal(inb, nb, src, nprocs);

                    check_places(&d);
                    check_counts(&d);
                }
}

TEST(a_submatrix_starts_at_the_next_index_held)
{
    dealt_t rows = deal(3, 2, 1, 3), cols = deal(1, 4, 0, 2);
    int ii, jj, prow, pcol;

    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++)
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 2; q++) {
                    HPL_infog2l(i, j, 3, 2, 1, 4, 1, 0, p, q, 3, 2, &ii, &jj,
                                &prow, &pcol);
                    assert_int_equal(ii, held(&rows, 0, i, p));
                    assert_int_equal(jj, held(&cols, 0, j, q));
                    assert_int_equal(prow, rows.owner[i]);
                    assert_int_equal(pcol, cols.owner[j]);
                }
}

TEST(what_is_not_distributed_is_all_everywhere)
{
    for (int nprocs = 1; nprocs <= 3; nprocs++)
        for (int n = 0; n < MOST; n++) {
            assert_int_equal(HPL_indxg2p(n, 2, 3, -1, nprocs), -1);
            assert_int_equal(HPL_indxg2l(n, 2, 3, -1, nprocs), n);
            assert_int_equal(HPL_indxl2g(n, 2, 3, 0, -1, nprocs), n);
            assert_int_equal(HPL_numroc(n, 2, 3, nprocs - 1, -1, nprocs), n);
            assert_int_equal(HPL_numrocI(n, 5, 2, 3, 0, -1, nprocs), n);
        }
}

TEST(indices_up_to_the_largest_int_come_back)
{
    static const int inbs[] = {1, 191, 1 << 30, INT_MAX};
    static const int nbs[] = {1, 192, 1 << 30, INT_MAX};
    int l, p, g;

    for (int k = 0; k < 300; k++)
        for (int i = 0; i < 4; i++)
            for (int b = 0; b < 4; b++)
                for (int nprocs = 1; nprocs <= 4; nprocs++) {
                    g = INT_MAX - k;
                    HPL_indxg2lp(&l, &p, g, inbs[i], nbs[b], nprocs - 1,
                                 nprocs);
                    assert_in_range(l, 0, g);
                    assert_in_range(p, 0, nprocs - 1);
                    assert_int_equal(
                        HPL_indxl2g(l, inbs[i], nbs[b], p, nprocs - 1, nprocs),
                        g);
                    assert_int_equal(
                        HPL_numroc(g, inbs[i], nbs[b], p, nprocs - 1, nprocs),
                        l);
                }
}

TEST(counts_that_end_beyond_the_largest_int_add_up)
{
    int count, sum;

    for (int nb = 1; nb < 1000; nb++) {
        sum = 0;
        for (int p = 0; p < 3; p++) {
            count = HPL_numrocI(5000, INT_MAX - 7, nb, nb, p, 2, 3);
            assert_in_range(count, 5000 / 3 - nb, 5000 / 3 + 1 + nb);
            sum += count;
        }
        assert_int_equal(sum, 5000);
    }
}

/* The map repeats every nb * nprocs indices: far away is as near 0. */
static void check_far_index(hpl_map_t map, int64_t g)
{
    int64_t cycle = map.nb * map.nprocs;
    int64_t near = g % cycle, before = g / cycle * map.nb;

    map.me = hpl_map_owner(&map, near);
    assert_int_equal(hpl_map_owner(&map, g), map.me);
    assert_int_equal(hpl_map_local(&map, g),
                     hpl_map_local(&map, near) + before);
    assert_int_equal(hpl_map_count(&map, g), hpl_map_local(&map, g));
    assert_int_equal(hpl_map_count(&map, g + 1), hpl_map_local(&map, g) + 1);
    assert_int_equal(hpl_map_global(&map, hpl_map_local(&map, g)), g);
}

TEST(the_map_goes_on_beyond_32_bits)
{
    static const int64_t at[] = {1000, INT64_C(1) << 31, INT64_C(1) << 32,
                                 INT64_C(1) << 45};

    for (int k = 0; k < 4; k++)
        for (int64_t nb = 1; nb < 200; nb += 33)
            for (int nprocs = 1; nprocs <= 5; nprocs++)
                for (int64_t g = at[k] - 300; g < at[k] + 300; g++)
                    check_far_index(hpl_map(nb, nprocs, 0), g);
}
