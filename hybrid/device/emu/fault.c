/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/fault.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BIT(kind) (1u << (kind))
#define AT_ONCE (BIT(HYB_EMU_FAIL) | BIT(HYB_EMU_OOM))
#define MARKS (BIT(HYB_EMU_FAIL) | BIT(HYB_EMU_STALL))
#define WORK (AT_ONCE | MARKS | BIT(HYB_EMU_FLIP))

static const struct {
    const char *name;
    unsigned int faults; /* that it can have */
} ops[HYB_EMU_OPS] = {
    [HYB_EMU_ALLOC] = {"alloc", AT_ONCE},
    [HYB_EMU_PIN] = {"pin", AT_ONCE},
    [HYB_EMU_QUEUE_CREATE] = {"queue_create", AT_ONCE},
    [HYB_EMU_EVENT_CREATE] = {"event_create", AT_ONCE},
    [HYB_EMU_EVENT_RECORD] = {"event_record", MARKS},
    [HYB_EMU_QUEUE_WAIT] = {"queue_wait", MARKS},
    [HYB_EMU_COPY_IN] = {"copy_in", WORK},
    [HYB_EMU_COPY_OUT] = {"copy_out", WORK},
    [HYB_EMU_GEMM] = {"gemm", WORK},
    [HYB_EMU_COPY] = {"copy", WORK},
    [HYB_EMU_SWAP_ROWS] = {"swap_rows", WORK},
    [HYB_EMU_GATHER_ROWS] = {"gather_rows", WORK},
    [HYB_EMU_SCATTER_ROWS] = {"scatter_rows", WORK},
    [HYB_EMU_TRSM] = {"trsm", WORK},
    [HYB_EMU_GEMV] = {"gemv", WORK},
    [HYB_EMU_GENERATE] = {"generate", WORK},
};

static const char *const kinds[HYB_EMU_FAULTS] = {
    [HYB_EMU_NO_FAULT] = "none", [HYB_EMU_FAIL] = "fail", [HYB_EMU_OOM] = "oom",
    [HYB_EMU_STALL] = "stall",   [HYB_EMU_FLIP] = "flip",
};

const char *hyb_emu_op_name(hyb_emu_op_t op)
{
    return ops[op].name;
}

const char *hyb_emu_fault_name(hyb_emu_fault_t kind)
{
    return kinds[kind];
}

/* Step over word and the mark behind it, if they are next. */
static bool skip(const char **text, const char *word, char mark)
{
    size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0 || (*text)[length] != mark)
        return false;
    *text += length + 1;
    return true;
}

static bool read_number(const char **text, long *number_p)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    *number_p = strtol(*text, &end, 10);
    *text = end;
    return true;
}

static bool read_kind(const char **text, hyb_emu_fault_t *kind_p)
{
    int kind;

    for (kind = HYB_EMU_FAIL; kind < HYB_EMU_FAULTS; kind++)
        if (skip(text, kinds[kind], '@')) {
            *kind_p = (hyb_emu_fault_t)kind;
            return true;
        }
    return false;
}

static bool read_op(const char **text, hyb_emu_op_t *op_p)
{
    int op;

    for (op = 0; op < HYB_EMU_OPS; op++)
        if (skip(text, ops[op].name, ':')) {
            *op_p = (hyb_emu_op_t)op;
            return true;
        }
    return false;
}

/* One [device:]kind@op:nth; kept if it is for the device called index. */
static bool read_fault(const char **text, int index, hyb_emu_faults_t *faults)
{
    long device = index, nth;
    hyb_emu_fault_t kind;
    hyb_emu_op_t op;

    if (read_number(text, &device) && !skip(text, "", ':'))
        return false;
    if (!read_kind(text, &kind) || !read_op(text, &op) ||
        !read_number(text, &nth) || nth < 1 || !(ops[op].faults & BIT(kind)))
        return false;
    if (device != index)
        return true;
    if (faults->count == HYB_EMU_MOST_FAULTS)
        return false;
    faults->planned[faults->count].kind = kind;
    faults->planned[faults->count].op = op;
    faults->planned[faults->count].nth = nth;
    faults->count++;
    return true;
}

xh_status_t hyb_emu_faults_read(const char *text, int index,
                                hyb_emu_faults_t *faults_p)
{
    hyb_emu_faults_t faults = {.count = 0};

    while (*text != '\0') {
        if (!read_fault(&text, index, &faults))
            return XH_ERR_INPUT;
        if (*text == ',' && text[1] != '\0')
            text++;
        else if (*text != '\0')
            return XH_ERR_INPUT;
    }
    *faults_p = faults;
    return XH_OK;
}

hyb_emu_fault_t hyb_emu_faults_next(hyb_emu_faults_t *faults, hyb_emu_op_t op)
{
    int i;

    faults->calls[op]++;
    for (i = 0; i < faults->count; i++)
        if (faults->planned[i].op == op &&
            faults->planned[i].nth == faults->calls[op])
            return faults->planned[i].kind;
    return HYB_EMU_NO_FAULT;
}
