/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/solvers.h"

#ifdef XH_HYBRID

#include "hybrid/driver/driver.h"

xh_status_t xhpl_solver_open(bool funneled)
{
    return hyb_driver_open(funneled);
}

void xhpl_solver_close(void)
{
    hyb_driver_close();
}

#else

#include <string.h>
#include "base/log.h"
#include "base/settings.h"

xh_status_t xhpl_solver_open(bool funneled)
{
    (void)funneled;
    if (!xh_settings_changed("solver") ||
        strcmp(xh_settings_text("solver"), "reference") == 0)
        return XH_OK;
    xh_log_error("solver=%s: this program was built with HYBRID=no",
                 xh_settings_text("solver"));
    return XH_ERR_INPUT;
}

void xhpl_solver_close(void)
{
}

#endif
