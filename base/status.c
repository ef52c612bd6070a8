/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"

static const char *const texts[XH_STATUS_COUNT] = {
    [XH_OK] = "no error",
    [XH_ERR_ARG] = "argument out of range",
    [XH_ERR_INPUT] = "input not acceptable",
    [XH_ERR_MEMORY] = "not enough memory",
    [XH_ERR_IO] = "input or output failed",
    [XH_ERR_DEVICE] = "accelerator failed",
    [XH_ERR_INTERNAL] = "internal error",
};

const char *xh_status_text(xh_status_t s)
{
    unsigned int index = (unsigned int)s;

    return index < XH_STATUS_COUNT ? texts[index] : "unknown status";
}
