/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/options.h"
#include "testing/xdgemm/verify.h"

enum { ARGUMENTS_MOST = 32 };

static xdg_options_t options;

/* Parse "xdgemm " and line, split at blanks. */
static xh_status_t parse(const char *line)
{
    static char text[1024];
    char *argv[ARGUMENTS_MOST + 1] = {"xdgemm"};
    int argc = 1;

    snprintf(text, sizeof(text), "%s", line);
    for (char *at = strtok(text, " "); at != NULL && argc < ARGUMENTS_MOST;
         at = strtok(NULL, " "))
        argv[argc++] = at;
    return xdg_options_parse(argc, argv, &options);
}

/* That line is refused, with a message that holds words. */
static void assert_refused(const char *line, const char *words)
{
    xdg_options_t before;

    assert_ok(parse("-m 7"));
    before = options;
    assert_said(parse(line), XH_ERR_INPUT, words);
    assert_memory_equal(&options, &before, sizeof(options));
}

TEST(every_option_is_understood)
{
    const xh_gemm_t *p = &options.product;

    assert_ok(parse("-m 10 -n 20 -k 30 --transa --transb --alpha -2.5 "
                    "--beta 0 --lda 31 --ldb=21 -ldc 11 --threads 3 "
                    "--repeat 2 --verify --json a.json --map b.svg"));
    assert_int_equal(p->c.rows, 10);
    assert_int_equal(p->c.cols, 20);
    assert_int_equal(options.k, 30);
    assert_true(p->trans_a == XH_TRANS && p->trans_b == XH_TRANS);
    assert_true(p->alpha == -2.5 && p->beta == 0.0);
    assert_int_equal(p->a.ld, 31);
    assert_int_equal(p->b.ld, 21);
    assert_int_equal(p->c.ld, 11);
    assert_int_equal(options.threads, 3);
    assert_int_equal(options.repeat, 2);
    assert_true(options.verify);
    assert_string_equal(options.json, "a.json");
    assert_string_equal(options.map, "b.svg");
}

TEST(torture_is_of_cubes_and_tuning_of_all_depths_or_the_one_given)
{
    assert_ok(parse("--torture 2.5 -m 33"));
    assert_int_equal(options.ask, XDG_ASK_TORTURE);
    assert_true(options.torture == 2.5);
    assert_int_equal(options.k, 33);
    assert_ok(parse("--tune 60"));
    assert_int_equal(options.ask, XDG_ASK_TUNE);
    assert_true(options.tune == 60);
    assert_int_equal(options.m, 2048);
    assert_int_equal(options.n, 2048);
    assert_int_equal(options.k, 0);
    assert_ok(parse("--tune 60 -n 40 -k 300"));
    assert_int_equal(options.n, 40);
    assert_int_equal(options.k, 300);
}

TEST(leading_dimensions_follow_the_transposition)
{
    static const struct {
        const char *line;
        int64_t lda, ldb;
    } of[] = {{"-m 10 -n 20 -k 30", 10, 30},
              {"-m 10 -n 20 -k 30 --transa", 30, 30},
              {"-m 10 -n 20 -k 30 --transb", 10, 20}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        assert_ok(parse(of[i].line));
        assert_int_equal(options.product.a.ld, of[i].lda);
        assert_int_equal(options.product.b.ld, of[i].ldb);
    }
}

TEST(devices_and_set_are_settings)
{
    assert_ok(parse("--devices emu:2 --set split=steal"));
    assert_string_equal(xh_settings_text("devices"), "emu:2");
    assert_string_equal(xh_settings_text("split"), "steal");
    assert_ok(parse("--devices auto --set split=ratio"));
    assert_string_equal(xh_settings_text("devices"), "auto");
}

TEST(an_unknown_option_names_the_nearest)
{
    assert_refused("--verfy", "--verify");
    assert_refused("-x 3", "--help lists them");
    assert_refused("--js file", "--js is not an option");
    assert_refused("verify", "--verify");
}

TEST(a_bad_value_names_the_nearest)
{
    assert_refused("--json", "needs a value");
    assert_refused("-m", "needs a value");
    assert_refused("-m 0", "the nearest is 1");
    assert_refused("-k 3000000000", "the nearest is 2147483647");
    assert_refused("-m 2.5", "the nearest is 2");
    assert_refused(
        "-m nan",
        "'nan' is not allowed; allowed: whole numbers, 1 to 2147483647\n");
    assert_refused("--alpha inf", "--alpha: 'inf'");
    assert_refused("--torture 0", "the nearest is 0.1");
    assert_refused("--set tile=many", "tile");
}

TEST(what_does_not_go_together_is_refused)
{
    assert_refused("-m 10 --lda 9", "--lda: 9 is less");
    assert_refused("-m 10 -k 20 --transa --lda 19", "the nearest is 20");
    assert_refused("-k 20 --ldb 19", "--ldb");
    assert_refused("-n 20 --transb --ldb 19", "--ldb");
    assert_refused("-m 10 --ldc 9", "--ldc");
    assert_refused("--torture 1 --map x.svg", "--map");
    assert_refused("--tune 1 --map x.svg", "--map");
    assert_refused("--tune 1 --json x.json", "--tune");
    assert_refused("--tune 1 --torture 1", "--tune");
    assert_refused("--tune 1 --probe-device", "--tune");
}

/* ---- the shape ---------------------------------------------------------- */

TEST(the_largest_that_fits_fits_and_a_larger_does_not)
{
    double bytes = 1e6;
    xh_gemm_t p;

    parse("-m 4000 -n 2000 -k 256 --lda 5000");
    p = xdg_shrink_to_fit(&options.product, bytes);
    assert_true(xdg_bytes(&p) <= bytes);
    assert_in_range(p.c.rows, 2 * p.c.cols, 2 * p.c.cols + 1);
    assert_int_equal(p.a.ld, p.c.rows);
    assert_int_equal(p.a.cols, p.b.rows);
    p.a.ld = p.c.ld = p.c.rows + p.c.rows / 20 + 2;
    p.b.cols = p.c.cols = p.c.cols + p.c.cols / 20 + 2;
    assert_true(xdg_bytes(&p) > bytes);
}

TEST(what_fits_is_left_as_it_is_and_one_element_where_nothing_does)
{
    xh_gemm_t p;

    parse("-m 40 -n 20 -k 10");
    p = xdg_shrink_to_fit(&options.product, 1e9);
    assert_int_equal(p.c.rows, 40);
    assert_int_equal(p.a.cols, 10);
    p = xdg_shrink_to_fit(&options.product, 1.0);
    assert_int_equal(p.c.rows * p.c.cols * p.a.cols, 1);
}
