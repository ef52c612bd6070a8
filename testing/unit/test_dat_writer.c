/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"
#include "testing/unit/reference_file.h"
#include "testing/unit/unit.h"

static xhpl_parameters_t parameters, again;

/* Write parameters; what is read from that is again. */
static void write_and_read(void)
{
    xhpl_dat_error_t error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    xhpl_dat_write(out, &parameters);
    fclose(out);
    assert_ok(xhpl_dat_parse(text, size, &again, &error));
    free(text);
}

static void assert_same(void)
{
    write_and_read();
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        const xhpl_list_t *one = &parameters.list[q], *other = &again.list[q];

        assert_int_equal(one->count, other->count);
        for (int i = 0; i < one->count; i++)
            assert_int_equal(one->value[i], other->value[i]);
    }
    assert_true(parameters.threshold == again.threshold);
    assert_string_equal(parameters.output, again.output);
}

TEST(the_default_is_read_as_it_was_written)
{
    xhpl_parameters_default(&parameters);
    assert_same();
}

TEST(every_list_is_read_as_it_was_written)
{
    parameters = reference_file_parameters("upstream-variants.HPL.dat");
    assert_same();
}

TEST(thresholds_and_names_keep_all_they_say)
{
    xhpl_parameters_default(&parameters);
    parameters.threshold = 0.1;
    parameters.list[XHPL_DEVICE].value[0] = 8;
    strcpy(parameters.output, "other.out");
    assert_same();
}

TEST_MAIN()
