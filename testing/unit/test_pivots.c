/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include "hpl.h"
#include "hpl/panel/pivots.h"
#include "hpl/pauxil/map.h"
#include "testing/unit/small_system.h"

enum { MOST_ROWS = 100 };

/* one panel, and what its interchanges do to all row numbers */
typedef struct {
    HPL_T_grid grid;
    HPL_T_panel panel;
    double pivot[MOST_ROWS];
    int rows;
    int content[MOST_ROWS]; /* the row that comes to stand at each position */
} setting_t;

static void interchange_literally(setting_t *s)
{
    int target, t;

    for (int i = 0; i < s->rows; i++)
        s->content[i] = i;
    for (int i = 0; i < s->panel.jb; i++) {
        target = (int)s->pivot[i];
        t = s->content[s->panel.ia + i];
        s->content[s->panel.ia + i] = s->content[target];
        s->content[target] = t;
    }
}

/* Global number of local row (counted from ia) of member g. */
static int global_of(const setting_t *s, int g, int local)
{
    int owner = (s->panel.prow + g) % s->grid.nprow;
    hpl_map_t map = hpl_map(s->panel.nb, s->grid.nprow, owner);

    return (int)hpl_map_global(&map, local + hpl_map_count(&map, s->panel.ia));
}

/* Rows of U that are gathered from a wrong place, or not once. */
static int wrong_gathers(const setting_t *s, const hpl_pivots_t *p)
{
    int seen[MOST_ROWS] = {0};
    int g, k, errors = p->gather_offset[p->members] != s->panel.jb;

    for (g = 0; g < p->members; g++)
        for (k = p->gather_offset[g]; k < p->gather_offset[g + 1]; k++) {
            errors += s->content[s->panel.ia + p->gather[k].to] !=
                      global_of(s, g, p->gather[k].from);
            errors += seen[p->gather[k].to]++ != 0;
        }
    return errors;
}

/* Outer rows that get a wrong top row, or moves that are missing. */
static int wrong_displacements(const setting_t *s, const hpl_pivots_t *p)
{
    int position, moved = 0, errors = 0;

    for (int i = s->panel.ia + s->panel.jb; i < s->rows; i++)
        moved += s->content[i] != i;
    errors += p->displace_offset[p->members] != moved;
    for (int g = 0; g < p->members; g++)
        for (int k = p->displace_offset[g]; k < p->displace_offset[g + 1];
             k++) {
            position = global_of(s, g, p->displace[k].to);
            errors += position < s->panel.ia + s->panel.jb;
            errors += s->content[position] != s->panel.ia + p->displace[k].from;
        }
    return errors;
}

/* What each process of the column makes of the panel. */
static int wrong_permutations(setting_t *s)
{
    const hpl_pivots_t *p;
    int errors = 0;

    interchange_literally(s);
    for (s->grid.myrow = 0; s->grid.myrow < s->grid.nprow; s->grid.myrow++) {
        p = hpl_panel_pivots(&s->panel);
        errors += p->members != s->grid.nprow;
        errors += (s->panel.prow + p->me) % s->grid.nprow != s->grid.myrow;
        errors += wrong_gathers(s, p) + wrong_displacements(s, p);
        free(s->panel.pivots);
        s->panel.pivots = NULL;
    }
    return errors;
}

static setting_t setting(int nprow, int nb, int rows, int ia)
{
    setting_t s = {.rows = rows};
    hpl_map_t map = hpl_map(nb, nprow, 0);

    s.grid.nprow = nprow;
    s.panel.nb = nb;
    s.panel.ia = ia;
    s.panel.jb = Mmin(nb, rows - ia);
    s.panel.prow = hpl_map_owner(&map, ia);
    return s;
}

/* Chooses row i's pivot among the rows from the diagonal on. */
typedef int (*choice_t)(uint64_t *random, int row, int rows);

/* Panels of all kinds, with pivots as chosen. */
static void try_everything(choice_t choose)
{
    int errors = 0;
    uint64_t random = 1;
    setting_t s;

    for (int nprow = 1; nprow <= 5; nprow++)
        for (int nb = 1; nb <= 17; nb += 2)
            for (int rows = 1; rows < MOST_ROWS; rows += 7)
                for (int ia = 0; ia < rows; ia += nb) {
                    s = setting(nprow, nb, rows, ia);
                    s.panel.grid = &s.grid;
                    s.panel.DPIV = s.pivot;
                    for (int i = 0; i < s.panel.jb; i++)
                        s.pivot[i] = choose(&random, ia + i, rows);
                    errors += wrong_permutations(&s);
                }
    assert_int_equal(errors, 0);
}

static int any_row(uint64_t *random, int row, int rows)
{
    return row + small_random(random, rows - row);
}

TEST_CALL(any_pivots_permute_as_interchanges_do, try_everything(any_row))

static int one_of_the_last_two(uint64_t *random, int row, int rows)
{
    int chosen = rows - 1 - small_random(random, 2);

    return Mmax(row, chosen);
}

TEST_CALL(pivots_that_hit_one_row_again_permute_too,
          try_everything(one_of_the_last_two))

static int the_row_itself(uint64_t *random, int row, int rows)
{
    (void)random;
    (void)rows;
    return row;
}

TEST(pivots_on_the_diagonal_move_nothing)
{
    setting_t s = setting(3, 4, 30, 8);
    const hpl_pivots_t *p;

    s.panel.grid = &s.grid;
    s.panel.DPIV = s.pivot;
    for (int i = 0; i < 4; i++)
        s.pivot[i] = 8 + i;
    p = hpl_panel_pivots(&s.panel);
    assert_int_equal(p->displace_offset[3], 0);
    assert_int_equal(p->gather_offset[1], 4);
    free(s.panel.pivots);
    try_everything(the_row_itself);
}

static int the_next_row(uint64_t *random, int row, int rows)
{
    (void)random;
    return Mmin(row + 1, rows - 1);
}

TEST_CALL(a_row_can_be_carried_through_the_whole_panel,
          try_everything(the_next_row))

TEST_MAIN()
