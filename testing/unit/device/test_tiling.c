/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "base/integers.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

enum { EXTENT = 70, ROUNDS = 4000 };

static uint64_t random_bits(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x >> 16;
}

/* least .. most, small ones more often */
static int64_t random_of(int64_t least, int64_t most)
{
    int64_t range = 1 + (int64_t)(random_bits() % (uint64_t)(most - least + 1));

    return least + (int64_t)(random_bits() % (uint64_t)range);
}

/* The plan of one of many requests, of which memory is short for half. */
static hyb_tiling_t random_tiling(hyb_tiling_request_t *r)
{
    hyb_tiling_t t;
    int64_t most;

    *r = (hyb_tiling_request_t){
        .m = random_of(1, EXTENT),
        .n = random_of(1, EXTENT),
        .k = random_of(1, EXTENT),
        .tile_rows = random_of(1, EXTENT + 9),
        .tile_cols = random_of(1, EXTENT + 9),
        .c_slots = (int)random_of(1, 5),
    };
    most = 2 * r->m * r->k + 2 * r->n * r->k + r->c_slots * r->m * r->n;
    r->memory = (uint64_t)random_of(r->c_slots + 4, r->c_slots + 4 + most) *
                    sizeof(double) +
                random_bits() % sizeof(double);
    assert_ok(hyb_tiling_plan(r, &t));
    return t;
}

/* ---- order --------------------------------------------------------------- */

typedef struct {
    unsigned char seen[EXTENT][EXTENT];
} picture_t;

static void paint(picture_t *p, xh_rectangle_t part)
{
    assert_true(part.rows > 0 && part.cols > 0);
    assert_true(part.row >= 0 && part.row + part.rows <= EXTENT);
    assert_true(part.col >= 0 && part.col + part.cols <= EXTENT);
    for (int64_t j = part.col; j < part.col + part.cols; j++)
        for (int64_t i = part.row; i < part.row + part.rows; i++)
            p->seen[j][i]++;
}

/* Elements of the whole picture that are not seen exactly once in m x n. */
static int wrong(const picture_t *p, int64_t m, int64_t n)
{
    int errors = 0;

    for (int j = 0; j < EXTENT; j++)
        for (int i = 0; i < EXTENT; i++)
            errors += p->seen[j][i] != (i < m && j < n);
    return errors;
}

static void assert_tile(const hyb_tiling_t *t, hyb_tile_t tile)
{
    assert_true(tile.row >= 0 && tile.row < t->rows);
    assert_true(tile.col >= 0 && tile.col < t->cols);
    assert_true(tile.part.row == tile.row * t->tile_rows);
    assert_true(tile.part.col == tile.col * t->tile_cols);
    assert_true(tile.part.rows <= t->most_rows);
    assert_true(tile.part.cols <= t->most_cols);
    assert_true(2 * tile.part.rows >= t->tile_rows);
    assert_true(2 * tile.part.cols >= t->tile_cols);
    assert_true(tile.row == t->rows - 1 || tile.part.rows == t->tile_rows);
    assert_true(tile.col == t->cols - 1 || tile.part.cols == t->tile_cols);
}

static void check_tiles(const hyb_tiling_request_t *r, const hyb_tiling_t *t)
{
    picture_t picture = {0};

    for (int64_t index = 0; index < hyb_tiling_count(t); index++) {
        hyb_tile_t tile = hyb_tiling_tile(t, index);

        assert_tile(t, tile);
        paint(&picture, tile.part);
    }
    assert_int_equal(wrong(&picture, r->m, r->n), 0);
}

static void check_memory(const hyb_tiling_request_t *r, const hyb_tiling_t *t)
{
    int64_t elements = t->a_pieces * t->most_rows * t->depth +
                       t->b_pieces * t->most_cols * t->depth +
                       (int64_t)r->c_slots * t->most_rows * t->most_cols;

    assert_true(t->c_slots == r->c_slots);
    assert_int_equal(t->chunks, xh_units(r->k, t->depth));
    assert_true(t->a_pieces >= 2 || t->rows == 1);
    assert_true(t->tile_rows <= r->tile_rows && t->tile_cols <= r->tile_cols);
    assert_true(hyb_tiling_memory(t) == sizeof(double) * (uint64_t)elements);
    assert_true(hyb_tiling_memory(t) <= r->memory);
}

TEST(tiles_and_chunks_make_up_a_product_within_the_memory)
{
    hyb_tiling_request_t r;

    for (int round = 0; round < ROUNDS; round++) {
        hyb_tiling_t t = random_tiling(&r);

        check_tiles(&r, &t);
        check_memory(&r, &t);
    }
}

TEST(a_partial_tile_below_half_is_merged)
{
    hyb_tiling_request_t r = {1, 1, 4, 1 << 20, 10, 10, 3};
    hyb_tiling_t t;

    for (; r.m <= 60; r.m++, r.n++) { /* the wanted tile fits */
        assert_ok(hyb_tiling_plan(&r, &t));
        assert_int_equal(t.rows, r.m < 10 ? 1 : (r.m + 5) / 10);
        assert_int_equal(t.cols, t.rows);
    }
    assert_int_equal(t.tile_rows, 10);
}

/* The parts that cover some tiles are those tiles; returns their number. */
static int check_cover(const hyb_tiling_t *t, int64_t first, int64_t count)
{
    xh_rectangle_t parts[XDG_COVER_MOST];
    picture_t tiles = {0}, cover = {0};
    int number = xdg_tiles_cover(t, first, count, parts), i;

    for (i = 0; i < count; i++)
        paint(&tiles, hyb_tiling_tile(t, first + i).part);
    for (i = 0; i < number; i++)
        paint(&cover, parts[i]);
    assert_memory_equal(&tiles, &cover, sizeof(tiles));
    return number;
}

TEST(a_few_rectangles_cover_any_run_of_tiles)
{
    hyb_tiling_request_t r;
    int most = 0;

    for (int round = 0; round < ROUNDS; round++) {
        hyb_tiling_t t = random_tiling(&r);
        int64_t all = hyb_tiling_count(&t);
        int64_t first = random_of(0, all), count = random_of(0, all - first);
        int number = check_cover(&t, first, count);

        assert_in_range(number, count > 0, t.group == 1 ? 3 : XDG_COVER_MOST);
        assert_in_range(check_cover(&t, first, all - first), first < all, 3);
        assert_int_equal(check_cover(&t, 0, all), 1);
        most = number > most ? number : most;
    }
    assert_int_equal(most, XDG_COVER_MOST);
}

/* ---- memory and traffic -------------------------------------------------- */

TEST(a_strip_crosses_as_often_as_memory_makes_it)
{
    hyb_tiling_request_t r = {100, 80, 10, 0, 10, 10, 3};
    static const struct {
        uint64_t elements; /* 300 are C's, 100 a strip of A or B */
        uint64_t a, b;     /* crossings */
    } expected[] = {
        {300 + 1000 + 200, 1, 1}, /* all of A and two of B */
        {300 + 200 + 800, 1, 1},  /* all of B and two of A */
        {300 + 200 + 799, 2, 1},  /* 7 of B: 4 and 4 columns of tiles */
        {300 + 200 + 400, 2, 1},  {300 + 200 + 300, 3, 1},
        {300 + 200 + 200, 4, 1},  {300 + 200 + 100, 8, 1},
        {300 + 4 * 50, 8, 1}, /* two chunks: B's stay for a column */
        {300 + 4 * 40, 8, 10},
    };
    traffic_t traffic;
    hyb_tiling_t t;

    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        r.memory = expected[i].elements * sizeof(double);
        assert_ok(hyb_tiling_plan(&r, &t));
        traffic = traffic_of(&t);
        assert_int_equal(t.tile_rows, 10);
        assert_int_equal(t.tile_cols, 10);
        assert_int_equal(traffic.a_in, expected[i].a * 8 * 1000);
        assert_int_equal(traffic.b_in, expected[i].b * 8 * 800);
        assert_int_equal(traffic.c, 8 * 8000);
    }
}

/* ---- limits -------------------------------------------------------------- */

/* Far too little memory: still a tile as large, and chunks as deep, as the
 * square root of memory lets both be. */
TEST(a_stationary_tile_fills_the_memory)
{
    hyb_tiling_request_t r = {100000, 100000, 1000000, 0, 1 << 20, 1 << 20, 3};
    hyb_tiling_t t;

    for (r.memory = 1 << 10; r.memory < (uint64_t)1 << 36; r.memory *= 7) {
        uint64_t root = 1;

        while (4 * root * root <= r.memory / sizeof(double))
            root++;
        assert_ok(hyb_tiling_plan(&r, &t));
        assert_true(10 * (uint64_t)t.most_rows >= 7 * (root - 1));
        assert_true(10 * (uint64_t)t.most_cols >= 7 * (root - 1));
        assert_true(8 * (uint64_t)t.depth + 8 >= root);
    }
}

TEST(memory_down_to_tiles_of_one_element_will_do)
{
    hyb_tiling_request_t r = {1000, 900, 800, 7 * 8, 512, 512, 3};
    hyb_tiling_t t;

    assert_ok(hyb_tiling_plan(&r, &t));
    assert_int_equal(hyb_tiling_count(&t), 900000);
    assert_int_equal(t.depth, 1);
    for (r.memory = 0; r.memory < 56; r.memory++)
        assert_int_equal(hyb_tiling_plan(&r, &t), XH_ERR_MEMORY);
    assert_int_equal(hyb_tiling_count(&t), 900000);
}

/* The area of tiles first .. end - 1. */
static int64_t area(const hyb_tiling_t *t, int64_t first, int64_t end)
{
    int64_t sum = 0;

    for (; first < end; first++) {
        xh_rectangle_t part = hyb_tiling_tile(t, first).part;

        sum += part.rows * part.cols;
    }
    return sum;
}

TEST(a_share_of_the_work_is_as_many_tiles_as_fit_it)
{
    const hyb_tiling_request_t r = {833, 833, 10, 1 << 26, 100, 100, 2};
    hyb_tiling_t t;
    int64_t count;
    double wanted, share;

    assert_ok(hyb_tiling_plan(&r, &t));
    assert_int_equal(hyb_tiling_count(&t), 64); /* the last are 133 wide */
    assert_int_equal(xdg_tiles_last_share(&t, 64, 1.0), 64);
    assert_int_equal(xdg_tiles_last_share(&t, 64, 0.0), 0);
    assert_int_equal(xdg_tiles_last_share(&t, 0, 0.5), 0);
    assert_true(xdg_tiles_last_share(&t, 64, 0.5) < 32);
    for (int64_t end = 1; end <= 64; end++)
        for (share = 0.05; share < 1.0; share += 0.05) {
            wanted = share * 833 * 833;
            count = xdg_tiles_last_share(&t, end, share);
            assert_true((double)area(&t, end - count, end) <= wanted + 1.0);
            if (count < end)
                assert_true((double)area(&t, end - count - 1, end) > wanted);
        }
}

TEST(numbers_out_of_range_are_refused)
{
    const hyb_tiling_request_t good = {100, 100, 100, 1 << 20, 32, 32, 3};
    hyb_tiling_request_t bad[] = {good, good, good, good, good, good, good};
    hyb_tiling_t t = {.m = -7};

    bad[0].m = 0;
    bad[1].n = -1;
    bad[2].k = 0;
    bad[3].tile_rows = 0;
    bad[4].tile_cols = INT64_MIN;
    bad[5].c_slots = 0;
    bad[6].m = bad[6].n = INT64_MAX;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(hyb_tiling_plan(&bad[i], &t), XH_ERR_ARG);
    assert_int_equal(t.m, -7);
}
