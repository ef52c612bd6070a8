/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "testing/unit/device/device_cases.h"

static int open_device(void **state)
{
    return device_cases_open("cuda", state);
}

/* "0000:3b:00.0", as the system names the devices of its buses */
TEST_DEVICE(its_address_is_one_of_a_bus, open_device)
{
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
