/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/test_list.h"
#include "testing/unit/reference_file.h"
#include "testing/unit/unit.h"

/* Rows begin with a tag, without the values that come from the grid. */
static void assert_rows(const char *dat, const char *rows, int64_t count)
{
    xhpl_parameters_t parameters = reference_file_parameters(dat);
    char pmap = "RC"[parameters.list[XHPL_PMAP].value[0]];
    size_t length;
    char *text = reference_file_read(rows, &length), *line, row[64];
    int64_t index = 0;

    assert_int_equal(xhpl_test_count(&parameters), count);
    strtok(text, "\r\n");
    while ((line = strtok(NULL, "\r\n")) != NULL) {
        xhpl_test_t t = xhpl_test_at(&parameters, index++);

        snprintf(row, sizeof(row), "W%c%d%d%c%d%c%d,%d,%d,%d,%d", pmap, t.depth,
                 t.bcast, "LCR"[t.rfact], t.ndiv, "LCR"[t.pfact], t.nbmin, t.n,
                 t.nb, t.nprow, t.npcol);
        assert_string_equal(row, line);
    }
    assert_int_equal(index, count);
    free(text);
}

TEST(tests_come_in_upstreams_order)
{
    assert_rows("upstream-default.HPL.dat", "upstream-864-rows.csv", 864);
    assert_rows("upstream-variants.HPL.dat", "upstream-variants-rows.csv",
                1152);
}

TEST(tests_of_one_shape_are_consecutive)
{
    xhpl_parameters_t parameters =
        reference_file_parameters("upstream-variants.HPL.dat");
    int64_t same = xhpl_test_same_shape(&parameters);

    assert_int_equal(same, 48);
    for (int64_t i = 0; i < xhpl_test_count(&parameters); i++) {
        xhpl_test_t first = xhpl_test_at(&parameters, i / same * same);
        xhpl_test_t test = xhpl_test_at(&parameters, i);

        assert_int_equal(test.grid, first.grid);
        assert_int_equal(test.n, first.n);
        assert_int_equal(test.nb, first.nb);
        assert_int_equal(test.depth, first.depth);
    }
}

TEST(the_longest_lists_can_be_counted)
{
    xhpl_parameters_t parameters;

    xhpl_parameters_default(&parameters);
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        parameters.list[q].count = XHPL_LIST_MOST;
    assert_true(xhpl_test_count(&parameters) == 512000000000);
}
