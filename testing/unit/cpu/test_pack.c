/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: isa */
#include "hybrid/cpu/update/pack.h"
#include "testing/unit/unit.h"

enum { LD = 40, COLS = 40, MOST = 31 };

static double matrix[LD * COLS];
static double packed[2 * LD * COLS];

static const double behind = 1e300;

static void fill(void)
{
    for (size_t i = 0; i < COUNT_OF(matrix); i++)
        matrix[i] = (double)(i + 1);
    for (size_t i = 0; i < COUNT_OF(packed); i++)
        packed[i] = behind;
}

static double element(xh_trans_t op, int64_t i, int64_t j)
{
    return op == XH_NO_TRANS ? matrix[i + j * LD] : matrix[j + i * LD];
}

/* Where row i, column j of S is; row rows .. are what fills the last panel. */
static double packed_element(int64_t i, int64_t j, int64_t depth, int height)
{
    return packed[i / height * height * depth + j * height + i % height];
}

/* op(v) is rows x depth. */
static void check(xh_trans_t op, int64_t rows, int64_t depth, int height)
{
    xh_view_t v = {matrix, op == XH_NO_TRANS ? rows : depth,
                   op == XH_NO_TRANS ? depth : rows, LD};
    int64_t size = hyb_pack_size(rows, depth, height);

    fill();
    hyb_pack(v, op, -2.0, height, packed);
    assert_int_equal(size, (rows + height - 1) / height * height * depth);
    for (int64_t j = 0; j < depth; j++)
        for (int64_t i = 0; i < size / depth; i++)
            assert_true(packed_element(i, j, depth, height) ==
                        (i < rows ? -2.0 * element(op, i, j) : 0.0));
    assert_true(packed[size] == behind);
}

static void check_sizes(xh_trans_t op)
{
    static const int heights[] = {1, 4, 8, 24};

    for (size_t h = 0; h < COUNT_OF(heights); h++)
        for (int64_t rows = 1; rows <= MOST; rows++)
            for (int64_t depth = 1; depth <= MOST; depth += 5)
                check(op, rows, depth, heights[h]);
}

TEST_CALL(a_matrix_is_packed_in_panels_filled_with_zeros,
          check_sizes(XH_NO_TRANS))
TEST_CALL(so_is_a_transpose, check_sizes(XH_TRANS))

TEST(nothing_takes_no_room)
{
    fill();
    assert_int_equal(hyb_pack_size(0, 5, 8), 0);
    assert_int_equal(hyb_pack_size(5, 0, 8), 0);
    hyb_pack((xh_view_t){matrix, 0, 5, LD}, XH_NO_TRANS, 1.0, 8, packed);
    hyb_pack((xh_view_t){matrix, 5, 0, LD}, XH_TRANS, 1.0, 8, packed);
    assert_true(packed[0] == behind);
}
