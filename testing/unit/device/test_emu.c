/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "testing/unit/device/emu_fixture.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static hyb_device_t *device;
static hyb_queue_t *queue;

UNIT_STEP(close_device)
{
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    device = NULL;
    queue = NULL;
}

static void open_device(const char *setting)
{
    device = emu_open(0, setting, NULL);
    queue = device_cases_queue(device);
}

/* ---- describing ------------------------------------------------------ */

#define TEST_SET_UP(name) TEST_WITH(name, emu_default_settings, close_device)

TEST_SET_UP(it_describes_what_the_settings_say)
{
    hyb_device_info_t info;

    device = emu_open(3, "emu_memory=7", "emu_link=2.5", "emu_rate=50",
                      "emu_dry=on", NULL);
    assert_ok(hyb_device_describe(device, &info));
    assert_string_equal(info.name, "emulated device");
    assert_string_equal(info.backend, "emu");
    assert_string_equal(info.pci_address, "");
    assert_int_equal(info.index, 3);
    assert_int_equal(info.memory, 7 * MIB);
    assert_int_equal(info.memory_free, info.memory);
    assert_true(info.link_rate == 2.5e9 && info.gemm_rate == 50e9);
    assert_true(info.models_time);
}

static double rate_of(int index, const char *setting)
{
    hyb_device_info_t info;

    device = emu_open(index, setting, NULL);
    assert_ok(hyb_device_describe(device, &info));
    hyb_device_close(device);
    device = NULL;
    return info.gemm_rate;
}

TEST_SET_UP(devices_may_have_a_rate_each)
{
    assert_true(rate_of(0, "emu_rate=50,7.5,30") == 50e9);
    assert_true(rate_of(1, "emu_rate=50,7.5,30") == 7.5e9);
    assert_true(rate_of(2, "emu_rate=50,7.5,30") == 30e9);
    assert_true(rate_of(9, "emu_rate=50,7.5,30") == 30e9);
}

TEST_SET_UP(what_is_no_list_of_rates_is_refused)
{
    static const char *const lists[] = {
        "emu_rate=",    "emu_rate=fast", "emu_rate=5,",  "emu_rate=5,,2",
        "emu_rate=5;2", "emu_rate=-1",   "emu_rate=nan", "emu_rate=5,x"};
    hyb_device_choice_t choice = {device_cases_backend("emu"), 0};

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        assert_ok(xh_settings_assign(lists[i]));
        assert_said(hyb_device_open(choice, NULL, 0, &device), XH_ERR_INPUT,
                    "is not a list of Gflop/s");
    }
}

/* ---- memory ------------------------------------------------------------- */

static uint64_t memory_free(void)
{
    hyb_device_info_t info;

    assert_ok(hyb_device_describe(device, &info));
    return info.memory_free;
}

static xh_status_t create(size_t bytes, hyb_buffer_t **buffer_p)
{
    xh_status_t status;

    unheard(status = hyb_buffer_create(device, bytes, buffer_p));
    return status;
}

TEST_SET_UP(memory_ends_at_its_size)
{
    hyb_buffer_t *all, *half, *more;

    open_device("emu_memory=1");
    assert_int_equal(create(MIB + 1, &all), XH_ERR_MEMORY);
    assert_int_equal(create(SIZE_MAX, &all), XH_ERR_MEMORY);
    assert_ok(create(MIB, &all));
    assert_int_equal(memory_free(), 0);
    assert_int_equal(create(8, &more), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    hyb_buffer_destroy(all);
    assert_int_equal(memory_free(), MIB);
    assert_ok(create(MIB / 2, &half));
    assert_ok(create(8, &more));
    assert_int_equal(memory_free(), MIB / 2 - 256);
    hyb_buffer_destroy(half);
    hyb_buffer_destroy(more);
    assert_int_equal(memory_free(), MIB);
}

DEVICE_CASES(emu_open_shared)
