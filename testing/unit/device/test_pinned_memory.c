/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/machine_private.h"

#include "base/memory.h"
#include "hybrid/device/backend.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_cases.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

/* Host matrices that are pinned in segments of whole columns. */

#define UNUSED __attribute__((unused))

enum { PAGE = 4096, GIB = 1 << 30 };

TEST(segments_are_whole_columns_and_whole_pages)
{
    static const int64_t lds[] = {1, 2, 100, 511, 512, 1000, 4096, 99999};

    for (size_t i = 0; i < COUNT_OF(lds); i++) {
        xh_view_t v = {NULL, lds[i], 1000000, lds[i]};
        int64_t column = 8 * lds[i], columns = hyb_pinned_segment(v, GIB);

        assert_int_equal(columns * column % PAGE, 0);
        assert_in_range(columns * column, GIB / 2, GIB);
        columns = hyb_pinned_segment(v, 1);
        assert_int_equal(columns * column % PAGE, 0);
        assert_true(columns <= PAGE / 8);
    }
}

/* Every part of a matrix of 20 columns, of which 8 make up a segment. */
TEST(copies_end_where_a_segment_does)
{
    enum { ROWS = 7, LD = 9, COLS = 20, SEGMENT = 8 };
    static double memory[LD * COLS];
    const xh_view_t matrix = {memory, ROWS, COLS, LD};
    const hyb_pinned_memory_t pinned = {{{matrix, SEGMENT}}, 1};

    for (int64_t col = 0; col < COLS; col++)
        for (int64_t cols = 1; col + cols <= COLS; cols++)
            for (int64_t row = 0; row < ROWS; row++)
                for (int64_t rows = 1; row + rows <= ROWS; rows++) {
                    xh_view_t v = xh_view_part(matrix, row, col, rows, cols);
                    int64_t left = SEGMENT - col % SEGMENT;

                    assert_int_equal(hyb_pinned_together(&pinned, v),
                                     cols < left ? cols : left);
                    assert_int_equal(hyb_pinned_together(NULL, v), cols);
                }
}

/* ---- what devices are asked for ------------------------------------------ */

/* emu, which counts, and refuses the segment number `refused` */
static hyb_backend_t counting;
static const hyb_backend_t *emu;
static double *pinned[64];
static int pins, unpins, refused;

static xh_status_t pin(UNUSED void *state, void *host, UNUSED size_t bytes)
{
    if (pins == refused) {
        refused = -1;
        return XH_ERR_MEMORY;
    }
    pinned[pins++] = host;
    return XH_OK;
}

static void unpin(UNUSED void *state, void *host)
{
    for (int i = 0; i < pins; i++)
        if (pinned[i] == host) {
            pinned[i] = NULL;
            unpins++;
            return;
        }
}

static hyb_machine_t *open_counting(int refusal)
{
    static const char *const settings[] = {"devices=counting", "tile=48"};
    hyb_machine_t *machine;

    if (emu == NULL) {
        emu = device_cases_backend("emu");
        counting = *emu;
        counting.name = "counting";
        counting.pin = pin;
        counting.unpin = unpin;
        assert_ok(hyb_backend_register(&counting));
    }
    pins = unpins = 0;
    refused = refusal;
    machine = node_open(1, settings, 2);
    machine->segment_bytes = 2 * PAGE;
    return machine;
}

/* 256 x 100 doubles: two columns a page, four a segment. */
TEST(a_refusal_costs_one_segment)
{
    enum { ROWS = 256, COLS = 100, SEGMENTS = 25 };
    xh_view_t v = {NULL, ROWS, COLS, ROWS};

    for (int refusal = -1; refusal <= SEGMENTS; refusal += 13) {
        hyb_machine_t *machine = open_counting(refusal);
        int expected =
            refusal < 0 || refusal >= SEGMENTS ? SEGMENTS : SEGMENTS - 1;
        void *memory;
        const char *said;

        assert_ok(xh_memory_allocate(8 * ROWS * COLS, &memory));
        v.data = memory;
        said = heard(hyb_machine_pin(machine, v));
        assert_int_equal(strstr(said, "24 of 25 segments") != NULL,
                         expected < SEGMENTS);
        assert_int_equal(pins, expected);
        assert_ptr_equal(pinned[0], v.data);
        hyb_machine_unpin(machine, v.data);
        hyb_machine_unpin(machine, v.data);
        assert_int_equal(unpins, expected);
        hyb_machine_close(machine);
        xh_memory_free(memory, 8 * ROWS * COLS);
    }
}

/* Tiles that lie across segments, all operands pinned. */
TEST(products_of_pinned_matrices_are_right)
{
    static const shape_t shapes[] = {
        {130, 120, 70, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 0},
        {128, 140, 64, XH_TRANS, XH_TRANS, 0.5, 0.5, 0}};

    srand(1);
    for (size_t i = 0; i < 2; i++) {
        problem_t problem = problem_create(shapes[i], false);
        xdg_gemm_t *gemm = GEMM("devices=emu:2", "tile=48");
        const xh_view_t all[] = {problem.product.a, problem.product.b,
                                 problem.product.c};

        gemm->machine->segment_bytes = 1;
        for (int j = 0; j < 3; j++)
            hyb_machine_pin(gemm->machine, all[j]);
        assert_ok(xdg_gemm(gemm, &problem.product,
                           (xdg_participants_t){false, 3}, NULL));
        assert_int_equal(problem_wrong(&problem), 0);
        for (int j = 0; j < 3; j++)
            hyb_machine_unpin(gemm->machine, all[j].data);
        assert_int_equal(gemm->machine->pinned.count, 0);
        gemm_shut(gemm);
        problem_destroy(&problem);
    }
}
