/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/emu_fixture.h"

enum { KIB = 1024 };

static hyb_device_t *device;
static hyb_queue_t *queue;

static int close_device(void **state)
{
    (void)state;
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    device = NULL;
    queue = NULL;
    return 0;
}

static void open_device(const char *setting)
{
    device = emu_open(0, setting, NULL);
    queue = device_cases_queue(device);
}

/* ---- pieces ---------------------------------------------------------- */

static uint64_t memory_free(void)
{
    hyb_device_info_t info;

    assert_int_equal(hyb_device_describe(device, &info), XH_OK);
    return info.memory_free;
}

static xh_status_t alloc(size_t bytes, double **memory_p)
{
    xh_status_t status;

    capture_begin();
    status = hyb_device_alloc(device, bytes, memory_p);
    capture_end(NULL);
    return status;
}

static void memory_ends_at_its_size(void **state)
{
    double *all, *more;

    (void)state;
    open_device("emu_memory=1");
    assert_int_equal(alloc(KIB * KIB + 1, &all), XH_ERR_MEMORY);
    assert_int_equal(alloc(SIZE_MAX, &all), XH_ERR_MEMORY);
    assert_int_equal(alloc(KIB * KIB, &all), XH_OK);
    assert_int_equal(memory_free(), 0);
    assert_int_equal(alloc(8, &more), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    hyb_device_free(device, all);
    assert_int_equal(memory_free(), KIB * KIB);
    assert_int_equal(alloc(8, &more), XH_OK);
    hyb_device_free(device, more);
}

static void the_first_gap_that_fits_is_used(void **state)
{
    double *piece[4], *small, *large;
    int i;

    (void)state;
    open_device("emu_memory=1");
    for (i = 0; i < 4; i++)
        assert_int_equal(alloc(128 * KIB, &piece[i]), XH_OK);
    hyb_device_free(device, piece[0]);
    hyb_device_free(device, piece[2]);
    assert_int_equal(alloc(192 * KIB, &large), XH_OK);
    assert_int_equal(alloc(64 * KIB, &small), XH_OK);
    assert_ptr_equal(small, piece[0]);
    assert_ptr_equal(large, piece[3] + 128 * KIB / sizeof(double));
    hyb_device_free(device, small);
    hyb_device_free(device, large);
    hyb_device_free(device, piece[1]);
    hyb_device_free(device, piece[3]);
    assert_int_equal(memory_free(), KIB * KIB);
}

static void pieces_never_overlap(void **state)
{
    enum { PIECES = 24, ROUNDS = 2000 };
    double *start[PIECES] = {NULL};
    size_t size[PIECES];
    int round, i, j;

    (void)state;
    srand(1);
    open_device("emu_memory=1");
    for (round = 0; round < ROUNDS; round++) {
        i = rand() % PIECES;
        hyb_device_free(device, start[i]);
        start[i] = NULL;
        size[i] = (size_t)(rand() % 12000) + 1; /* doubles */
        if (alloc(size[i] * sizeof(double), &start[i]) != XH_OK)
            continue;
        assert_int_equal((uintptr_t)start[i] % 256, 0);
        for (j = 0; j < PIECES; j++)
            assert_true(j == i || start[j] == NULL ||
                        start[j] + size[j] <= start[i] ||
                        start[i] + size[i] <= start[j]);
    }
    for (i = 0; i < PIECES; i++)
        hyb_device_free(device, start[i]);
    assert_int_equal(memory_free(), KIB * KIB);
}

static void freeing_what_is_not_allocated_is_said(void **state)
{
    double x;
    int lines;

    (void)state;
    open_device("emu_memory=1");
    capture_begin();
    hyb_device_free(device, &x);
    capture_end(&lines);
    assert_int_equal(lines, 1);
}

static void pinned_memory_can_be_written(void **state)
{
    double *memory;

    (void)state;
    open_device("emu_memory=1");
    assert_int_equal(hyb_pinned_alloc(device, 8 * KIB, &memory), XH_OK);
    memset(memory, 1, 8 * KIB);
    hyb_pinned_free(device, memory, 8 * KIB);
}

/* ---- which memory ---------------------------------------------------- */

static xh_status_t copied_in(xh_view_t from, xh_view_t to)
{
    xh_status_t status;

    capture_begin();
    status = hyb_queue_copy_in(queue, from, to);
    capture_end(NULL);
    return status;
}

static void device_views_end_inside_their_allocation(void **state)
{
    static double x[256];
    const xh_view_t on_host = {x, 16, 16, 16};
    xh_view_t first, second;

    (void)state;
    open_device("emu_memory=1");
    first = device_cases_matrix(device, 16, 16);
    second = device_cases_matrix(device, 16, 16);
    first.ld = 17;
    assert_int_equal(copied_in(on_host, first), XH_ERR_ARG);
    first.ld = 16;
    first.data++;
    assert_int_equal(copied_in(on_host, first), XH_ERR_ARG);
    first.data -= 2;
    assert_int_equal(copied_in(on_host, first), XH_ERR_ARG);
    second.ld = INT64_MAX;
    assert_int_equal(copied_in(on_host, second), XH_ERR_ARG);
    second.ld = 16;
    hyb_device_free(device, second.data);
    assert_int_equal(copied_in(on_host, second), XH_ERR_ARG);
}

static void part_of_an_allocation_is_as_good(void **state)
{
    static double x[256];
    xh_view_t whole;

    (void)state;
    open_device("emu_memory=1");
    whole = device_cases_matrix(device, 16, 16);
    assert_int_equal(
        copied_in((xh_view_t){x, 3, 5, 3}, xh_view_part(whole, 13, 11, 3, 5)),
        XH_OK);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(memory_ends_at_its_size,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(the_first_gap_that_fits_is_used,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(pieces_never_overlap, emu_default_settings,
                                    close_device),
    cmocka_unit_test_setup_teardown(freeing_what_is_not_allocated_is_said,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(pinned_memory_can_be_written,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(device_views_end_inside_their_allocation,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(part_of_an_allocation_is_as_good,
                                    emu_default_settings, close_device),
};
UNIT_MAIN(cases)
