/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */

#include "testing/unit/node/small_team.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/flight.h"

/* rows x cols numbers, no two alike, in tiles of height */
static hyb_tiles_t tiles_of(int64_t rows, int64_t cols, int height)
{
    int64_t i, size = hyb_pack_size(rows, cols, height) + 1;
    hyb_tiles_t t = {malloc((size_t)size * sizeof(double)), rows, cols, height};

    assert_non_null(t.data);
    for (i = 0; i < size; i++)
        t.data[i] = (double)i;
    return t;
}

/* A panel that was received, with memory for its L2 in columns. */
static void panel_open(hyb_lu_panel_t *p, hyb_tiles_t tiles)
{
    size_t bytes = (size_t)(tiles.rows * tiles.cols + 1) * sizeof(double);

    memset(p, 0, sizeof(*p));
    p->factors.l2 = tiles;
    p->columns = (xh_view_t){malloc(bytes), tiles.rows, tiles.cols, tiles.rows};
    assert_non_null(p->columns.data);
    hyb_l2_columns_begin(p);
}

static void panel_close(hyb_lu_panel_t *p)
{
    free(p->columns.data);
    free(p->factors.l2.data);
}

static int64_t wrong_entries(const hyb_lu_panel_t *p)
{
    const hyb_tiles_t *tiles = &p->factors.l2;
    xh_view_t v = p->columns;
    int64_t wrong = 0;

    for (int64_t j = 0; j < tiles->cols; j++)
        for (int64_t i = 0; i < tiles->rows; i++)
            wrong += v.data[i + j * v.ld] != *hyb_tiles_at(tiles, i, j);
    return wrong;
}

TEST(any_shape_of_tiles_becomes_columns)
{
    static const int shapes[][3] = {{0, 16, 24},  {1, 1, 24},   {24, 8, 24},
                                    {100, 7, 24}, {961, 5, 12}, {479, 3, 8},
                                    {2000, 33, 4}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        hyb_lu_panel_t p;

        panel_open(&p, tiles_of(shapes[i][0], shapes[i][1], shapes[i][2]));
        assert_int_equal(hyb_l2_columns_complete(&p), shapes[i][0] == 0);
        hyb_l2_columns_fill(&p);
        assert_true(hyb_l2_columns_complete(&p));
        assert_int_equal(wrong_entries(&p), 0);
        panel_close(&p);
    }
}

/* a team that copies, each member until all is complete */
typedef struct {
    hyb_lu_panel_t panel;
    _Atomic int64_t wrong;
} together_t;

static void fill_and_look(void *argument, int member)
{
    together_t *t = argument;

    (void)member;
    hyb_l2_columns_fill(&t->panel);
    while (!hyb_l2_columns_complete(&t->panel))
        ;
    t->wrong += wrong_entries(&t->panel);
}

TEST(each_member_sees_all_that_a_team_copied)
{
    static together_t t;
    hyb_team_t *team = small_team(3);

    panel_open(&t.panel, tiles_of(5000, 20, 24));
    for (int i = 0; i < 20; i++) {
        t.panel.factors.l2.data[i] += 0.5;
        hyb_l2_columns_begin(&t.panel);
        hyb_team_run(team, fill_and_look, &t);
    }
    assert_int_equal(t.wrong, 0);
    hyb_team_destroy(team);
    panel_close(&t.panel);
}
