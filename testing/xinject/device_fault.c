/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xinject/fault.h"

#include "hybrid/device/device_private.h"

/* Emulated devices, whose memory is the host's: a call of work that a fault
 * happens in waits until the work has run, and changes what it made. */

static const hyb_backend_t *real;
static hyb_backend_t wrapped;
static void *state_of[HYB_EXECUTORS]; /* by device */
static int operation = -1;            /* after which it was wrong */

static hyb_device_view_t result(const hyb_task_t *t)
{
    switch (t->op) {
    case HYB_OP_COPY:
        return t->copy.to;
    case HYB_OP_GEMM:
        return t->gemm.c;
    case HYB_OP_SWAP_ROWS:
        return t->swap_rows.columns;
    case HYB_OP_GATHER_ROWS:
        return t->pack.packed;
    case HYB_OP_SCATTER_ROWS:
        return t->pack.columns;
    case HYB_OP_TRSM:
        return t->trsm.u;
    case HYB_OP_GEMV:
        return t->gemv.y;
    case HYB_OP_GENERATE:
        return t->generate.block;
    case HYB_OP_CHECKSUM:
        return t->checksum.sums;
    case HYB_OP_PANEL_STEP:
        return t->panel_step.panel;
    case HYB_OP_PANEL_COLUMN:
        return t->panel_column.panel;
    default:
        return t->link.block;
    }
}

/* A column of what it made, or some memory. */
static void spoil(const hyb_task_t *t, fault_place_t where)
{
    hyb_device_view_t b = result(t);
    double *memory = b.buffer->memory;
    int64_t all = (int64_t)(b.buffer->bytes / sizeof(double));
    int64_t at =
        (int64_t)(((uint64_t)b.offset * 40503 + 12345) % (uint64_t)all);

    if (where == FAULT_DEVICE_MEMORY)
        fault_spoil(memory + at, all - at < 64 ? all - at : 64);
    else if (t->op == HYB_OP_COPY_OUT)
        fault_spoil(t->link.host.data + t->link.host.cols / 2 * t->link.host.ld,
                    t->link.host.rows);
    else
        fault_spoil(memory + b.offset + b.cols / 2 * b.ld, b.rows);
}

static void wait_for(void *state, void *queue)
{
    void *event;
    bool done = false;

    if (real->event_create(state, &event) != XH_OK)
        return;
    if (real->event_record(state, queue, event) == XH_OK)
        while (real->event_wait(state, event, 1.0, &done) == XH_OK && !done)
            ;
    real->event_destroy(state, event);
}

static xh_status_t work(void *state, void *queue, const hyb_task_t *task)
{
    fault_place_t where = FAULT_NOWHERE;
    xh_status_t status;

    for (int i = 0; i < HYB_EXECUTORS; i++)
        if (state_of[i] == state)
            where = fault_of_device(i);
    status = real->work(state, queue, task);
    if (where == FAULT_NOWHERE || status != XH_OK)
        return status;
    wait_for(state, queue);
    operation = (int)task->op;
    spoil(task, where);
    return XH_OK;
}

int fault_operation(void)
{
    return fault_happened() ? operation : -1;
}

void fault_devices(hyb_machine_t *machine)
{
    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        hyb_device_t *device = hyb_machine_device(machine, i);

        if (device->backend == &wrapped)
            continue;
        real = device->backend;
        wrapped = *real;
        wrapped.work = work;
        device->backend = &wrapped;
        state_of[i] = device->state;
    }
}
