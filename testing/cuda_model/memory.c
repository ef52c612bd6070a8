/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/mman.h>
#include "testing/cuda_model/model.h"

enum { PAGE = 4096, PAGEABLE = -1, PINNED = -2, PARTLY = -3 };

/*
 * An allocation of a device, or pages of pinned host memory. At the addresses
 * of the first the host finds nothing; the content is as many pages behind.
 */
typedef struct range {
    uintptr_t begin, end;
    int place; /* a device, or PINNED */
    struct range *next;
} range_t;

static range_t *ranges;

static uintptr_t pages(uintptr_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* ---- ranges -------------------------------------------------------------- */

static range_t *overlapping(uintptr_t begin, uintptr_t end)
{
    range_t *r = ranges;

    while (r != NULL && (end <= r->begin || begin >= r->end))
        r = r->next;
    return r;
}

/*
 * Whose these bytes are: the device of which one allocation holds all of them,
 * else one of the above; PARTLY if not all of them are of one kind.
 */
static int place_of(const void *address, int64_t bytes)
{
    uintptr_t begin = (uintptr_t)address, end = begin + (uintptr_t)bytes;
    const range_t *r = overlapping(begin, end);

    if (r == NULL)
        return PAGEABLE;
    return begin >= r->begin && end <= r->end ? r->place : PARTLY;
}

/* Where the content of device memory is. */
static void *content(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    const range_t *r = overlapping(at, at + 1);

    return (char *)address + pages(r->end - r->begin);
}

void *model_operand(int device, const void *address, int64_t bytes,
                    const char *name)
{
    if (place_of(address, bytes) != device)
        model_die("%s uses %lld bytes that are not all device %d's", name,
                  (long long)bytes, device);
    return content(address);
}

static void add(uintptr_t begin, uintptr_t end, int place)
{
    range_t *r = malloc(sizeof(*r));

    if (r == NULL)
        model_die("no memory for a range");
    *r = (range_t){begin, end, place, ranges};
    ranges = r;
    *(place >= 0 ? &model.counts.memory : &model.counts.pinned) += 1;
}

/* Drop what begins there. */
static cudaError_t drop(uintptr_t begin, int place)
{
    range_t **link = &ranges, *r;

    while (*link != NULL &&
           ((*link)->begin != begin || (*link)->place != place))
        link = &(*link)->next;
    r = *link;
    if (r == NULL)
        return place >= 0 ? cudaErrorInvalidValue
                          : cudaErrorHostMemoryNotRegistered;
    if (place >= 0) {
        munmap((void *)begin, 2 * pages(r->end - begin));
        model_memory_take(place, (int64_t)(begin - r->end));
    }
    *(place >= 0 ? &model.counts.memory : &model.counts.pinned) -= 1;
    *link = r->next;
    free(r);
    return cudaSuccess;
}

void model_memory_begin(void)
{
    while (ranges != NULL)
        drop(ranges->begin, ranges->place);
}

/* ---- allocations --------------------------------------------------------- */

/* What a device's memory holds before anything was written is not zero. */
cudaError_t cudaMalloc(void **memory_p, size_t bytes)
{
    size_t half = pages(bytes);
    char *memory;
    LOCK();

    TRY(model_admit("malloc"));
    *memory_p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > INT64_MAX || !model_memory_take(model_current, (int64_t)bytes))
        return cudaErrorMemoryAllocation;
    memory = mmap(NULL, 2 * half, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED ||
        mprotect(memory + half, half, PROT_READ | PROT_WRITE) != 0)
        model_die("no memory for devices");
    memset(memory + half, 0xff, PAGE);
    add((uintptr_t)memory, (uintptr_t)memory + bytes, model_current);
    *memory_p = memory;
    return cudaSuccess;
}

/* Waits for the device. */
CALL(cudaFree, (void *memory), model_finish(model_current, NULL, __func__),
     if (memory != NULL) TRY(drop((uintptr_t)memory, model_current)))

/* Memory is pinned by whole pages, and here for all devices or for none. */
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    uintptr_t begin = (uintptr_t)memory / PAGE * PAGE;
    uintptr_t end = pages((uintptr_t)memory + bytes);
    LOCK();

    TRY(model_admit("register"));
    if (memory == NULL || bytes == 0 || flags != cudaHostRegisterPortable)
        return cudaErrorInvalidValue;
    if (overlapping(begin, end) != NULL)
        return cudaErrorHostMemoryAlreadyRegistered;
    add(begin, end, PINNED);
    return cudaSuccess;
}

CALL(cudaHostUnregister, (void *memory), model_check(model_current),
     TRY(drop((uintptr_t)memory / PAGE * PAGE, PINNED)))

CALL(cudaPointerGetAttributes,
     (struct cudaPointerAttributes * kind_p, const void *address),
     model_check(model_current),
     *kind_p = (struct cudaPointerAttributes){
         .type = place_of(address, 1) == PINNED ? cudaMemoryTypeHost
                                                : cudaMemoryTypeUnregistered})

/* As ROCm up to 7 does: memory is registered again, and given back once. */
cudaError_t hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaHostRegister(memory, bytes, flags);
    LOCK();

    if (error != cudaErrorHostMemoryAlreadyRegistered)
        return error;
    model.counts.pinned++;
    return cudaSuccess;
}

CALL(hipHostGetDevicePointer, (void **pointer_p, void *host, unsigned flags),
     flags == 0 && place_of(host, 1) == PINNED ? cudaSuccess
                                               : cudaErrorInvalidValue,
     *pointer_p = host)

/* ---- copies -------------------------------------------------------------- */

typedef struct { /* one of a copy's two sides */
    char *data;
    size_t pitch; /* bytes */
    int place;
} side_t;

/* Find where side is; false if that is not on the host or on one of devices,
 * a bit each. */
static bool find(side_t *side, size_t width, size_t height, unsigned devices)
{
    side->place =
        place_of(side->data, (int64_t)((height - 1) * side->pitch + width));
    if (side->place < 0)
        return devices == 0 && side->place != PARTLY;
    side->data = content(side->data);
    return (devices >> side->place & 1) != 0;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

/*
 * A copy of host memory that is not pinned goes by way of the driver's: that
 * waits. A copy from a device that is not reached would go by way of the host:
 * the model refuses it.
 */
cudaError_t cudaMemcpy2DAsync(void *to_data, size_t to_pitch,
                              const void *from_data, size_t from_pitch,
                              size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    static const char *const names[] = {[cudaMemcpyHostToDevice] = "copy_in",
                                        [cudaMemcpyDeviceToHost] = "copy_out",
                                        [cudaMemcpyDeviceToDevice] = "copy"};
    const unsigned here = 1u << model_current;
    side_t to = {to_data, to_pitch, 0};
    side_t from = {(char *)from_data, from_pitch, 0};
    LOCK();

    TRY(model_check(stream->device));
    if (kind < cudaMemcpyHostToDevice || kind > cudaMemcpyDeviceToDevice)
        return cudaErrorInvalidMemcpyDirection;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (to_pitch < width || from_pitch < width)
        return cudaErrorInvalidPitchValue;
    if (!find(&to, width, height, kind == cudaMemcpyDeviceToHost ? 0 : here) ||
        !find(&from, width, height,
              kind == cudaMemcpyHostToDevice
                  ? 0
                  : here | model.device[model_current].reaches))
        return cudaErrorInvalidValue;
    TRY(model_queue(stream, names[kind]));
    for (size_t i = 0; i < height && model_runs(stream); i++)
        memcpy(to.data + i * to_pitch, from.data + i * from_pitch, width);
    if (to.place != PAGEABLE && from.place != PAGEABLE)
        return cudaSuccess;
    model.counts.unpinned_copies++;
    return model_finish(model_current, stream, __func__);
}

CALL(cudaMemsetAsync,
     (void *memory, int value, size_t bytes, cudaStream_t stream),
     model_queue(stream, "fill"),
     if (model_runs(stream))
         memset(model_operand(model_current, memory, (int64_t)bytes, __func__),
                value, bytes))

/* Returns when host memory has been read; the copy itself may be under way. */
CALL(cudaMemcpy,
     (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     kind == cudaMemcpyHostToDevice ? model_check(model_current)
                                    : cudaErrorInvalidValue,
     memcpy(model_operand(model_current, to, (int64_t)bytes, __func__), from,
            bytes),
     model.device[model_current].copies_under_way = true)
