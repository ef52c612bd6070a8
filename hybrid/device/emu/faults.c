/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/emu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[HYB_EMU_FAULTS] = {
    [HYB_EMU_NO_FAULT] = "none", [HYB_EMU_FAIL] = "fail", [HYB_EMU_OOM] = "oom",
    [HYB_EMU_STALL] = "stall",   [HYB_EMU_FLIP] = "flip",
};

static const char *name_of(int call)
{
    static const char *const others[] = {"event_record", "queue_wait",
                                         "alloc",        "pin",
                                         "queue_create", "event_create"};

    return call < HYB_OPS ? hyb_op_name((hyb_op_t)call)
                          : others[call - HYB_OPS];
}

static bool is_queued(int call)
{
    return call <= HYB_EMU_QUEUE_WAIT;
}

static bool can_have(int call, hyb_emu_fault_t kind)
{
    if (kind == HYB_EMU_STALL)
        return is_queued(call);
    if (kind == HYB_EMU_FLIP)
        return call < HYB_OPS;
    return kind == HYB_EMU_FAIL || call < HYB_OPS || !is_queued(call);
}

/* Step over `word` and the `mark` after it, if the text continues with them. */
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

/* Read one [device:]kind@call:nth; store it if it is for this device. */
static bool read_fault(const char **text, hyb_emu_device_t *device)
{
    hyb_emu_faults_t *faults = &device->faults;
    int kind = HYB_EMU_FAIL, call = 0;
    long index = device->index, nth;

    if (read_number(text, &index) && !skip(text, "", ':'))
        return false;
    while (kind < HYB_EMU_FAULTS && !skip(text, kinds[kind], '@'))
        kind++;
    if (kind == HYB_EMU_FAULTS)
        return false;
    while (call < HYB_EMU_CALLS && !skip(text, name_of(call), ':'))
        call++;
    if (call == HYB_EMU_CALLS || !can_have(call, (hyb_emu_fault_t)kind) ||
        !read_number(text, &nth) || nth < 1)
        return false;
    if (index != device->index)
        return true;
    if (faults->count == sizeof(faults->planned) / sizeof(faults->planned[0]))
        return false;
    faults->planned[faults->count].kind = (hyb_emu_fault_t)kind;
    faults->planned[faults->count].call = call;
    faults->planned[faults->count++].nth = nth;
    return true;
}

xh_status_t hyb_emu_read_faults(const char *text, hyb_emu_device_t *device)
{
    while (*text != '\0') {
        if (!read_fault(&text, device))
            return XH_ERR_INPUT;
        if (*text == ',' && text[1] != '\0')
            text++;
        else if (*text != '\0')
            return XH_ERR_INPUT;
    }
    return XH_OK;
}

static hyb_emu_fault_t next_fault(hyb_emu_faults_t *faults, int call)
{
    faults->calls[call]++;
    for (int i = 0; i < faults->count; i++)
        if (faults->planned[i].call == call &&
            faults->planned[i].nth == faults->calls[call])
            return faults->planned[i].kind;
    return HYB_EMU_NO_FAULT;
}

xh_status_t hyb_emu_inject_fault(hyb_emu_device_t *device, int call,
                                 hyb_emu_fault_t *fault_p)
{
    if (device->failed)
        return hyb_emu_fail(device);
    *fault_p = next_fault(&device->faults, call);
    if (*fault_p != HYB_EMU_NO_FAULT)
        hyb_emu_host->log(XH_LOG_WARNING, "emu", device->index,
                          "fault on demand: %s@%s:%ld", kinds[*fault_p],
                          name_of(call), device->faults.calls[call]);
    if (*fault_p == HYB_EMU_OOM)
        return XH_ERR_MEMORY;
    return *fault_p == HYB_EMU_FAIL && !is_queued(call) ? hyb_emu_fail(device)
                                                        : XH_OK;
}
