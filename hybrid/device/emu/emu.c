/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/emu.h"

const hyb_host_t *hyb_emu_host;

void hyb_emu_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void hyb_emu_declare_failed(hyb_emu_device_t *device)
{
    hyb_emu_queue_t *queue;

    device->failed = true;
    for (queue = device->queues; queue != NULL; queue = queue->next)
        pthread_cond_broadcast(&queue->wake);
    pthread_cond_broadcast(&device->changed);
}

xh_status_t hyb_emu_fail(hyb_emu_device_t *device)
{
    hyb_emu_declare_failed(device);
    for (int r = 0; r < HYB_EMU_RESOURCES; r++)
        while (device->resources[r].busy)
            pthread_cond_wait(&device->changed, &device->lock);
    return XH_ERR_DEVICE;
}
