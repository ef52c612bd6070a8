/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UNIT_H
#define UNIT_H

/*
 * A unit test is a file test_<object>.c with one table of cases:
 *
 *     static const struct CMUnitTest cases[] = {
 *         cmocka_unit_test(an_empty_list_is_refused),
 *     };
 *     UNIT_MAIN(cases)
 *
 * Results leave as TAP, one line a case. A test that needs processes includes
 * unit_mpi.h instead and names their numbers in the second line of its file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define UNIT_MAIN(cases)                                                       \
    int main(void)                                                             \
    {                                                                          \
        cmocka_set_message_output(CM_OUTPUT_TAP);                              \
        return cmocka_run_group_tests(cases, NULL, NULL) != 0;                 \
    }

#endif
