/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/format.h"

#include <math.h>
#include <string.h>
#include "hybrid/lu/checkpoint/settings.h"
#include "testing/unit/unit.h"

enum { ROWS = 5, COLS = 3 };

static double elements[ROWS * COLS];

static hyb_piece_t some_piece(void)
{
    for (int i = 0; i < ROWS * COLS; i++)
        elements[i] = 1.0 / (i + 1);
    return hyb_piece_seal(4, elements, ROWS * COLS);
}

static hyb_header_t some_header(void)
{
    hyb_header_t header = {.n = 100,
                           .nb = 8,
                           .nprow = 2,
                           .npcol = 3,
                           .first = 4,
                           .start = 1.8e9,
                           .moment = 1.8e9};

    hyb_header_seal(&header);
    return header;
}

/* Each byte in turn is changed, in one bit. */
static void flip(void *data, size_t at)
{
    ((unsigned char *)data)[at] ^= (unsigned char)(1u << at % 8);
}

TEST(a_header_with_any_byte_changed_is_refused)
{
    hyb_header_t header = some_header();

    assert_true(hyb_header_fault(&header) == NULL);
    for (size_t at = 0; at < sizeof(header); at++) {
        flip(&header, at);
        assert_true(hyb_header_fault(&header) != NULL);
        flip(&header, at);
    }
}

static void assert_impossible(hyb_header_t header)
{
    hyb_header_seal(&header);
    assert_in(hyb_header_fault(&header), "values that no run has");
}

TEST(a_header_with_values_that_no_run_has_is_refused)
{
    static const double times[] = {-1.0, NAN, INFINITY, 1e300};
    static const int64_t counts[] = {-1, INT64_MIN, INT64_MAX};
    hyb_header_t header;

    for (size_t i = 0; i < COUNT_OF(times); i++)
        for (size_t at = offsetof(hyb_header_t, start);
             at < offsetof(hyb_header_t, clocks_disagree);
             at += sizeof(double)) {
            header = some_header();
            memcpy((char *)&header + at, &times[i], sizeof(double));
            assert_impossible(header);
        }
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (size_t at = offsetof(hyb_header_t, first);
             at < offsetof(hyb_header_t, rounding); at += sizeof(int64_t)) {
            header = some_header();
            memcpy((char *)&header + at, &counts[i], sizeof(int64_t));
            assert_impossible(header);
        }
}

TEST(a_header_of_another_system_says_what_differs)
{
    hyb_header_t header = some_header(), other[] = {header, header, header};
    static const char *const said[] = {
        "Q = 3, not 4", "NB = 8, not 16",
        "its columns are dealt by other weights"};
    char text[80];

    assert_true(!hyb_header_differs(&header, &other[0], text, sizeof(text)));
    other[0].npcol = 4;
    other[1].nb = 16;
    other[2].dealing = 1;
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        assert_true(hyb_header_differs(&header, &other[i], text, sizeof(text)));
        assert_string_equal(text, said[i]);
    }
}

TEST(a_dealing_has_a_number_of_its_own)
{
    const double rate[] = {3.0, 1.0}, other[] = {1.0, 3.0};
    hpl_deal_t *deal, *others;

    assert_true(hpl_deal_create(rate, 2, 100, 8, &deal) == XH_OK);
    assert_true(hpl_deal_create(other, 2, 100, 8, &others) == XH_OK);
    assert_true(hyb_header_dealing(NULL) == 0);
    assert_true(hyb_header_dealing(deal) != 0);
    assert_true(hyb_header_dealing(deal) != hyb_header_dealing(others));
    hpl_deal_destroy(deal);
    hpl_deal_destroy(others);
}

TEST(another_kernel_or_variant_may_round_otherwise)
{
    hyb_header_t a = some_header(), b = a;

    assert_true(!hyb_header_rounds_otherwise(&a, &b));
    b.rounding[1] = 1;
    assert_true(hyb_header_rounds_otherwise(&a, &b));
    b = a;
    b.kernel[0] = 'x';
    assert_true(hyb_header_rounds_otherwise(&a, &b));
}

static bool holds(const hyb_piece_t *piece)
{
    return hyb_piece_holds(piece, 4, elements, ROWS * COLS);
}

TEST(a_piece_whose_header_or_elements_changed_is_refused)
{
    hyb_piece_t piece = some_piece();

    assert_true(holds(&piece));
    assert_true(!hyb_piece_holds(&piece, 5, elements, ROWS * COLS));
    for (size_t at = 0; at < sizeof(piece); at++) {
        flip(&piece, at);
        assert_true(!holds(&piece));
        flip(&piece, at);
    }
    for (size_t at = 0; at < sizeof(elements); at++) {
        flip(elements, at);
        assert_true(!holds(&piece));
        flip(elements, at);
    }
}

TEST(columns_of_a_piece_fit_into_its_size_or_are_one)
{
    int64_t most = HYB_FORMAT_PIECE / (int64_t)sizeof(double);

    assert_true(hyb_piece_columns(0) == most);
    assert_true(hyb_piece_columns(most) == 1);
    assert_true(hyb_piece_columns(10 * most) == 1);
    assert_true(hyb_piece_columns(1000) * 1000 <= most);
}

TEST(durations_have_units)
{
    double x = 0.0;

    assert_true(hyb_read_duration("30m", &x) && x == 1800.0);
    assert_true(hyb_read_duration("0.5", &x) && x == 0.5);
    assert_true(hyb_read_duration("2h", &x) && x == 7200.0);
    assert_true(!hyb_read_duration("0s", &x) && !hyb_read_duration("", &x));
    assert_true(!hyb_read_duration("3x", &x) && !hyb_read_duration("inf", &x));
}
