/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

enum { MOST = 16, ANY = -1 };

static const char *const op_names[MODEL_OPS] = {
    "malloc", "register", "stream",   "event", "handle", "select", "record",
    "wait",   "copy_in",  "copy_out", "gemm",  "copy",   "trsm",   "gemv"};

static const char *const fault_names[MODEL_FAULTS] = {"", "fail", "refuse",
                                                      "oom", "stall"};

static struct {
    int device;
    model_fault_t kind;
    model_op_t op;
    long nth;
} planned[MOST];
static int count;

static int find(const char *name, const char *const *names, int names_count)
{
    int i;

    for (i = 0; i < names_count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    model_die("no fault has a \"%s\"", name);
}

static void read_one(const char *text)
{
    char kind[16], op[16];
    int device = ANY;
    long nth;

    if (sscanf(text, "%d:%15[a-z]@%15[a-z_]:%ld", &device, kind, op, &nth) !=
            4 &&
        sscanf(text, "%15[a-z]@%15[a-z_]:%ld", kind, op, &nth) != 3)
        model_die("\"%s\" is no fault", text);
    if (count == MOST)
        model_die("there are too many faults");
    planned[count].device = device;
    planned[count].kind = (model_fault_t)find(kind, fault_names, MODEL_FAULTS);
    planned[count].op = (model_op_t)find(op, op_names, MODEL_OPS);
    planned[count++].nth = nth;
}

void model_faults_read(const char *text)
{
    count = 0;
    while (*text != '\0') {
        read_one(text);
        text += strcspn(text, ",");
        text += *text == ',';
    }
}

void model_faults_read_environment(void)
{
    const char *text = getenv("CUDA_MODEL_FAULT");

    model_faults_read(text != NULL ? text : "");
}

model_fault_t model_fault(int device, model_op_t op)
{
    long nth = ++model.device[device].calls[op];
    int i;

    for (i = 0; i < count; i++)
        if (planned[i].op == op && planned[i].nth == nth &&
            (planned[i].device == ANY || planned[i].device == device))
            return planned[i].kind;
    return MODEL_NO_FAULT;
}

cudaError_t model_refusal(model_fault_t fault)
{
    if (fault == MODEL_OOM)
        return cudaErrorMemoryAllocation;
    return fault == MODEL_REFUSE ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t model_admit(int device, model_op_t op)
{
    cudaError_t error = model_check(device);

    return error == cudaSuccess ? model_refusal(model_fault(device, op))
                                : error;
}
