/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */

#include "testing/unit/node/small_team.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/flight.h"

static double *numbers(int64_t count)
{
    double *data = malloc((size_t)(count + 1) * sizeof(*data));

    assert_non_null(data);
    for (int64_t i = 0; i < count; i++)
        data[i] = (double)i;
    return data;
}

/* A panel that was received in one form, with memory for the other. No two of
 * its elements are alike. */
static void panel_open(hyb_lu_panel_t *p, int64_t rows, int64_t cols,
                       int height, bool in_columns)
{
    memset(p, 0, sizeof(*p));
    p->in_columns = in_columns;
    p->factors.l2 = (hyb_tiles_t){numbers(hyb_pack_size(rows, cols, height)),
                                  rows, cols, height};
    p->columns = (xh_view_t){numbers(rows * cols), rows, cols, rows};
    hyb_l2_convert_begin(p);
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

TEST(any_shape_is_converted_both_ways)
{
    static const int shapes[][3] = {{0, 16, 24},  {1, 1, 24},   {24, 8, 24},
                                    {100, 7, 24}, {961, 5, 12}, {479, 3, 8},
                                    {2000, 33, 4}};

    for (size_t i = 0; i < 2 * COUNT_OF(shapes); i++) {
        const int *shape = shapes[i / 2];
        bool in_columns = i % 2 == 1, none = shape[0] == 0;
        hyb_lu_panel_t p;

        panel_open(&p, shape[0], shape[1], shape[2], in_columns);
        assert_int_equal(hyb_l2_has_columns(&p), in_columns || none);
        assert_int_equal(hyb_l2_has_tiles(&p), !in_columns || none);
        hyb_l2_convert(&p);
        assert_true(hyb_l2_has_columns(&p) && hyb_l2_has_tiles(&p));
        assert_int_equal(wrong_entries(&p), 0);
        panel_close(&p);
    }
}

/* a team that converts, each member until all is complete */
typedef struct {
    hyb_lu_panel_t panel;
    _Atomic int64_t wrong;
} together_t;

static void convert_and_look(void *argument, int member)
{
    together_t *t = argument;

    (void)member;
    hyb_l2_convert(&t->panel);
    while (!hyb_l2_has_columns(&t->panel))
        ;
    t->wrong += wrong_entries(&t->panel);
}

TEST(each_member_sees_all_that_a_team_converted)
{
    static together_t t;
    hyb_team_t *team = small_team(3);

    panel_open(&t.panel, 5000, 20, 24, false);
    for (int i = 0; i < 20; i++) {
        t.panel.factors.l2.data[i] += 0.5;
        hyb_l2_convert_begin(&t.panel);
        hyb_team_run(team, convert_and_look, &t);
    }
    assert_int_equal(t.wrong, 0);
    hyb_team_destroy(team);
    panel_close(&t.panel);
}
