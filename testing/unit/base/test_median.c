/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/median.h"

#include "testing/unit/unit.h"

TEST(the_median_is_the_one_in_the_middle_or_the_mean_of_two)
{
    double odd[] = {5.0, -1.0, 3.0}, even[] = {8.0, 1.0, 2.0, 4.0};

    assert_true(xh_median(odd, 1) == 5.0);
    assert_true(xh_median(odd, 3) == 3.0);
    assert_true(xh_median(even, 4) == 3.0);
}

TEST(numbers_are_sorted_the_least_first)
{
    double numbers[] = {2.0, -3.0, 2.0, 0.5};

    xh_sort(numbers, 4);
    assert_true(numbers[0] == -3.0 && numbers[1] == 0.5);
    assert_true(numbers[2] == 2.0 && numbers[3] == 2.0);
}

TEST(of_the_others_it_is_that_of_all_or_next_to_it)
{
    const double odd[] = {1.0, 2.0, 4.0, 8.0, 16.0}, *even = odd + 1;

    assert_true(xh_median_without(odd, 5, 1.0) == 6.0);
    assert_true(xh_median_without(odd, 5, 4.0) == 5.0);
    assert_true(xh_median_without(odd, 5, 16.0) == 3.0);
    assert_true(xh_median_without(even, 4, 2.0) == 8.0);
    assert_true(xh_median_without(even, 4, 8.0) == 4.0);
    assert_true(xh_median_without(odd, 2, 1.0) == 2.0);
    assert_true(xh_median_without(odd, 2, 2.0) == 1.0);
}
