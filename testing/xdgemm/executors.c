/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/executors.h"

#include <math.h>

xh_status_t xdg_executors_find(const hyb_machine_t *node,
                               xdg_executors_t *executors_p)
{
    int devices = hyb_machine_devices(node);

    executors_p->count = 1 + devices;
    snprintf(executors_p->name[0], XDG_NAME, "host");
    for (int i = 0; i < devices; i++) {
        hyb_device_info_t info;
        xh_status_t status =
            hyb_device_describe(hyb_machine_device(node, i), &info);

        if (status != XH_OK)
            return status;
        snprintf(executors_p->name[i + 1], XDG_NAME, "%s:%d", info.backend,
                 info.index % 1000);
        executors_p->device[i] = info;
    }
    return XH_OK;
}

xdg_who_t xdg_executors_all(const hyb_machine_t *node)
{
    xdg_who_t all = {.team = true};

    for (int i = 0; i < hyb_machine_devices(node); i++)
        all.devices |= UINT64_C(1) << i;
    return all;
}

xdg_who_t xdg_executors_only(int index)
{
    if (index == 0)
        return (xdg_who_t){.team = true};
    return (xdg_who_t){.devices = UINT64_C(1) << (index - 1)};
}

bool xdg_executors_lost(const hyb_machine_t *node, int index)
{
    return index > 0 && hyb_device_failed(hyb_machine_device(node, index - 1));
}

bool xdg_executors_model(const xdg_executors_t *executors)
{
    for (int i = 0; i + 1 < executors->count; i++)
        if (executors->device[i].models_time)
            return true;
    return false;
}

const hyb_work_t *xdg_executors_work(const hyb_report_t *report, int index)
{
    return index == 0 ? &report->team : &report->device[index - 1];
}

double xdg_executors_flop(const hyb_report_t *report)
{
    double flop = 0.0;

    for (int i = 0; i < HYB_EXECUTORS; i++)
        flop += xdg_executors_work(report, i)->flop;
    return flop;
}

double xdg_executors_idle(const hyb_report_t *report, int index)
{
    const hyb_work_t *work = xdg_executors_work(report, index);
    double span = index == 0 ? report->seconds : work->span_seconds;

    if (!(work->compute_seconds > 0.0) || !(span > 0.0))
        return NAN;
    return fmax(0.0, 1.0 - work->compute_seconds / span);
}
