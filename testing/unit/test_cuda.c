/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include "base/settings.h"
#include "hybrid/device/backend.h"
#include "testing/unit/device_cases.h"

static int open_device(void **state)
{
    return device_cases_open("cuda", state);
}

/* The backend; where it was not built the case is skipped. */
static const hyb_backend_t *cuda(void)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend = NULL;
    xh_status_t status;

    assert_int_equal(xh_settings_load(), XH_OK);
    status = hyb_backend_find("cuda", &backend, why);
    if (status == XH_ERR_INPUT)
        skip();
    if (status != XH_OK)
        fail_msg("%s", why);
    return backend;
}

static int words_of(const char *text)
{
    int words = 1;

    for (; *text != '\0'; text++)
        words += *text == ' ';
    return words;
}

/* It follows "no devices of cuda: ". */
static void why_there_is_no_device_is_a_sentence(void **state)
{
    const hyb_backend_t *backend = cuda();
    const char *reason = NULL, *again = NULL;

    (void)state;
    if (backend->count(&reason) > 0)
        skip();
    assert_non_null(reason);
    assert_true(islower((unsigned char)reason[0]));
    assert_true(words_of(reason) >= 4);
    assert_null(strpbrk(reason, "\n\t%"));
    assert_int_equal(backend->count(&again), 0);
    assert_string_equal(again, reason);
}

static void devices_that_are_there_need_no_reason(void **state)
{
    const hyb_backend_t *backend = cuda();
    const char *reason = "not set";

    (void)state;
    if (backend->count(&reason) == 0)
        skip();
    assert_null(reason);
    assert_false(backend->emulated);
}

/* "0000:3b:00.0", as the system names the devices of its buses */
static void its_address_is_one_of_a_bus(void **state)
{
    const device_fixture_t *f = device_cases_fixture(state);
    unsigned domain, bus, slot, function;
    hyb_device_info_t info;
    char again[sizeof(info.pci_address) + 16];

    assert_int_equal(hyb_device_describe(f->device, &info), XH_OK);
    assert_int_equal(sscanf(info.pci_address, "%x:%x:%x.%x", &domain, &bus,
                            &slot, &function),
                     4);
    snprintf(again, sizeof(again), "%04x:%02x:%02x.%x", domain, bus, slot,
             function);
    assert_string_equal(info.pci_address, again);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(why_there_is_no_device_is_a_sentence),
    cmocka_unit_test(devices_that_are_there_need_no_reason),
    cmocka_unit_test_setup_teardown(its_address_is_one_of_a_bus, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(it_describes_itself, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(
        its_sensors_tell_what_is_possible_or_nothing, open_device,
        device_cases_close),
    cmocka_unit_test_setup_teardown(more_memory_than_there_is_keeps_the_device,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(an_event_never_recorded_has_passed,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(a_wait_ends_with_its_time_or_with_the_work,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(a_wait_orders_the_work_of_two_queues,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(time_runs_from_event_to_event, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(queues_come_and_go, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(several_threads_use_one_device, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(closing_finishes_what_is_queued,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(a_device_given_up_closes, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(whole_matrices_come_back, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(
        copies_keep_every_element_and_touch_no_other, open_device,
        device_cases_close),
    cmocka_unit_test_setup_teardown(traffic_is_the_bytes_of_copies, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(products_are_those_of_three_loops,
                                    open_device, device_cases_close),
    cmocka_unit_test_setup_teardown(a_product_over_nothing_scales, open_device,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(with_beta_zero_c_is_not_read, open_device,
                                    device_cases_close),
};
UNIT_MAIN(cases)
