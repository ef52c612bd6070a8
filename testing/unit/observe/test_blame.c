/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/blame.h"

#include "testing/unit/unit.h"

enum { COUNT = 6 };

static const double patience = 10.0;

static hyb_process_t processes[COUNT];

/* All go on. */
static void go_on(void)
{
    memset(processes, 0, sizeof(processes));
}

static void wait_for(int rank, double still, const char *what, hpl_ranks_t whom)
{
    processes[rank].state.stall = still;
    hyb_state_add_wait(&processes[rank].state,
                       &(hpl_wait_t){what, 7, 800.0, whom});
}

static void wait_for_one(int rank, int whom)
{
    wait_for(rank, 12.0 + rank, "panel", (hpl_ranks_t){whom, 0, 1});
}

static void stand(int rank)
{
    processes[rank].state.stall = 20.0;
}

static void be_between(int rank, double still)
{
    wait_for(rank, still, "all others", (hpl_ranks_t){0, 1, COUNT});
    processes[rank].state.kind = HYB_STATE_BETWEEN;
}

static hyb_blame_t blame(void)
{
    return hyb_blame(processes, COUNT, patience);
}

static void assert_blamed(hyb_fault_t fault, int rank)
{
    hyb_blame_t b = blame();

    assert_int_equal(b.fault, fault);
    assert_int_equal(b.rank, rank);
}

/* 1 waits for 0, 2 for 1, and so on. */
static void wait_in_a_chain(void)
{
    go_on();
    for (int rank = 1; rank < COUNT; rank++)
        wait_for_one(rank, rank - 1);
}

TEST(a_chain_ends_at_one_that_stands)
{
    wait_in_a_chain();
    stand(0);
    assert_blamed(HYB_FAULT_STALLED, 0);
    assert_int_equal(blame().waiter, 1);
    assert_true(blame().stall == 20.0);
}

TEST(a_chain_ends_at_one_that_is_silent_or_gone)
{
    static const struct {
        hyb_contact_t contact;
        hyb_fault_t fault;
    } each[] = {{HYB_CONTACT_SILENT, HYB_FAULT_STOPPED},
                {HYB_CONTACT_CUT_OFF, HYB_FAULT_HOST_DOWN},
                {HYB_CONTACT_CLOSED, HYB_FAULT_ENDED},
                {HYB_CONTACT_NONE, HYB_FAULT_UNKNOWN}};

    for (size_t i = 0; i < COUNT_OF(each); i++) {
        wait_in_a_chain();
        processes[0].contact = each[i].contact;
        assert_blamed(each[i].fault, 0);
        assert_int_equal(blame().waiter, 1);
    }
}

TEST(each_place_of_the_chain_may_be_the_silent_one)
{
    for (int rank = 0; rank < COUNT - 1; rank++) {
        wait_in_a_chain();
        stand(0);
        processes[rank].contact = HYB_CONTACT_SILENT;
        assert_blamed(HYB_FAULT_STOPPED, rank);
        assert_int_equal(blame().waiter, rank + 1);
    }
}

/* Process 1 waits for this time for process 4, which is silent. */
static void wait_for_the_silent(double still)
{
    go_on();
    wait_for_one(2, 1);
    wait_for(1, still, "rows", (hpl_ranks_t){4, 0, 1});
    processes[4].contact = HYB_CONTACT_SILENT;
}

TEST(who_waits_for_a_short_time_is_followed_but_not_who_has_only_begun)
{
    wait_for_the_silent(6.0);
    assert_blamed(HYB_FAULT_STOPPED, 4);
    wait_for_the_silent(1.0);
    assert_blamed(HYB_FAULT_NONE, -1);
}

TEST(one_that_goes_on_elsewhere_excuses_nobody_who_has_ended)
{
    go_on();
    wait_for(2, 12.0, "x of a block", (hpl_ranks_t){0, 1, 3});
    processes[1].contact = HYB_CONTACT_SILENT;
    assert_blamed(HYB_FAULT_NONE, -1); /* 0 goes on */
    processes[1].contact = HYB_CONTACT_CLOSED;
    assert_blamed(HYB_FAULT_ENDED, 1);
}

TEST(two_that_wait_for_each_other_are_named)
{
    go_on();
    wait_for_one(3, 5);
    wait_for_one(5, 3);
    wait_for_one(1, 3);
    assert_int_equal(blame().fault, HYB_FAULT_CYCLE);
    assert_true(blame().rank == 3 || blame().rank == 5);
    assert_true(blame().waiter >= 0);
}

TEST(in_a_group_the_one_that_is_elsewhere_is_named)
{
    go_on();
    for (int rank = 0; rank < COUNT; rank += 2)
        wait_for(rank, 11.0, "sums of a block", (hpl_ranks_t){0, 2, 3});
    processes[4].state.wait_count = 0;
    processes[4].state.kind = HYB_STATE_WORKING;
    assert_blamed(HYB_FAULT_STALLED, 4);
    assert_int_equal(blame().waiter, 0);
}

TEST(a_group_all_of_which_wait_names_nobody)
{
    go_on();
    for (int rank = 0; rank < COUNT; rank++)
        wait_for(rank, 11.0, "a barrier", (hpl_ranks_t){0, 1, COUNT});
    assert_blamed(HYB_FAULT_CYCLE, -1);
}

TEST(between_phases_only_those_silent_for_long_are_named)
{
    go_on();
    for (int rank = 0; rank < COUNT; rank++)
        be_between(rank, 11.0);
    assert_blamed(HYB_FAULT_NONE, -1);
    processes[3].contact = HYB_CONTACT_SILENT;
    processes[3].silence = 3.0;
    assert_blamed(HYB_FAULT_NONE, -1);
    processes[3].silence = 8.0;
    assert_blamed(HYB_FAULT_STOPPED, 3);
}

TEST(one_that_computes_between_phases_has_a_minute)
{
    for (double still = 50.0; still <= 70.0; still += 20.0) {
        go_on();
        wait_for_one(0, 1);
        be_between(1, still);
        assert_blamed(still > 60.0 ? HYB_FAULT_STALLED : HYB_FAULT_NONE,
                      still > 60.0 ? 1 : -1);
    }
}

TEST(those_outside_of_a_grid_wait_as_long_as_that_goes_on)
{
    go_on();
    be_between(4, 1000.0);
    be_between(5, 1000.0);
    assert_blamed(HYB_FAULT_NONE, -1);
    wait_for(0, 0.5, "panel", (hpl_ranks_t){1, 0, 1});
    assert_blamed(HYB_FAULT_NONE, -1);
}

/* Inside a call of MPI that is not published, for instance. */
TEST(one_that_is_stopped_is_named_though_nobody_says_that_he_waits_for_it)
{
    go_on();
    for (int rank = 0; rank < COUNT; rank++)
        stand(rank);
    processes[4].contact = HYB_CONTACT_SILENT;
    processes[4].silence = 8.0;
    assert_blamed(HYB_FAULT_STOPPED, 4);
    processes[4].silence = 1.0;
    assert_int_equal(blame().fault, HYB_FAULT_STALLED);
}

TEST(ranks_that_do_not_exist_are_not_followed)
{
    go_on();
    wait_for_one(2, COUNT);
    wait_for_one(3, -4);
    assert_int_equal(blame().fault, HYB_FAULT_CYCLE);
}

/* ---- what a process waits for -------------------------------------------- */

static hyb_state_t chosen(bool in_loop, int panel)
{
    static const hpl_wait_t notes[] = {{"all", -1, 8.0, {0, 1, 4}},
                                       {"rows", 311, 64.0, {2, 0, 1}},
                                       {"panel", 16, 80.0, {3, 0, 1}},
                                       {"panel", 17, 80.0, {1, 0, 1}}};
    hyb_state_t state = {.wait_count = 0};

    hyb_state_add_notes(&state, notes, COUNT_OF(notes), in_loop, panel);
    return state;
}

TEST(of_messages_under_way_those_that_are_waited_for_are_chosen)
{
    assert_int_equal(chosen(false, -1).wait_count, 0);
    assert_int_equal(chosen(true, 17).waits[0].first, 1);
    assert_int_equal(chosen(true, 17).wait_count, 1);
    assert_string_equal(chosen(true, -1).waits[0].what, "rows");
    assert_string_equal(chosen(true, 40).waits[0].what, "rows");
}

TEST(what_is_waited_for_is_told_with_iteration_and_bytes)
{
    hyb_state_t waits = chosen(true, 17);
    char text[80];

    hyb_state_wait_text(&waits.waits[0], text, sizeof(text));
    assert_string_equal(text, "panel of iteration 17, 80 bytes");
    waits = chosen(true, -1);
    hyb_state_wait_text(&waits.waits[0], text, sizeof(text));
    assert_string_equal(text, "rows, 64 bytes");
}
