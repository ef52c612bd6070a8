/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/* Random data, checksum vectors, and whose tile is wrong. */
#include <math.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/verify.h"

enum { SEED = 77 };

/* A case with the team of a node without devices. */
#define TEST_SET_UP(name) TEST_OF_GEMM(name, "devices=none")

static hyb_team_t *team(void)
{
    return hyb_machine_team(gemm->machine);
}

/* ---- a product, computed the slow way ----------------------------------- */

typedef struct {
    xh_gemm_t p;
    xdg_random_t start;
    xdg_checksum_t *checksum;
} made_t;

static xh_view_t matrix(int64_t rows, int64_t cols, xdg_random_t random)
{
    xh_view_t v = {NULL, rows, cols, rows + 3};

    v.data = calloc((size_t)(v.ld * cols), sizeof(double));
    assert_non_null(v.data);
    xdg_fill(team(), &random, 0, 0, v);
    return v;
}

static made_t make(int64_t m, int64_t n, int64_t k, bool transposed,
                   double beta)
{
    xdg_random_t a = {XDG_UNIFORM, 1}, b = {XDG_NORMAL, 2};
    made_t made = {.start = {XDG_UNIFORM, 3}};
    xh_trans_t op = transposed ? XH_TRANS : XH_NO_TRANS;

    made.p = (xh_gemm_t){
        .trans_a = op,
        .trans_b = op,
        .alpha = 0.75,
        .beta = beta,
        .a = transposed ? matrix(k, m, a) : matrix(m, k, a),
        .b = transposed ? matrix(n, k, b) : matrix(k, n, b),
        .c = matrix(m, n, made.start),
    };
    assert_ok(xdg_checksum_create(team(), &made.p, SEED, &made.checksum));
    return made;
}

static void unmake(made_t *made)
{
    xdg_checksum_destroy(made->checksum);
    free(made->p.a.data);
    free(made->p.b.data);
    free(made->p.c.data);
}

static double at(xh_view_t v, xh_trans_t op, int64_t i, int64_t j)
{
    return *xh_view_op_part(v, op, i, j, 1, 1).data;
}

static double *c_at(const made_t *made, int64_t i, int64_t j)
{
    return &made->p.c.data[i + j * made->p.c.ld];
}

static void multiply(const made_t *made)
{
    three_loops(&made->p, made->p.c);
}

static xdg_verdict_t verdict_on(const made_t *made)
{
    xdg_verdict_t v;

    assert_ok(xdg_checksum_check(made->checksum, team(), made->p.c, &v));
    return v;
}

static bool is_right(const made_t *made)
{
    xdg_verdict_t v = verdict_on(made);
    bool right = v.right;

    assert_int_equal(v.rows.worst < 0, right);
    assert_int_equal(v.cols.worst < 0, right);
    free(v.rows.is_wrong);
    return right;
}

/* ---- filling ------------------------------------------------------------ */

TEST_SET_UP(a_part_is_filled_as_it_is_in_the_whole)
{
    xdg_random_t random = {XDG_NORMAL, SEED};
    xh_view_t whole = matrix(9, 8, random), part = matrix(4, 3, random);

    xdg_fill(team(), &random, 3, 2, part);
    for (int64_t j = 0; j < 3; j++)
        for (int64_t i = 0; i < 4; i++)
            assert_true(at(part, XH_NO_TRANS, i, j) ==
                        at(whole, XH_NO_TRANS, i + 3, j + 2));
    assert_true(at(whole, XH_NO_TRANS, 5, 6) ==
                xdg_random_element(&random, 5, 6));
    free(whole.data);
    free(part.data);
}

/* The mean and variance of 40000 numbers are within six deviations. */
static void assert_moments(xdg_distribution_t distribution, double variance)
{
    enum { SIDE = 200 };
    xdg_random_t random = {distribution, SEED};
    double n = SIDE * SIDE, sum = 0.0, squares = 0.0;

    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < SIDE; i++) {
            double x = xdg_random_element(&random, i, j);

            sum += x;
            squares += x * x;
        }
    assert_true(fabs(sum / n) < 6 * sqrt(variance / n));
    assert_true(fabs(squares / n - variance) < 6 * variance * sqrt(2 / n));
}

TEST_SET_UP(numbers_have_mean_0_and_variance_25_or_a_twelfth)
{
    assert_moments(XDG_NORMAL, 25.0);
    assert_moments(XDG_UNIFORM, 1.0 / 12.0);
}

/* ---- checksums ---------------------------------------------------------- */

static void assert_right(int64_t m, int64_t n, int64_t k, bool transposed,
                         double beta)
{
    made_t made = make(m, n, k, transposed, beta);

    multiply(&made);
    assert_true(is_right(&made));
    unmake(&made);
}

TEST_SET_UP(a_right_product_passes)
{
    assert_right(23, 31, 17, false, 1.0);
    assert_right(23, 31, 17, false, -3.5);
    assert_right(23, 31, 17, true, 0.0);
    assert_right(1, 1, 1, false, 1.0);
}

/* Element (5, 7) with a factor and something added is found, in that row and
 * column. */
static void assert_found(double factor, double more)
{
    made_t made = make(23, 31, 17, false, 1.0);
    xdg_verdict_t v;

    multiply(&made);
    *c_at(&made, 5, 7) = *c_at(&made, 5, 7) * factor + more;
    v = verdict_on(&made);
    assert_false(v.right);
    assert_int_equal(v.rows.worst, 5);
    assert_int_equal(v.cols.worst, 7);
    for (int64_t i = 0; i < 23; i++)
        assert_int_equal(v.rows.is_wrong[i], i == 5);
    for (int64_t j = 0; j < 31; j++)
        assert_int_equal(v.cols.is_wrong[j], j == 7);
    assert_false(v.rows.error <= v.rows.bound);
    free(v.rows.is_wrong);
    unmake(&made);
}

TEST_SET_UP(a_wrong_element_is_found_in_its_row_and_column)
{
    assert_found(1.0, 1e-9);
    assert_found((double)NAN, 0.0);
    assert_found((double)INFINITY, 0.0);
    assert_found(0.0, 0.0);
}

TEST_SET_UP(with_beta_0_the_start_is_not_read)
{
    made_t made = make(8, 8, 8, false, 0.0);
    xdg_random_t poison = {XDG_NAN, 0};

    xdg_fill(team(), &poison, 0, 0, made.p.c);
    xdg_checksum_destroy(made.checksum);
    assert_ok(xdg_checksum_create(team(), &made.p, SEED, &made.checksum));
    assert_false(is_right(&made));
    multiply(&made);
    assert_true(is_right(&made));
    unmake(&made);
}

/* ---- row sums in double precision ---------------------------------------- */

/* The residual of C, and what it shows. */
static xdg_wrong_rows_t rows_of(const made_t *made,
                                const xdg_row_check_t *check)
{
    double residual[64];

    assert_true(check->rows <= (int64_t)COUNT_OF(residual));
    for (int64_t i = 0; i < check->rows; i++) {
        residual[i] = check->expected[i];
        for (int64_t j = 0; j < check->cols; j++)
            residual[i] -= *c_at(made, i, j) * check->x[j];
    }
    return xdg_row_check_judge(check, residual);
}

/* A right product passes; a wrong element shows in its row, two wrong ones of a
 * row that would cancel as well. */
static void check_rows(int64_t m, int64_t n, int64_t k, bool transposed)
{
    made_t made = make(m, n, k, transposed, 0.0);
    xdg_row_check_t check;
    xdg_wrong_rows_t wrong;
    double one;

    made.p.alpha = 1.0;
    multiply(&made);
    assert_ok(xdg_row_check_create(team(), &made.p, SEED, &check));
    assert_int_equal(rows_of(&made, &check).count, 0);
    for (int64_t j = 0; j < n; j++)
        assert_true(fabs(check.x[j]) >= 1 && fabs(check.x[j]) <= 2);
    one = *c_at(&made, 5, 7);
    *c_at(&made, 5, 7) += 1e-9;
    wrong = rows_of(&made, &check);
    assert_int_equal(wrong.count, 1);
    assert_int_equal(wrong.worst, 5);
    assert_true(wrong.error > wrong.bound);
    *c_at(&made, 5, 7) = *c_at(&made, 5, 8);
    *c_at(&made, 5, 8) = one;
    assert_int_equal(rows_of(&made, &check).count, 1);
    *c_at(&made, 9, 0) = NAN;
    *c_at(&made, 11, 0) = 1e300;
    wrong = rows_of(&made, &check);
    assert_int_equal(wrong.count, 3);
    assert_int_equal(wrong.first, 5);
    assert_int_equal(wrong.last, 11);
    assert_int_equal(wrong.worst, 9);
    assert_true(isnan(wrong.error));
    xdg_row_check_free(&check);
    unmake(&made);
}

TEST_SET_UP(row_sums_show_wrong_rows)
{
    check_rows(23, 31, 17, false);
    check_rows(23, 31, 17, true);
    check_rows(12, 9, 40, false);
}

/* ---- whose -------------------------------------------------------------- */

enum { M = 60, N = 40, K = 30, TILE = 10, TILES = 24 };

/* A product of 6 x 4 tiles, tile i by executor i % 3; "host", "emu:0" ... */
typedef struct {
    xdg_problem_t problem;
    made_t made;
    hyb_report_t report;
    int16_t owner[TILES];
    xdg_verifier_t verifier;
} scene_t;

static void set_scene(scene_t *s)
{
    hyb_tiling_request_t request = {M, N, K, UINT64_C(1) << 30, TILE, TILE, 3};
    xdg_executors_t *executors = &gemm->executors;

    *s = (scene_t){.made = make(M, N, K, true, 2.0)};
    multiply(&s->made);
    s->problem = (xdg_problem_t){s->made.p, s->made.start};
    s->report.owner = s->owner;
    assert_ok(hyb_tiling_plan(&request, &s->report.tiling));
    assert_int_equal(hyb_tiling_count(&s->report.tiling), TILES);
    for (int i = 0; i < TILES; i++)
        s->owner[i] = (int16_t)(i % 3);
    executors->count = 3;
    for (int i = 1; i < 3; i++)
        snprintf(executors->name[i], XDG_NAME, "emu:%d", i - 1);
    s->verifier =
        (xdg_verifier_t){gemm, &s->problem, .checksum = s->made.checksum};
}

/* What is said of it, once found wrong; the scene ends. */
static const char *accused(scene_t *s)
{
    capture_begin();
    assert_ok(xdg_verify(&s->verifier, "it", &s->report));
    unmake(&s->made);
    assert_int_equal(s->verifier.checked, 1);
    assert_int_equal(s->verifier.wrong, 1);
    return capture_end(NULL);
}

/* The executor that the tile with C's (i, j) belongs to, and its name. */
static int owner_at(const scene_t *s, int64_t i, int64_t j)
{
    return node_owner(&s->report, i, j);
}

static const char *name_at(const scene_t *s, int64_t i, int64_t j)
{
    return gemm->executors.name[owner_at(s, i, j)];
}

TEST_SET_UP(a_wrong_tile_names_who_computed_it)
{
    char words[160];
    const char *text;
    scene_t s;

    set_scene(&s);
    *c_at(&s.made, 33, 12) += 1.0;
    snprintf(words, sizeof(words),
             "it: wrong near C(33, 12), computed by %s: rows 30 to 39, columns "
             "10 to 19; off by 1 where",
             name_at(&s, 33, 12));
    text = accused(&s);
    assert_in(text, words);
    assert_int_equal(capture_lines(text), 1);
    assert_int_equal(s.verifier.wrong_tiles[owner_at(&s, 33, 12)], 1);
}

TEST_SET_UP(of_two_wrong_tiles_the_corners_between_are_innocent)
{
    const char *text;
    scene_t s;

    set_scene(&s);
    *c_at(&s.made, 3, 2) = *c_at(&s.made, 57, 39) = NAN;
    text = accused(&s);
    assert_int_equal(capture_lines(text), 2);
    assert_in(text, "C(3, 2)");
    assert_in(text, "C(57, 39)");
}

TEST_SET_UP(more_culprits_than_are_named_are_counted)
{
    const char *text;
    scene_t s;

    set_scene(&s);
    for (int64_t i = 0; i < M; i += TILE)
        *c_at(&s.made, i, 0) = *c_at(&s.made, i, TILE) = 1e9;
    text = accused(&s);
    assert_int_equal(capture_lines(text), 8 + 1);
    assert_in(text, "it: 4 more wrong tiles");
}

TEST_SET_UP(without_tiles_the_team_is_named)
{
    scene_t s;

    set_scene(&s);
    s.report.owner = NULL;
    *c_at(&s.made, 1, 2) += 1.0;
    assert_in(accused(&s), "C(1, 2), computed by host: rows 0 to 59, ");
}
