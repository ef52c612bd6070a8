/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4; 9 more */
#include "testing/unit/unit_mpi.h"

#include "hpl/panel/panel.h"
#include "hpl/pgesv/exchange.h"
#include "testing/unit/hpl/exchange_fixture.h"

/* Wrong entries of u, whose columns are the panel's next ones. */
static int wrong_u(const exchange_setting_t *s, hpl_matrix_t u, int columns)
{
    int errors = 0;

    for (int j = 0; j < columns; j++)
        for (int i = 0; i < s->panel->jb; i++)
            errors += *hpl_matrix_at(u, i, j).data !=
                      exchange_expected(s, s->panel->ia + i, s->panel->jj + j);
    return errors;
}

static void advance(HPL_T_panel *panel, int columns)
{
    panel->A = Mptr(panel->A, 0, columns, panel->lda);
    panel->jj += columns;
    panel->nq -= columns;
}

/* Exchange in two column ranges, the second one polled. */
static int exchange(exchange_setting_t *s, enum HPL_TRANS form, int first)
{
    HPL_T_panel *panel = s->panel;
    int columns = Mmin(first, panel->nq), errors = 0;
    hpl_exchange_t x;

    hpl_panel_reserve_u(panel, hpl_exchange_doubles(panel->jb, panel->nq));
    while (columns > 0) {
        hpl_exchange_begin(&x, panel, columns);
        while (panel->nq == columns && !hpl_schedule_poll(x.schedule))
            ;
        errors += wrong_u(s, hpl_exchange_end(&x, form), columns);
        errors += exchange_wrong_rows(s, columns);
        advance(panel, columns);
        columns = panel->nq;
    }
    return errors;
}

/* Every panel of a matrix on the open grid, U in both forms. */
static int exchange_all_panels(exchange_setting_t *s, uint64_t *random)
{
    static const enum HPL_TRANS forms[] = {HplNoTrans, HplTrans};
    int first, errors = 0;

    for (s->k = 0; s->k * s->nb < s->n; s->k++)
        for (int f = 0; f < 2; f++) {
            first = 1 + small_random(random, 4);
            exchange_setting_open(s, random);
            errors += exchange(s, forms[f], first);
            exchange_setting_close(s);
        }
    return errors;
}

/* Shapes: fewer blocks than process rows, several blocks each, a short end. */
static int exchange_shapes(exchange_setting_t *s)
{
    static const int shapes[][2] = {{40, 3}, {23, 8}, {5, 2}, {7, 9}};
    uint64_t random = 5;
    int errors = 0;

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        s->n = shapes[i][0];
        s->nb = shapes[i][1];
        errors += exchange_all_panels(s, &random);
    }
    return errors;
}

/* On every P x Q grid of the job's processes. */
static void exchange_everywhere(HPL_T_SWAP swap, int threshold, int equil)
{
    int errors = 0;
    exchange_setting_t s = {
        .algo = {.fswap = swap, .fsthr = threshold, .equil = equil}};

    for (int p = 1; p <= unit_processes(); p++)
        for (int q = 1; p * q <= unit_processes(); q += p == 2 ? 1 : 2) {
            if (small_grid_open(&s.grid, p, q))
                errors += exchange_shapes(&s);
            small_grid_close(&s.grid);
        }
    assert_int_equal(errors, 0);
}

TEST_CALL(binary_exchange_moves_rows_as_interchanges_do,
          exchange_everywhere(HPL_SWAP00, 0, 0))

TEST_CALL(long_exchange_moves_rows_as_interchanges_do,
          exchange_everywhere(HPL_SWAP01, 0, 0))

TEST_CALL(equilibrated_exchange_moves_rows_as_interchanges_do,
          exchange_everywhere(HPL_SWAP01, 0, 1))

TEST_CALL(mixed_exchange_moves_rows_as_interchanges_do,
          exchange_everywhere(HPL_SW_MIX, 3, 1))

TEST(short_messages_move_rows_as_long_ones_do)
{
    size_t usual = hpl_message_chunk;

    hpl_message_chunk = 5;
    exchange_everywhere(HPL_SW_MIX, 3, 0);
    hpl_message_chunk = usual;
}

/* Panels with a top on several processes. */
TEST(a_wide_panel_moves_rows_as_its_panels_do)
{
    static const exchange_setting_t ways[] = {
        {.algo = {.fswap = HPL_SWAP00}},
        {.algo = {.fswap = HPL_SWAP01}},
        {.algo = {.fswap = HPL_SWAP01, .equil = 1}}};
    int errors = 0;

    for (size_t i = 0; i < COUNT_OF(ways) * (size_t)unit_processes(); i++) {
        exchange_setting_t s = ways[i % COUNT_OF(ways)];
        bool is_here =
            small_grid_open(&s.grid, 1 + (int)(i / COUNT_OF(ways)), 1);

        for (s.wide = 2; is_here && s.wide < 6; s.wide++)
            errors += exchange_shapes(&s);
        small_grid_close(&s.grid);
    }
    assert_int_equal(errors, 0);
}

/* All rows on this process: wrong entries of the whole local matrix. */
static int swap_locally(exchange_setting_t *s, uint64_t *random)
{
    int first, errors = 0;

    for (s->k = 0; s->k * s->nb < s->n; s->k++) {
        exchange_setting_open(s, random);
        first = Mmin(2, s->panel->nq);
        hpl_local_swap(s->panel, first);
        advance(s->panel, first);
        hpl_local_swap(s->panel, s->panel->nq);
        errors += small_distance(&s->grid, &s->mat, s->whole, 0) != 0.0;
        exchange_setting_close(s);
    }
    return errors;
}

TEST(a_local_swap_interchanges_rows_in_place)
{
    uint64_t random = 9;
    int errors = 0;
    exchange_setting_t s = {.n = 31};

    for (int q = 1; q <= unit_processes(); q++) {
        if (small_grid_open(&s.grid, 1, q))
            for (s.nb = 1; s.nb <= 33; s.nb += 8)
                errors += swap_locally(&s, &random);
        small_grid_close(&s.grid);
    }
    assert_int_equal(errors, 0);
}
