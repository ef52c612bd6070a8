/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/median.h"

#include "testing/unit/unit.h"

static void the_median_is_the_one_in_the_middle(void **state)
{
    double numbers[] = {5.0, -1.0, 3.0};

    (void)state;
    assert_true(xh_median(numbers, 1) == 5.0);
    assert_true(xh_median(numbers, 3) == 3.0);
}

static void of_an_even_count_it_is_the_mean_of_two(void **state)
{
    double numbers[] = {8.0, 1.0, 2.0, 4.0};

    (void)state;
    assert_true(xh_median(numbers, 4) == 3.0);
}

static void numbers_are_sorted_the_least_first(void **state)
{
    double numbers[] = {2.0, -3.0, 2.0, 0.5};

    (void)state;
    xh_sort(numbers, 4);
    assert_true(numbers[0] == -3.0 && numbers[1] == 0.5);
    assert_true(numbers[2] == 2.0 && numbers[3] == 2.0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_median_is_the_one_in_the_middle),
    cmocka_unit_test(of_an_even_count_it_is_the_mean_of_two),
    cmocka_unit_test(numbers_are_sorted_the_least_first),
};
UNIT_MAIN(cases)
