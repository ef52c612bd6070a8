/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/l2_columns.h"

#include "hybrid/cpu/update/pack.h"
#include "testing/unit/small_team.h"
#include "testing/unit/unit.h"

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

static hyb_l2_columns_t *flat_of(int64_t rows, int64_t nb)
{
    hyb_l2_columns_t *flat;

    assert_ok(hyb_l2_columns_create(rows, nb, &flat));
    return flat;
}

static int64_t wrong_entries(xh_view_t v, const hyb_tiles_t *tiles)
{
    int64_t wrong = v.rows != tiles->rows || v.cols != tiles->cols;

    for (int64_t j = 0; j < tiles->cols; j++)
        for (int64_t i = 0; i < tiles->rows; i++)
            wrong += v.data[i + j * v.ld] != *hyb_tiles_at(tiles, i, j);
    return wrong;
}

TEST(any_shape_of_tiles_becomes_columns)
{
    static const int shapes[][3] = {{1, 1, 24},   {24, 8, 24}, {100, 7, 24},
                                    {961, 5, 12}, {479, 3, 8}, {2000, 33, 4}};
    hyb_l2_columns_t *flat;
    hyb_tiles_t tiles;

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        tiles = tiles_of(shapes[i][0], shapes[i][1], shapes[i][2]);
        flat = flat_of(tiles.rows, tiles.cols);
        hyb_l2_columns_begin(flat, (int)i, &tiles);
        assert_false(hyb_l2_columns_complete(flat, (int)i));
        hyb_l2_columns_fill(flat, (int)i);
        assert_true(hyb_l2_columns_complete(flat, (int)i));
        assert_int_equal(
            wrong_entries(hyb_l2_columns_view(flat, (int)i), &tiles), 0);
        hyb_l2_columns_destroy(flat);
        free(tiles.data);
    }
}

TEST(an_l2_without_rows_is_complete_at_once)
{
    hyb_tiles_t none = {NULL, 0, 16, 24};
    hyb_l2_columns_t *flat = flat_of(0, 16);

    hyb_l2_columns_begin(flat, 3, &none);
    assert_true(hyb_l2_columns_complete(flat, 3));
    hyb_l2_columns_fill(flat, 3);
    assert_int_equal(hyb_l2_columns_view(flat, 3).ld, 1);
    hyb_l2_columns_destroy(flat);
}

TEST(the_iteration_before_stays_as_it_is)
{
    hyb_tiles_t first = tiles_of(700, 16, 24), second = tiles_of(684, 16, 24);
    hyb_l2_columns_t *flat = flat_of(700, 16);

    hyb_l2_columns_begin(flat, 4, &first);
    hyb_l2_columns_fill(flat, 4);
    hyb_l2_columns_begin(flat, 5, &second);
    assert_true(hyb_l2_columns_complete(flat, 4));
    assert_false(hyb_l2_columns_complete(flat, 5));
    hyb_l2_columns_fill(flat, 5);
    assert_int_equal(wrong_entries(hyb_l2_columns_view(flat, 4), &first), 0);
    assert_int_equal(wrong_entries(hyb_l2_columns_view(flat, 5), &second), 0);
    hyb_l2_columns_destroy(flat);
    free(first.data);
    free(second.data);
}

TEST(all_of_it_lies_in_the_memory_to_be_pinned)
{
    hyb_tiles_t tiles = tiles_of(50, 4, 24);
    hyb_l2_columns_t *flat = flat_of(50, 4);
    const double *memory, *data;
    size_t bytes;

    memory = hyb_l2_columns_memory(flat, &bytes);
    assert_int_equal(bytes, hyb_l2_columns_bytes(50, 4));
    for (int k = 0; k < 2; k++) {
        hyb_l2_columns_begin(flat, k, &tiles);
        data = hyb_l2_columns_view(flat, k).data;
        assert_true(data >= memory);
        assert_true(data + 50 * 4 <= memory + bytes / sizeof(double));
    }
    hyb_l2_columns_destroy(flat);
    free(tiles.data);
}

/* a team that copies, each member until all is complete */
typedef struct {
    hyb_l2_columns_t *flat;
    const hyb_tiles_t *tiles;
    _Atomic int64_t wrong;
} together_t;

static void fill_and_look(void *argument, int member)
{
    together_t *t = argument;

    (void)member;
    hyb_l2_columns_fill(t->flat, 0);
    while (!hyb_l2_columns_complete(t->flat, 0))
        ;
    t->wrong += wrong_entries(hyb_l2_columns_view(t->flat, 0), t->tiles);
}

TEST(each_member_sees_all_that_a_team_copied)
{
    hyb_tiles_t tiles = tiles_of(5000, 20, 24);
    together_t t = {.flat = flat_of(5000, 20), .tiles = &tiles};
    hyb_team_t *team = small_team(3);

    for (int i = 0; i < 20; i++) {
        tiles.data[i] += 0.5;
        hyb_l2_columns_begin(t.flat, 0, &tiles);
        hyb_team_run(team, fill_and_look, &t);
    }
    assert_int_equal(t.wrong, 0);
    hyb_team_destroy(team);
    hyb_l2_columns_destroy(t.flat);
    free(tiles.data);
}

TEST(memory_that_cannot_be_had_is_said)
{
    hyb_l2_columns_t *flat = NULL;

    assert_int_equal(hyb_l2_columns_create((int64_t)1 << 40, 1 << 10, &flat),
                     XH_ERR_MEMORY);
    assert_null(flat);
    hyb_l2_columns_destroy(flat);
}

TEST_MAIN()
