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

static xh_status_t alloc(size_t bytes, hyb_buffer_t **buffer_p)
{
    xh_status_t status;

    capture_begin();
    status = hyb_buffer_create(device, bytes, buffer_p);
    capture_end(NULL);
    return status;
}

static void memory_ends_at_its_size(void **state)
{
    hyb_buffer_t *all, *more;

    (void)state;
    open_device("emu_memory=1");
    assert_int_equal(alloc(KIB * KIB + 1, &all), XH_ERR_MEMORY);
    assert_int_equal(alloc(SIZE_MAX, &all), XH_ERR_MEMORY);
    assert_int_equal(alloc(KIB * KIB, &all), XH_OK);
    assert_int_equal(memory_free(), 0);
    assert_int_equal(alloc(8, &more), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    hyb_buffer_destroy(all);
    assert_int_equal(memory_free(), KIB * KIB);
    assert_int_equal(alloc(8, &more), XH_OK);
    hyb_buffer_destroy(more);
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

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(memory_ends_at_its_size,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(pinned_memory_can_be_written,
                                    emu_default_settings, close_device),
};
UNIT_MAIN(cases)
