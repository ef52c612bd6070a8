/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_FAULT_H
#define HYB_EMU_FAULT_H

#include "base/status.h"

/*
 * Faults on demand, from the setting emu_fault: "", or a comma-separated list
 * of [device:]kind@op:nth. The nth call of op, counted from 1 on each device
 * (or on that one only), then
 *
 *     fail   fails: a queued operation when it runs, else the call
 *     oom    returns XH_ERR_MEMORY and has done nothing; not event_record and
 *            queue_wait
 *     stall  never completes until the device is closed; queued ones only
 *     flip   computes a result of which one element has bit 62 flipped; from
 *            copy_in on
 */
typedef enum {
    HYB_EMU_ALLOC,
    HYB_EMU_PIN,
    HYB_EMU_QUEUE_CREATE,
    HYB_EMU_EVENT_CREATE,
    HYB_EMU_EVENT_RECORD, /* this and what follows is queued */
    HYB_EMU_QUEUE_WAIT,
    HYB_EMU_COPY_IN,
    HYB_EMU_COPY_OUT,
    HYB_EMU_GEMM,
    HYB_EMU_COPY,
    HYB_EMU_SWAP_ROWS,
    HYB_EMU_GATHER_ROWS,
    HYB_EMU_SCATTER_ROWS,
    HYB_EMU_TRSM,
    HYB_EMU_GEMV,
    HYB_EMU_GENERATE,
    HYB_EMU_OPS
} hyb_emu_op_t;

typedef enum {
    HYB_EMU_NO_FAULT,
    HYB_EMU_FAIL,
    HYB_EMU_OOM,
    HYB_EMU_STALL,
    HYB_EMU_FLIP,
    HYB_EMU_FAULTS
} hyb_emu_fault_t;

enum { HYB_EMU_MOST_FAULTS = 16 };

typedef struct {
    struct {
        hyb_emu_fault_t kind;
        hyb_emu_op_t op;
        long nth;
    } planned[HYB_EMU_MOST_FAULTS];
    int count;
    long calls[HYB_EMU_OPS];
} hyb_emu_faults_t;

/*
 * The faults that text holds for the device called index.
 * Errors: XH_ERR_INPUT  text is no such list
 */
xh_status_t hyb_emu_faults_read(const char *text, int index,
                                hyb_emu_faults_t *faults_p);

/* Count a call of op; the fault that it is to have. */
hyb_emu_fault_t hyb_emu_faults_next(hyb_emu_faults_t *faults, hyb_emu_op_t op);

/* "gemm", "fail" */
const char *hyb_emu_op_name(hyb_emu_op_t op);
const char *hyb_emu_fault_name(hyb_emu_fault_t kind);

#endif
