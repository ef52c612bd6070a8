/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/opencl/opencl.h"

#include <stdlib.h>
#include "base/clock.h"

#define NAP 100e-6 /* seconds between polls */

const hyb_host_t *hyb_opencl_host;

bool hyb_opencl_is_cpu(cl_device_id id)
{
    cl_device_type type = CL_DEVICE_TYPE_GPU;

    hyb_cl.GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    return (type & CL_DEVICE_TYPE_CPU) != 0;
}

/* ---- queued work -------------------------------------------------------- */

cl_int hyb_opencl_mark(const hyb_opencl_queue_t *queue, cl_event *marker_p)
{
    cl_int error =
        hyb_cl.EnqueueMarkerWithWaitList(queue->commands, 0, NULL, marker_p);

    return error == CL_SUCCESS ? hyb_cl.Flush(queue->commands) : error;
}

cl_int hyb_opencl_state_of(cl_event marker)
{
    cl_int state = CL_QUEUED;
    cl_int error = hyb_cl.GetEventInfo(
        marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL);

    return error == CL_SUCCESS ? state : error;
}

bool hyb_opencl_has_work(const hyb_opencl_device_t *device, cl_event marker)
{
    return !atomic_load(&device->given_up) &&
           hyb_opencl_state_of(marker) > CL_COMPLETE;
}

/* Work that does not end in time counts as never ending. */
static void give_up(hyb_opencl_device_t *device)
{
    atomic_store(&device->given_up, true);
    hyb_opencl_host->log(XH_LOG_WARNING, "opencl", device->index,
                         "queued work does not end, and is given up");
}

/* Poll, because nothing can interrupt clFinish. */
void hyb_opencl_drain(hyb_opencl_device_t *device)
{
    double end = xh_clock_wall() +
                 strtod(hyb_opencl_host->setting("stall_seconds"), NULL);
    const hyb_opencl_queue_t *queue;
    cl_event marker;

    if (atomic_load(&device->given_up))
        return;
    pthread_mutex_lock(&device->lock);
    for (queue = device->queues; queue != NULL; queue = queue->next) {
        if (hyb_opencl_mark(queue, &marker) != CL_SUCCESS)
            continue;
        while (hyb_opencl_has_work(device, marker))
            if (xh_clock_wall() > end)
                give_up(device);
            else
                xh_clock_sleep(NAP);
        hyb_cl.ReleaseEvent(marker);
    }
    pthread_mutex_unlock(&device->lock);
}

xh_status_t hyb_opencl_status(hyb_opencl_device_t *device, const char *what,
                              cl_int error)
{
    if (error == CL_SUCCESS)
        return XH_OK;
    if (!atomic_exchange(&device->failed, true) &&
        !atomic_load(&device->given_up))
        hyb_opencl_host->log(XH_LOG_ERROR, "opencl", device->index,
                             "%s: error %d of OpenCL", what, (int)error);
    hyb_opencl_drain(device);
    return XH_ERR_DEVICE;
}
