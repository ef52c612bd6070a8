/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/cuda_model/model.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

model_t model = {.lock = PTHREAD_MUTEX_INITIALIZER};
__thread int model_current;

void model_die(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fputs("CUDA model: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    abort();
}

void *model_object(size_t bytes)
{
    static struct object {
        struct object *next;
        _Alignas(max_align_t) char content[];
    } * all;
    struct object *made = calloc(1, sizeof(*made) + bytes);

    if (made == NULL)
        model_die("no memory");
    made->next = all;
    all = made;
    return made->content;
}

int model_enter(void)
{
    pthread_mutex_lock(&model.lock);
    model.counts.calls++;
    return 0;
}

void model_leave(const int *held)
{
    (void)held;
    pthread_mutex_unlock(&model.lock);
}

/* ---- how much there is --------------------------------------------------- */

/* Bytes taken of each device of the machine, by all processes. */
static _Atomic size_t taken_here[MODEL_DEVICES], *taken = taken_here;

void model_memory_share(const char *path)
{
    const size_t bytes = sizeof(taken_here);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    void *shared = MAP_FAILED;

    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED)
        model_die("%s cannot be shared", path);
    close(file);
    taken = shared;
}

size_t model_memory_left(int device)
{
    return model.memory - atomic_load(&taken[model.device[device].place]);
}

bool model_memory_take(int device, size_t bytes)
{
    _Atomic size_t *all = &taken[model.device[device].place];
    size_t before = atomic_load(all);

    do
        if (bytes > model.memory - before)
            return false;
    while (!atomic_compare_exchange_weak(all, &before, before + bytes));
    model.device[device].used += bytes;
    return true;
}

void model_memory_give(int device, size_t bytes)
{
    model.device[device].used -= bytes;
    atomic_fetch_sub(&taken[model.device[device].place], bytes);
}

/* As the driver does when a process ends. */
__attribute__((destructor)) void model_memory_give_all(void)
{
    for (int i = 0; i < MODEL_DEVICES; i++)
        model_memory_give(i, model.device[i].used);
}

/* ---- faults -------------------------------------------------------------- */

static const char *const op_names[MODEL_OPS] = {
    "malloc",      "register",     "stream",    "handle",   "load",
    "record",      "wait",         "copy_in",   "copy_out", "gemm",
    "copy",        "fill",         "trsm",      "gemv",     "swap_rows",
    "gather_rows", "scatter_rows", "generate",  "checksum", "panel_column",
    "panel_pivot", "panel_swap",   "panel_step"};

static const char *const fault_names[MODEL_FAULTS] = {"", "fail", "refuse",
                                                      "oom", "stall"};

static int find(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    model_die("no fault has a \"%s\"", name);
}

/* The fault of text, which is for the nth call of op, if it is this one. */
static model_fault_t read_fault(const char *text, int device, model_op_t op)
{
    char kind[16], name[16];
    int index = device;
    long nth;

    if (sscanf(text, "%d:%15[a-z]@%15[a-z_]:%ld", &index, kind, name, &nth) !=
            4 &&
        sscanf(text, "%15[a-z]@%15[a-z_]:%ld", kind, name, &nth) != 3)
        model_die("\"%s\" is no fault", text);
    return index == device && nth == model.device[device].calls[op] &&
                   find(name, op_names, MODEL_OPS) == (int)op
               ? (model_fault_t)find(kind, fault_names, MODEL_FAULTS)
               : MODEL_NO_FAULT;
}

model_fault_t model_fault(int device, model_op_t op)
{
    model_fault_t fault = MODEL_NO_FAULT;

    model.device[device].calls[op]++;
    for (const char *text = model.faults;
         *text != '\0' && fault == MODEL_NO_FAULT; text += *text == ',') {
        fault = read_fault(text, device, op);
        text += strcspn(text, ",");
    }
    return fault;
}

cudaError_t model_refusal(model_fault_t fault)
{
    if (fault == MODEL_OOM)
        return cudaErrorMemoryAllocation;
    return fault == MODEL_REFUSE ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t model_admit(int device, model_op_t op)
{
    MODEL_TRY(model_check(device));
    return model_refusal(model_fault(device, op));
}

/* ---- contexts, errors ---------------------------------------------------- */

cudaError_t model_context(int device, unsigned flags)
{
    if (device < 0 || device >= model.count)
        return cudaErrorInvalidDevice;
    if (!model.device[device].context) {
        if (!model_memory_take(device, model.context))
            return cudaErrorMemoryAllocation;
        model.device[device].context = true;
        model.counts.contexts++;
        model.counts.flags = flags;
    }
    return cudaSuccess;
}

cudaError_t model_check(int device)
{
    MODEL_TRY(model_context(model_current, cudaDeviceScheduleAuto));
    if (device != model_current)
        return cudaErrorInvalidResourceHandle;
    return model.device[device].broken;
}

/* All errors are returned where they occur. */
