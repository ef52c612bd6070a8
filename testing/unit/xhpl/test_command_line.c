/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/command_line.h"
#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/reference_file.h"
#include "testing/unit/unit.h"

enum { ARGUMENTS_MOST = 16 };

static xhpl_command_t command;

/* Parse "xhpl " and line, split at blanks. */
static xh_status_t parse(const char *line)
{
    static char text[1024];
    char *argv[ARGUMENTS_MOST + 1] = {"xhpl"};
    int argc = 1;

    snprintf(text, sizeof(text), "%s", line);
    for (char *at = strtok(text, " "); at != NULL && argc < ARGUMENTS_MOST;
         at = strtok(NULL, " "))
        argv[argc++] = at;
    return xhpl_options_parse(argc, argv, &command);
}

static void assert_values(const char *line, xhpl_quantity_t quantity, int count,
                          int first, int last)
{
    const xhpl_list_t *list = &command.parameters.list[quantity];

    assert_ok(parse(line));
    assert_true(command.is_given[quantity]);
    assert_int_equal(list->count, count);
    assert_int_equal(list->value[0], first);
    assert_int_equal(list->value[count - 1], last);
}

TEST(one_or_two_dashes_and_an_equals_sign_are_the_same)
{
    assert_values("-nb 8", XHPL_NB, 1, 8, 8);
    assert_values("--nb=8", XHPL_NB, 1, 8, 8);
    assert_values("-nb=8", XHPL_NB, 1, 8, 8);
    assert_values("--n 8", XHPL_N, 1, 8, 8);
    assert_values("-threshold -1 -n 3", XHPL_N, 1, 3, 3);
    assert_true(command.parameters.threshold == -1.0);
}

TEST(values_can_be_numbers_words_or_their_beginnings)
{
    assert_values("--pfact left,crout,right", XHPL_PFACT, 3, 0, 2);
    assert_values("--pfact L,C,R", XHPL_PFACT, 3, 0, 2);
    assert_values("--rfact 2,1,0", XHPL_RFACT, 3, 2, 0);
    assert_values("--pmap column", XHPL_PMAP, 1, 1, 1);
    assert_values("--pmap 0", XHPL_PMAP, 1, 0, 0);
    assert_values("--bcast 1ring,2ringM,blongm", XHPL_BCAST, 3, 0, 5);
    assert_values("--swap mix", XHPL_SWAP, 1, 2, 2);
    assert_values("--l1 no-transposed", XHPL_L1, 1, 1, 1);
    assert_values("-u transposed", XHPL_U, 1, 0, 0);
    assert_values("--equil yes", XHPL_EQUIL, 1, 1, 1);
}

TEST(a_number_may_have_a_unit)
{
    assert_values("-n 2k,1M", XHPL_N, 2, 2000, 1000000);
    assert_values("-n2.5k", XHPL_N, 1, 2500, 2500);
    assert_values("--nb 1K", XHPL_NB, 1, 1000, 1000);
}

TEST(a_number_may_stand_right_behind_a_name_of_one_letter)
{
    assert_values("-n2000", XHPL_N, 1, 2000, 2000);
    assert_values("-p2", XHPL_P, 1, 2, 2);
    assert_values("-n=50,60", XHPL_N, 2, 50, 60);
}

static void assert_refused(const char *line, const char *what,
                           const char *nearest)
{
    assert_said(parse(line), XH_ERR_INPUT, what);
    assert_said(parse(line), XH_ERR_INPUT, nearest);
}

TEST(an_unknown_option_is_refused_with_the_nearest)
{
    assert_refused("--bcats 3", "--bcats", "the nearest is --bcast");
    assert_refused("-nc 3", "-nc", "the nearest is -n");
    assert_refused("--swa 1", "--swa", "the nearest is --swap");
    assert_refused("-NB 384", "-NB", "the nearest is --nb");
    assert_refused("-n 5 dpeth", "dpeth", "the nearest is --depth");
    assert_refused("-n 5 --depth", "--depth", "needs a value");
    assert_refused("-i node.dat", "-i is not an option", "--help lists them");
    assert_refused("--iter x.csv", "--iter", "the nearest is --iterations");
    assert_refused("--foo", "--foo", "--help lists them");
    assert_refused("--set foo=1", "foo", "--help all lists them");
    assert_refused("--quiet=1", "--quiet=1", "takes no value");
    assert_refused("--set progres=on", "progres", "the nearest is progress");
}

TEST(an_invalid_value_is_refused_with_the_nearest)
{
    assert_refused("-n 1e3", "'1e3'", "the nearest is 1000");
    assert_refused("-n 2,000", "'2,000'", "a comma within a number");
    assert_refused("--runs x", "'x'", "whole numbers, 1 to 1000\n");
    assert_refused("--runs 0", "'0'",
                   "whole numbers, 1 to 1000; the nearest is 1\n");
    assert_refused("-n 1kk", "'1kk'", "allowed");
    assert_refused("-n 2G", "'2G'", "the nearest is 1000000000");
    assert_refused("-nb 8,,9", "''", "an integer from 1");
    assert_refused("--pfact lefd", "'lefd'", "the nearest is left");
    assert_refused("--pfact diagonal", "'diagonal'", "or 2 (right)\n");
    assert_refused("--bcast 1rin", "'1rin'", "the nearest is 1ring");
    assert_refused("--bcast 6", "'6'", "the nearest is BlongM");
    assert_refused("--align 8,16", "'8,16'", "more values than the 1");
    assert_refused("-n 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21",
                   "-n", "more values than the 20");
}

TEST(options_go_before_the_file)
{
    xhpl_parameters_t file =
        reference_file_parameters("upstream-variants.HPL.dat");
    const xhpl_parameters_t *all = &command.parameters;

    assert_ok(parse("-n 7 --depth 2,1 --threshold 3"));
    assert_ok(xhpl_options_complete(&command, &file));
    assert_int_equal(all->list[XHPL_N].count, 1);
    assert_int_equal(all->list[XHPL_N].value[0], 7);
    assert_int_equal(all->list[XHPL_DEPTH].count, 2);
    assert_int_equal(all->list[XHPL_DEPTH].value[0], 2);
    assert_true(all->threshold == 3.0);
    assert_int_equal(all->list[XHPL_NB].count, 2);
    assert_int_equal(all->list[XHPL_ALIGN].value[0], 4);
    assert_ok(parse("-p 4"));
    assert_said(xhpl_options_complete(&command, &file), XH_ERR_INPUT,
                "P has 1 values and Q has 2");
}

TEST(the_other_options_are_understood)
{
    assert_ok(parse("--quiet --upstream-exit --dat other.dat"));
    assert_true(command.quiet);
    assert_true(command.upstream_exit);
    assert_string_equal(command.dat, "other.dat");
    assert_int_equal(command.ask, XHPL_ASK_RUN);
    assert_ok(parse("--help"));
    assert_int_equal(command.ask, XHPL_ASK_HELP);
    assert_int_equal(command.topic, XHPL_HELP_EVERYDAY);
    assert_ok(parse("--quiet --help devices --upstream-exit"));
    assert_int_equal(command.topic, XHPL_HELP_DEVICES);
    assert_true(command.upstream_exit);
    assert_ok(parse("-h all"));
    assert_int_equal(command.topic, XHPL_HELP_ALL);
    assert_ok(parse("--help=all"));
    assert_int_equal(command.topic, XHPL_HELP_ALL);
    assert_ok(parse("--version"));
    assert_int_equal(command.ask, XHPL_ASK_VERSION);
    assert_ok(parse("--set blas_threads=3"));
    assert_int_equal(xh_settings_int("blas_threads"), 3);
}
