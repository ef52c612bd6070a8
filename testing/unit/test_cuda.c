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

    assert_ok(xh_settings_load());
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
TEST(why_there_is_no_device_is_a_sentence)
{
    const hyb_backend_t *backend = cuda();
    const char *reason = NULL, *again = NULL;

    if (backend->count(&reason) > 0)
        skip();
    assert_non_null(reason);
    assert_true(islower((unsigned char)reason[0]));
    assert_true(words_of(reason) >= 4);
    assert_null(strpbrk(reason, "\n\t%"));
    assert_int_equal(backend->count(&again), 0);
    assert_string_equal(again, reason);
}

TEST(devices_that_are_there_need_no_reason)
{
    const hyb_backend_t *backend = cuda();
    const char *reason = "not set";

    if (backend->count(&reason) == 0)
        skip();
    assert_null(reason);
    assert_false(backend->emulated);
}

/* "0000:3b:00.0", as the system names the devices of its buses */
TEST_WITH(its_address_is_one_of_a_bus, open_device, device_cases_close)
{
    const device_fixture_t *f = device_cases_fixture(state);
    unsigned domain, bus, slot, function;
    hyb_device_info_t info;
    char again[sizeof(info.pci_address) + 16];

    assert_ok(hyb_device_describe(f->device, &info));
    assert_int_equal(sscanf(info.pci_address, "%x:%x:%x.%x", &domain, &bus,
                            &slot, &function),
                     4);
    snprintf(again, sizeof(again), "%04x:%02x:%02x.%x", domain, bus, slot,
             function);
    assert_string_equal(info.pci_address, again);
}

DEVICE_CASES(open_device)

TEST_MAIN()
