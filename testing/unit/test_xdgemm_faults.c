/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"
#include "testing/unit/unit.h"

/* Two slots and four tiles: every kind of work is there more than once. */
#define TILES "tile=8"
#define SLOTS "pipeline=2"
#define PATIENT "stall_seconds=60"
#define STEADY "stall_seconds=0.5"
#define HASTY "stall_seconds=0.02" /* on a busy machine it takes no fault */

#define FAULT "fault on demand" /* what the device says of one */

static const shape_t small = {16, 16, 6, XH_NO_TRANS, XH_TRANS, 0.75, 0.5, 1};

typedef struct {
    xh_status_t status;
    size_t wrong;
    hyb_report_t report; /* owner is freed */
} outcome_t;

/* One product, whose operands go as soon as it has ended. */
static outcome_t multiply(xdg_gemm_t *gemm, xdg_who_t executors)
{
    problem_t problem = problem_create(small, false);
    outcome_t o = {.wrong = 0};

    o.status = xdg_gemm(gemm, &problem.product, executors, &o.report);
    o.wrong = problem_wrong(&problem);
    problem_destroy(&problem);
    free(o.report.owner);
    o.report.owner = NULL;
    return o;
}

/* ---- one device, every fault, the team in reserve ------------------------ */

typedef enum { NEVER_CAME, HAPPENED, ANOTHER_HAPPENED } event_t;

/* A product, right whatever happens; what is said in it goes to *text_p. */
static outcome_t survive(xdg_gemm_t *gemm, const char **text_p)
{
    outcome_t o;

    capture_begin();
    o = multiply(gemm, (xdg_who_t){true, ~(uint64_t)0});
    *text_p = capture_end(NULL);
    assert_ok(o.status);
    assert_int_equal(o.wrong, 0);
    return o;
}

/* Two products with a fault in the first, or before: did it happen? */
static event_t check_fault(const char *fault, const char *patience)
{
    bool opened, happened, dropped;
    const char *text;
    xdg_gemm_t *gemm;
    outcome_t o;

    happened = strstr(heard(gemm = GEMM("devices=emu", "split=fixed:1", TILES,
                                        SLOTS, patience, fault)),
                      FAULT) != NULL;
    opened = hyb_machine_devices(gemm->machine) == 1;
    assert_int_equal(opened, !happened);
    o = survive(gemm, &text);
    happened = happened || strstr(text, FAULT) != NULL;
    dropped = o.report.device[0].dropped;
    assert_int_equal(o.report.device[0].tiles + o.report.team.tiles,
                     opened ? 4 : 0);
    assert_true(!happened || !opened || dropped);
    o = survive(gemm, &text);
    assert_true(!dropped || o.report.device[0].tiles == 0);
    unheard(gemm_shut(gemm));
    return happened ? HAPPENED : dropped ? ANOTHER_HAPPENED : NEVER_CAME;
}

/* Faults of kind each time that each of ops comes until a product's end. */
static void check_faults(const char *kind, const char *const *ops,
                         const char *patience)
{
    char fault[64];
    event_t event;
    int nth;

    srand(1);
    for (; *ops != NULL; ops++) {
        event = HAPPENED;
        for (nth = 1; event != NEVER_CAME; nth++) {
            snprintf(fault, sizeof(fault), "emu_fault=%s@%s:%d", kind, *ops,
                     nth);
            event = check_fault(fault, patience);
        }
        assert_true(nth > 2); /* the first one did */
    }
}

TEST(a_device_that_fails_anywhere_loses_nothing)
{
    static const char *const ops[] = {
        "alloc",      "pin",     "queue_create", "event_create", "event_record",
        "queue_wait", "copy_in", "gemm",         "copy_out",     NULL};

    check_faults("fail", ops, PATIENT);
}

TEST(a_device_without_memory_anywhere_loses_nothing)
{
    static const char *const ops[] = {"queue_create", "event_create", "copy_in",
                                      "gemm",         "copy_out",     NULL};

    check_faults("oom", ops, PATIENT);
}

TEST_OF_GEMM(a_device_whose_host_memory_is_not_pinned_works_on, "devices=emu",
             "split=fixed:1", TILES, SLOTS, PATIENT, "emu_fault=oom@pin:1")
{
    const char *text;
    outcome_t o = survive(gemm, &text);

    assert_in(text, FAULT);
    assert_false(o.report.device[0].dropped);
    assert_int_equal(o.report.device[0].tiles, 4);
}

/* A busy machine may seem to stall before that; results are right anyway. */
TEST(a_device_that_stalls_anywhere_loses_nothing)
{
    static const char *const ops[] = {"event_record", "queue_wait", "copy_in",
                                      "gemm",         "copy_out",   NULL};

    check_faults("stall", ops, HASTY);
}

/* ---- several devices, no team -------------------------------------------- */

/* Two products by emu:count with faults; what was said, and how they ended. */
static const char *multiply_twice(const char *devices, const char *faults,
                                  outcome_t outcome[2])
{
    const xdg_who_t devices_only = {false, ~(uint64_t)0};
    xdg_gemm_t *gemm;

    capture_begin();
    gemm = GEMM(devices, TILES, SLOTS, STEADY, faults);
    for (int i = 0; i < 2; i++)
        outcome[i] = multiply(gemm, devices_only);
    gemm_shut(gemm);
    return capture_end(NULL);
}

TEST(other_devices_do_what_one_has_lost)
{
    static const char *const faults[] = {
        "emu_fault=0:fail@gemm:1",
        "emu_fault=0:oom@copy_out:1",
        "emu_fault=0:stall@copy_in:1",
        "emu_fault=0:stall@copy_out:1,1:oom@gemm:1",
        "emu_fault=0:fail@alloc:1,1:fail@event_record:2",
    };
    outcome_t outcome[2];

    srand(2);
    for (size_t f = 0; f < COUNT_OF(faults); f++) {
        multiply_twice("devices=emu:3", faults[f], outcome);
        for (int i = 0; i < 2; i++) {
            assert_ok(outcome[i].status);
            assert_int_equal(outcome[i].wrong, 0);
        }
    }
}

/* The first device fails when the others have long been done. */
TEST(tiles_lost_at_the_end_are_done_too)
{
    outcome_t outcome[2];

    srand(3);
    multiply_twice("devices=emu:2",
                   "emu_fault=0:stall@copy_out:1,0:stall@gemm:1", outcome);
    assert_ok(outcome[0].status);
    assert_int_equal(outcome[0].wrong, 0);
    assert_int_equal(outcome[1].wrong, 0);
}

TEST(without_team_and_devices_a_product_fails)
{
    outcome_t outcome[2];
    const char *text =
        multiply_twice("devices=emu:2", "emu_fault=fail@gemm:1", outcome);

    assert_int_equal(outcome[0].status, XH_ERR_DEVICE);
    assert_int_equal(outcome[1].status, XH_ERR_DEVICE);
    assert_in(text, "device 0 is dropped");
    assert_in(text, "device 1 is dropped");
    assert_in(text, "no device is left");
}

/* ---- devices that write into C ------------------------------------------- */

/* Products by so many devices, until the first of them is lost: others may be
 * so quick that it gets too few tiles of one. What was said goes to *text_p. */
static outcome_t lose_a_writer(const char *devices, bool team,
                               const char *fault, const char **text_p)
{
    xdg_gemm_t *gemm;
    outcome_t o = {.status = XH_OK};
    int left = 100;

    srand(7);
    capture_begin();
    gemm = GEMM(devices, TILES, SLOTS, "tile_return=direct", "split=fixed:1",
                fault, strstr(fault, "stall") != NULL ? STEADY : PATIENT);
    while (o.status == XH_OK && left-- > 0)
        o = multiply(gemm, (xdg_who_t){team, ~(uint64_t)0});
    gemm_shut(gemm);
    *text_p = capture_end(NULL);
    return o;
}

TEST(who_is_lost_while_writing_into_c_ends_the_product)
{
    static const char *const faults[] = {
        "emu_fault=0:fail@gemm:2", "emu_fault=0:fail@copy_out:1",
        "emu_fault=0:oom@copy_in:2", "emu_fault=0:stall@gemm:1"};
    const char *text;

    for (size_t i = 0; i < 2 * COUNT_OF(faults); i++) {
        const char *devices = i % 2 == 0 ? "devices=emu" : "devices=emu:2";

        assert_int_equal(
            lose_a_writer(devices, i % 2 == 0, faults[i / 2], &text).status,
            XH_ERR_DEVICE);
        assert_in(text, "device 0, which wrote into C");
        assert_null(strstr(text, "the others compute its tiles"));
        assert_null(strstr(text, "no device is left"));
    }
}

/* ---- what a dropped device leaves behind --------------------------------- */

/*
 * Copies in wait for a slow link when memory for another tile is refused; the
 * operands go at once.
 */
TEST(nothing_reads_operands_after_a_product)
{
    xdg_gemm_t *gemm;
    outcome_t outcome;

    srand(5);
    capture_begin();
    gemm = GEMM("devices=emu", "split=fixed:1", TILES, "pipeline=4",
                "emu_link=0.0002", "emu_fault=oom@copy_in:6");
    outcome = multiply(gemm, xdg_everyone);
    gemm_shut(gemm);
    capture_end(NULL);
    assert_true(outcome.report.device[0].dropped);
    assert_int_equal(outcome.wrong, 0);
}

/* A tile takes 77 ms; nobody would wait so long for a fast device. */
TEST_OF_GEMM(a_slow_device_is_not_taken_for_stalled, "devices=emu",
             "split=fixed:1", TILES, "pipeline=1", "emu_rate=0.00001",
             "stall_seconds=0.001")
{
    outcome_t outcome = multiply(gemm, xdg_everyone);

    assert_false(outcome.report.device[0].dropped);
    assert_int_equal(outcome.report.device[0].tiles, 4);
    assert_int_equal(outcome.wrong, 0);
}

/* ---- flip ---------------------------------------------------------------- */

typedef struct {
    size_t wrong, of_device; /* elements; those of them in its tiles */
} damage_t;

static damage_t damage_of(const problem_t *problem, const hyb_report_t *report)
{
    xh_view_t c = problem->product.c;
    damage_t d = {0, 0};

    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++)
            if (!problem_right(problem, (size_t)(i + j * c.ld))) {
                d.wrong++;
                d.of_device += node_owner(report, i, j) == 1;
            }
    return d;
}

/* The device has tiles 0 and 1, the team 2 and 3. */
static damage_t flipped(const char *fault)
{
    problem_t problem = problem_create(small, false);
    hyb_report_t report = {0};
    xdg_gemm_t *gemm;
    damage_t damage;

    capture_begin();
    gemm = GEMM("devices=emu", "split=fixed:0.5", TILES, SLOTS, fault);
    assert_ok(xdg_gemm(gemm, &problem.product, xdg_everyone, &report));
    gemm_shut(gemm);
    capture_end(NULL);
    assert_false(report.device[0].dropped);
    damage = damage_of(&problem, &report);
    free(report.owner);
    problem_destroy(&problem);
    return damage;
}

TEST(a_flipped_bit_is_found_in_tiles_of_its_device)
{
    static const struct {
        const char *fault;
        size_t wrong; /* elements, 0: a row or a column of a tile or two */
    } flips[] = {
        {"emu_fault=flip@copy_in:1", 0},  {"emu_fault=flip@copy_in:2", 0},
        {"emu_fault=flip@copy_in:3", 1},  {"emu_fault=flip@copy_in:4", 0},
        {"emu_fault=flip@gemm:1", 1},     {"emu_fault=flip@gemm:2", 1},
        {"emu_fault=flip@copy_out:1", 1}, {"emu_fault=flip@copy_out:2", 1},
    };
    damage_t damage;

    srand(6);
    for (size_t i = 0; i < COUNT_OF(flips); i++) {
        damage = flipped(flips[i].fault);
        if (flips[i].wrong > 0)
            assert_int_equal(damage.wrong, flips[i].wrong);
        assert_true(damage.wrong > 0 && damage.wrong <= 16);
        assert_int_equal(damage.of_device, damage.wrong);
    }
}

TEST_MAIN()
