/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "testing/unit/unit.h"
#include "base/sequence.h"
#include "hpl.h"
#include "hpl/comm/pieces.h"
#include "hpl/matgen/generator.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "testing/unit/node/small_team.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"

/*
 * Systems larger than any that was solved, on 1024 and 9216 processes: what is
 * computed of sizes and places, without the memory.
 */
enum { N = 20000000, MEMBERS = 10 };

static const struct {
    int nprow, npcol;
} grids[] = {{32, 32}, {128, 72}};

static const int widths[] = {128, 256, 384, 1000};

static hpl_shape_t shape_of(size_t grid, int nb, int myrow, int mycol)
{
    return (hpl_shape_t){.n = N,
                         .nb = nb,
                         .nprow = grids[grid].nprow,
                         .npcol = grids[grid].npcol,
                         .myrow = myrow,
                         .mycol = mycol};
}

static void for_all(void (*check)(size_t grid, int nb))
{
    for (size_t grid = 0; grid < COUNT_OF(grids); grid++)
        for (size_t w = 0; w < COUNT_OF(widths); w++)
            check(grid, widths[w]);
}

/* ---- pieces -------------------------------------------------------------- */

/* Pieces of total units for members differ by one at most, and add up. */
static void check_even(int members, size_t total)
{
    size_t offset[MEMBERS + 1], piece, least = total / (size_t)members;

    hpl_pieces_even(offset, members, total);
    assert_int_equal(offset[0], 0);
    assert_true(offset[members] == total);
    for (int g = 0; g < members; g++) {
        piece = offset[g + 1] - offset[g];
        assert_true(piece == least || piece == least + 1);
    }
}

TEST(even_pieces_differ_by_one_at_most)
{
    for (int members = 1; members <= MEMBERS; members++) {
        check_even(members, SIZE_MAX - 5);
        check_even(members, ((size_t)1 << 31) + 1);
    }
}

/* ---- places -------------------------------------------------------------- */

static void check_dealt(size_t grid, int nb)
{
    int npcol = grids[grid].npcol;
    double rate[72] = {0.0};
    hpl_deal_t *deal;
    int64_t all = 0;

    for (int q = 0; q < npcol; q++)
        rate[q] = q == 5 ? 0.5 : 1.0;
    assert_ok(hpl_deal_create(rate, npcol, N, nb, &deal));
    for (int q = 0; q < npcol; q++) {
        hpl_map_t map = hpl_map(nb, npcol, q);

        map.deal = deal;
        all += hpl_map_count(&map, (int64_t)N + 1);
    }
    assert_true(all == (int64_t)N + 1);
    hpl_deal_destroy(deal);
}

TEST_CALL(columns_that_are_dealt_by_speed_have_places_too, for_all(check_dealt))

/* ---- sizes --------------------------------------------------------------- */

static void check_bytes(size_t grid, int nb)
{
    double sum = 0.0;

    for (int p = 0; p < grids[grid].nprow; p++)
        for (int q = 0; q < grids[grid].npcol; q++) {
            hpl_shape_t shape = shape_of(grid, nb, p, q);
            HPL_T_pmat mat = hpl_system_matrix(&shape);
            double bytes = 8.0 * mat.ld * mat.nq;

            assert_true(mat.mp > 0 && mat.nq > 0 && mat.ld >= mat.mp);
            assert_true((double)hpl_system_matrix_bytes(&mat, 0, 8) >= bytes);
            assert_true((double)hpl_system_matrix_bytes(&mat, 0, 8) <
                        1.001 * bytes);
            sum += 8.0 * mat.mp * mat.nq;
        }
    assert_true(sum == 8.0 * N * (N + 1.0));
}

TEST_CALL(the_matrix_has_3200_terabytes_on_all_processes, for_all(check_bytes))

static void check_working_memory(size_t grid, int nb)
{
    hpl_shape_t shape = shape_of(grid, nb, 0, 0);
    hyb_resources_t resources = {.by_blas = true,
                                 .team = small_team(1),
                                 .kernel = hyb_kernel_find(XH_ISA_PORTABLE)};
    double rows = (double)hpl_system_rows(&shape);
    double columns = (double)hpl_system_columns(&shape);

    assert_true((double)hyb_panels_bytes(&resources, &shape) >=
                16.0 * nb * rows);
    assert_true((double)hyb_panels_bytes(&resources, &shape) <
                800.0 * nb * rows);
    assert_true((double)hyb_exchange_bytes(&resources, &shape, 0) >=
                16.0 * nb * columns);
    assert_true((double)hyb_exchange_bytes(&resources, &shape, 0) <
                32.0 * nb * columns);
    hyb_team_destroy(resources.team);
}

TEST_CALL(working_memory_is_some_panels_and_rows, for_all(check_working_memory))

/* ---- the matrix ---------------------------------------------------------- */

/* Entry (i, j), from its definition. */
static double entry(int64_t i, int64_t j)
{
    xh_jump_t way = xh_jump_power(xh_jump_step, (uint64_t)(i + j * N + 1));

    return xh_sequence_entry(xh_jump_apply(way, HPL_ISEED));
}

static void check_last_entries(size_t grid, int nb)
{
    enum { ROWS = 5, COLS = 3 };
    hpl_map_t rows = hpl_map(nb, grids[grid].nprow, 0);
    hpl_map_t cols = hpl_map(nb, grids[grid].npcol, 0);
    hpl_generator_t generator;
    double a[ROWS * COLS];
    int64_t row, col;

    rows.me = hpl_map_owner(&rows, N - 1);
    cols.me = hpl_map_owner(&cols, N);
    row = hpl_map_count(&rows, N) - ROWS;
    col = hpl_map_count(&cols, (int64_t)N + 1) - COLS;
    generator = hpl_generator(N, HPL_ISEED, &rows, &cols);
    hpl_generator_fill(&generator, (hpl_submatrix_t){row, ROWS, col, COLS}, a,
                       ROWS);
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            assert_true(a[i + j * ROWS] ==
                        entry(hpl_map_global(&rows, row + i),
                              hpl_map_global(&cols, col + j)));
}

TEST_CALL(the_last_entries_are_those_of_the_sequence,
          for_all(check_last_entries))
