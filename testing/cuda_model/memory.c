/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "testing/cuda_model/model.h"

enum { ALIGNMENT = 512, PAGE = 4096 };

typedef struct registration {
    uintptr_t begin, end; /* as given */
    unsigned flags;
    int device;
    struct registration *next;
} registration_t;

static registration_t *registrations;

/* ---- device memory: addresses at which the host finds nothing ------------ */

static char *map(size_t bytes, int access)
{
    char *memory = mmap(NULL, bytes, access,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        model_die("no memory for devices");
    return memory;
}

static void forget_registrations(void)
{
    registration_t *r;

    while ((r = registrations) != NULL) {
        registrations = r->next;
        free(r);
    }
}

void model_memory_begin(void)
{
    int i;

    forget_registrations();
    for (i = 0; i < model.count; i++) {
        model_device_t *d = &model.device[i];
        model_block_t *block;

        while ((block = d->blocks) != NULL) {
            d->blocks = block->next;
            free(block);
        }
        d->used = 0;
        if (d->shown != NULL)
            continue;
        d->shown = map(model.memory, PROT_NONE);
        d->store = map(model.memory, PROT_READ | PROT_WRITE);
    }
}

size_t model_memory_free(int device)
{
    return model.memory - model.device[device].used;
}

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The link behind which there is room for bytes; NULL if there is nowhere. */
static model_block_t **find_room(model_device_t *d, size_t bytes, size_t *at_p)
{
    model_block_t **link = &d->blocks;

    *at_p = 0;
    while (*link != NULL && (*link)->at - *at_p < bytes) {
        *at_p = (*link)->at + rounded((*link)->bytes);
        link = &(*link)->next;
    }
    return *link != NULL || model.memory - *at_p >= bytes ? link : NULL;
}

static cudaError_t allocate(model_device_t *d, int device, size_t bytes,
                            void **memory_p)
{
    model_block_t **link, *block;
    size_t at;

    if (bytes > model_memory_free(device) ||
        rounded(bytes) > model_memory_free(device))
        return cudaErrorMemoryAllocation;
    link = find_room(d, rounded(bytes), &at);
    if (link == NULL)
        return cudaErrorMemoryAllocation;
    block = malloc(sizeof(*block));
    if (block == NULL)
        return cudaErrorMemoryAllocation;
    *block = (model_block_t){at, bytes, *link};
    *link = block;
    d->used += rounded(bytes);
    /* what is there before anything was written is not zero */
    memset(d->store + at, 0xff, bytes < PAGE ? bytes : PAGE);
    *memory_p = d->shown + at;
    model.counts.memory++;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory_p, size_t bytes)
{
    int device = model_current();
    cudaError_t error;

    model_enter();
    error = model_admit(device, MODEL_MALLOC);
    if (error == cudaSuccess && bytes == 0)
        *memory_p = NULL;
    else if (error == cudaSuccess)
        error = allocate(&model.device[device], device, bytes, memory_p);
    return model_leave(error);
}

static cudaError_t release(model_device_t *d, const void *memory)
{
    model_block_t **link = &d->blocks, *block;
    size_t at = (size_t)((const char *)memory - d->shown);

    while (*link != NULL && (*link)->at != at)
        link = &(*link)->next;
    block = *link;
    if (block == NULL)
        return cudaErrorInvalidValue;
    *link = block->next;
    d->used -= rounded(block->bytes);
    free(block);
    model.counts.memory--;
    return cudaSuccess;
}

/* It waits for the device. */
cudaError_t cudaFree(void *memory)
{
    int device = model_current();
    cudaError_t error;

    model_enter();
    error = model_check(device);
    if (error == cudaSuccess && memory != NULL) {
        error = model_await_idle(device, __func__);
        if (error == cudaSuccess && model_device_of(memory, 1) != device)
            error = cudaErrorInvalidValue;
        if (error == cudaSuccess)
            error = release(&model.device[device], memory);
    }
    return model_leave(error);
}

static bool is_allocated(const model_device_t *d, size_t at, size_t bytes)
{
    const model_block_t *block = d->blocks;

    while (block != NULL && block->at + block->bytes <= at)
        block = block->next;
    return block != NULL && at >= block->at &&
           bytes <= block->at + block->bytes - at;
}

int model_device_of(const void *address, size_t bytes)
{
    int i;

    for (i = 0; i < model.count; i++) {
        const model_device_t *d = &model.device[i];
        uintptr_t at = (uintptr_t)address - (uintptr_t)d->shown;

        if (at < model.memory)
            return is_allocated(d, at, bytes) ? i : MODEL_NOWHERE;
    }
    return MODEL_HOST;
}

void *model_content(const void *address)
{
    const model_device_t *d = &model.device[model_device_of(address, 1)];

    return d->store + ((const char *)address - d->shown);
}

/* ---- host memory --------------------------------------------------------- */

static bool pages_meet(const registration_t *r, uintptr_t begin, uintptr_t end)
{
    return begin / PAGE <= (r->end - 1) / PAGE &&
           r->begin / PAGE <= (end - 1) / PAGE;
}

/* The first registration that shares pages with these bytes; NULL: none. */
static const registration_t *find_registration(uintptr_t begin, uintptr_t end)
{
    const registration_t *r = registrations;

    while (r != NULL && !pages_meet(r, begin, end))
        r = r->next;
    return r;
}

model_pinned_t model_pinned(const void *address, size_t bytes, int device)
{
    uintptr_t begin = (uintptr_t)address, end = begin + bytes;
    const registration_t *r = find_registration(begin, end);

    if (r == NULL ||
        ((r->flags & cudaHostRegisterPortable) == 0 && r->device != device))
        return MODEL_PAGEABLE;
    return begin >= r->begin / PAGE * PAGE &&
                   end <= (r->end + PAGE - 1) / PAGE * PAGE
               ? MODEL_PINNED
               : MODEL_PARTLY;
}

static cudaError_t add_registration(uintptr_t begin, uintptr_t end,
                                    unsigned flags, int device)
{
    registration_t *r;

    if (begin == 0 || end <= begin ||
        model_device_of((void *)begin, 1) != MODEL_HOST)
        return cudaErrorInvalidValue;
    if (find_registration(begin, end) != NULL)
        return cudaErrorHostMemoryAlreadyRegistered;
    r = malloc(sizeof(*r));
    if (r == NULL)
        return cudaErrorMemoryAllocation;
    *r = (registration_t){begin, end, flags, device, registrations};
    registrations = r;
    model.counts.pinned++;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    int device = model_current();
    uintptr_t begin = (uintptr_t)memory;
    cudaError_t error;

    model_enter();
    error = model_admit(device, MODEL_REGISTER);
    if (error == cudaSuccess)
        error = add_registration(begin, begin + bytes, flags, device);
    return model_leave(error);
}

static cudaError_t remove_registration(uintptr_t begin)
{
    registration_t **link = &registrations, *r;

    while (*link != NULL && (*link)->begin != begin)
        link = &(*link)->next;
    r = *link;
    if (r == NULL)
        return cudaErrorHostMemoryNotRegistered;
    *link = r->next;
    free(r);
    model.counts.pinned--;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    cudaError_t error;

    model_enter();
    error = model_check(model_current());
    if (error == cudaSuccess)
        error = remove_registration((uintptr_t)memory);
    return model_leave(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *kind_p,
                                     const void *address)
{
    uintptr_t begin = (uintptr_t)address;
    const registration_t *r;
    cudaError_t error;
    int device;

    model_enter();
    error = model_check(model_current());
    if (error != cudaSuccess)
        return model_leave(error);
    memset(kind_p, 0, sizeof(*kind_p));
    device = model_device_of(address, 1);
    r = device < 0 ? find_registration(begin, begin + 1) : NULL;
    kind_p->type = device >= 0 ? cudaMemoryTypeDevice
                   : r != NULL ? cudaMemoryTypeHost
                               : cudaMemoryTypeUnregistered;
    kind_p->device = device >= 0 ? device : r != NULL ? r->device : -1;
    return model_leave(cudaSuccess);
}
