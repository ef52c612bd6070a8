/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "testing/unit/base/capture.h"
#include "testing/unit/node/node_fixture.h"
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
static outcome_t multiply(xdg_gemm_t *gemm, xdg_participants_t executors)
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

/* ---- one device, every fault --------------------------------------------- */

typedef enum { NEVER_CAME, HAPPENED, ANOTHER_HAPPENED } event_t;

/*
 * A product with a fault in it: did it happen? A device that is lost ends this
 * product and the next one.
 */
static event_t check_fault(const char *fault, const char *patience)
{
    xdg_gemm_t *gemm;
    bool happened;
    const char *text;
    outcome_t o;

    gemm = GEMM("devices=emu", "split=fixed:1", TILES, SLOTS, patience, fault);
    text = heard(o = multiply(gemm, xdg_all_executors));
    happened = strstr(text, FAULT) != NULL;
    assert_true(!happened || o.status == XH_ERR_DEVICE);
    if (o.status == XH_OK) {
        assert_int_equal(o.wrong, 0);
        assert_int_equal(o.report.device[0].tiles, 4);
    } else {
        assert_int_equal(o.status, XH_ERR_DEVICE);
        assert_in(text, "emu device 0");
        assert_int_equal(multiply(gemm, xdg_all_executors).status,
                         XH_ERR_DEVICE);
    }
    unheard(gemm_shut(gemm));
    return happened            ? HAPPENED
           : o.status != XH_OK ? ANOTHER_HAPPENED
                               : NEVER_CAME;
}

/* Faults of kind at many of the times that each of ops comes until a product's
 * end. */
static void check_faults(const char *kind, const char *const *ops,
                         const char *patience)
{
    char fault[64];
    event_t event;
    int nth;

    srand(1);
    for (; *ops != NULL; ops++) {
        event = HAPPENED;
        for (nth = 1; event != NEVER_CAME; nth += 1 + nth / 3) {
            snprintf(fault, sizeof(fault), "emu_fault=%s@%s:%d", kind, *ops,
                     nth);
            event = check_fault(fault, patience);
        }
        assert_true(nth > 2); /* the first one did */
    }
}

/* A busy machine may seem to stall before that. */
TEST(a_device_with_a_fault_anywhere_ends_the_product)
{
    static const char *const fail[] = {
        "queue_create", "event_create", "event_record", "queue_wait",
        "copy_in",      "gemm",         "copy_out",     NULL};
    static const char *const oom[] = {"queue_create", "event_create", "copy_in",
                                      "gemm",         "copy_out",     NULL};

    check_faults("fail", fail, PATIENT);
    check_faults("oom", oom, PATIENT);
    check_faults("stall", fail + 2, HASTY);
}

/* ---- several devices ----------------------------------------------------- */

/* Products by so many devices, until the first of them is lost: others may be
 * so quick that it gets too few tiles of one. What was said goes to *text_p. */
static outcome_t lose_one(const char *devices, bool team, const char *fault,
                          const char **text_p)
{
    xdg_gemm_t *gemm;
    outcome_t o = {.status = XH_OK};
    int left = 100;

    srand(7);
    capture_begin();
    gemm = GEMM(devices, TILES, SLOTS, "split=fixed:1", fault,
                strstr(fault, "stall") != NULL ? STEADY : PATIENT);
    while (o.status == XH_OK && left-- > 0)
        o = multiply(gemm, (xdg_participants_t){team, ~(uint64_t)0});
    gemm_shut(gemm);
    *text_p = capture_end(NULL);
    return o;
}

TEST(one_lost_device_of_several_ends_the_product_and_is_named)
{
    static const char *const faults[] = {
        "emu_fault=0:fail@copy_out:1", "emu_fault=0:fail@alloc:1",
        "emu_fault=0:oom@copy_in:2", "emu_fault=0:stall@gemm:1"};
    const char *text;

    for (size_t i = 0; i < 2 * COUNT_OF(faults); i++) {
        const char *devices = i % 2 == 0 ? "devices=emu:3" : "devices=emu:2";

        assert_int_equal(
            lose_one(devices, i % 2 == 0, faults[i / 2], &text).status,
            XH_ERR_DEVICE);
        assert_in(text, "emu device 0");
        assert_null(strstr(text, "emu device 1"));
    }
}

/* ---- what a lost device leaves behind ------------------------------------ */

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
    outcome = multiply(gemm, xdg_all_executors);
    gemm_shut(gemm);
    capture_end(NULL);
    assert_int_equal(outcome.status, XH_ERR_DEVICE);
}

/* A tile takes 77 ms; nobody would wait so long for a fast device. */
TEST_OF_GEMM(a_slow_device_is_not_taken_for_stalled, "devices=emu",
             "split=fixed:1", TILES, "pipeline=1", "emu_rate=0.00001",
             "stall_seconds=0.001")
{
    outcome_t outcome = multiply(gemm, xdg_all_executors);

    assert_ok(outcome.status);
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
    assert_ok(xdg_gemm(gemm, &problem.product, xdg_all_executors, &report));
    gemm_shut(gemm);
    capture_end(NULL);
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
    } flips[] = {{"emu_fault=flip@copy_in:1", 0},
                 {"emu_fault=flip@copy_in:3", 1},
                 {"emu_fault=flip@copy_in:4", 0},
                 {"emu_fault=flip@gemm:2", 1},
                 {"emu_fault=flip@copy_out:1", 1}};
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
