/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "testing/cuda_model/model.h"

enum { PAGE = 4096 };

/*
 * An allocation of a device, or pages of pinned host memory. At the addresses
 * of the first the host finds nothing; the content is as many pages behind.
 */
typedef struct range {
    uintptr_t begin, end;
    int place; /* a device, or MODEL_PINNED */
    struct range *next;
} range_t;

static range_t *ranges;
static size_t pinned; /* bytes */

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

int model_place(const void *address, size_t bytes)
{
    uintptr_t begin = (uintptr_t)address, end = begin + bytes;
    const range_t *r = overlapping(begin, end);

    if (r == NULL)
        return MODEL_PAGEABLE;
    return begin >= r->begin && end <= r->end ? r->place : MODEL_PARTLY;
}

void *model_content(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    const range_t *r = overlapping(at, at + 1);

    return (char *)address + pages(r->end - r->begin);
}

static void add(uintptr_t begin, uintptr_t end, int place)
{
    range_t *r = malloc(sizeof(*r));

    if (r == NULL)
        model_die("no memory for a range");
    *r = (range_t){begin, end, place, ranges};
    ranges = r;
}

static void drop(range_t **link)
{
    range_t *r = *link;
    size_t bytes = r->end - r->begin;

    if (r->place >= 0) {
        munmap((void *)r->begin, 2 * pages(bytes));
        model_memory_give(r->place, bytes);
        model.counts.memory--;
    } else {
        model.counts.pinned--;
        pinned -= bytes;
    }
    *link = r->next;
    free(r);
}

/* Drop what begins there; false if there is none. */
static bool drop_at(uintptr_t begin, int place)
{
    range_t **link = &ranges;

    while (*link != NULL &&
           ((*link)->begin != begin || (*link)->place != place))
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    drop(link);
    return true;
}

void model_memory_begin(void)
{
    while (ranges != NULL)
        drop(&ranges);
    model_memory_give_all();
}

/* ---- allocations --------------------------------------------------------- */

cudaError_t cudaMalloc(void **memory_p, size_t bytes)
{
    size_t half = pages(bytes);
    char *memory;
    MODEL_CALL();

    MODEL_TRY(model_admit(model_current, MODEL_MALLOC));
    *memory_p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (!model_memory_take(model_current, bytes))
        return cudaErrorMemoryAllocation;
    memory = mmap(NULL, 2 * half, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED ||
        mprotect(memory + half, half, PROT_READ | PROT_WRITE) != 0)
        model_die("no memory for devices");
    /* what is there before anything was written is not zero */
    memset(memory + half, 0xff, PAGE);
    add((uintptr_t)memory, (uintptr_t)memory + bytes, model_current);
    model.counts.memory++;
    *memory_p = memory;
    return cudaSuccess;
}

/* It waits for the device. */
cudaError_t cudaFree(void *memory)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (memory == NULL)
        return cudaSuccess;
    MODEL_TRY(model_finish_device(model_current, __func__));
    return drop_at((uintptr_t)memory, model_current) ? cudaSuccess
                                                     : cudaErrorInvalidValue;
}

/* Memory is pinned by whole pages, and here for all devices or for none. */
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    uintptr_t begin = (uintptr_t)memory / PAGE * PAGE;
    uintptr_t end = pages((uintptr_t)memory + bytes);
    MODEL_CALL();

    MODEL_TRY(model_admit(model_current, MODEL_REGISTER));
    if (memory == NULL || bytes == 0 || flags != cudaHostRegisterPortable)
        return cudaErrorInvalidValue;
    if (overlapping(begin, end) != NULL)
        return cudaErrorHostMemoryAlreadyRegistered;
    if (end - begin > model.pinnable - pinned)
        return cudaErrorMemoryAllocation;
    add(begin, end, MODEL_PINNED);
    pinned += end - begin;
    model.counts.pinned++;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    return drop_at((uintptr_t)memory / PAGE * PAGE, MODEL_PINNED)
               ? cudaSuccess
               : cudaErrorHostMemoryNotRegistered;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *kind_p,
                                     const void *address)
{
    int place;
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    place = model_place(address, 1);
    *kind_p = (struct cudaPointerAttributes){
        .type = place >= 0              ? cudaMemoryTypeDevice
                : place == MODEL_PINNED ? cudaMemoryTypeHost
                                        : cudaMemoryTypeUnregistered};
    return cudaSuccess;
}

/* ---- copies -------------------------------------------------------------- */

typedef struct { /* one of a copy's two sides */
    char *data;
    size_t pitch; /* bytes */
    int place;
} side_t;

typedef struct {
    side_t to, from;
    size_t width, height; /* bytes, and columns */
} copy_t;

static int place_of(const copy_t *c, const side_t *side)
{
    return model_place(side->data, (c->height - 1) * side->pitch + c->width);
}

static char *content(const side_t *side)
{
    return side->place >= 0 ? model_content(side->data) : side->data;
}

static void run(const copy_t *c)
{
    for (size_t i = 0; i < c->height; i++)
        memcpy(content(&c->to) + i * c->to.pitch,
               content(&c->from) + i * c->from.pitch, c->width);
}

/* A copy from a device that is not reached would go by way of the host. */
static cudaError_t look(const copy_t *c, side_t *side, bool on_host, int device)
{
    bool reached;

    if (c->height > 1 &&
        (side->pitch < c->width || side->pitch > MODEL_MOST_PITCH))
        return cudaErrorInvalidPitchValue;
    side->place = place_of(c, side);
    reached = side == &c->from && side->place >= 0 &&
              (model.device[device].reaches >> side->place & 1) != 0;
    return (on_host &&
            (side->place == MODEL_PAGEABLE || side->place == MODEL_PINNED)) ||
                   (!on_host && (side->place == device || reached))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

/* A copy of host memory that is not pinned goes by way of the driver's: that
 * waits. */
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    copy_t c = {.to = {.data = to, .pitch = to_pitch},
                .from = {.data = (char *)from, .pitch = from_pitch},
                .width = width,
                .height = height};
    bool in = kind == cudaMemcpyHostToDevice,
         out = kind == cudaMemcpyDeviceToHost, runs;
    MODEL_CALL();

    MODEL_TRY(model_check(model_stream_device(stream)));
    if (!in && !out && kind != cudaMemcpyDeviceToDevice)
        return cudaErrorInvalidMemcpyDirection;
    if (width == 0 || height == 0)
        return cudaSuccess;
    MODEL_TRY(look(&c, &c.to, out, model_current));
    MODEL_TRY(look(&c, &c.from, in, model_current));
    MODEL_TRY(model_queue(stream,
                          in    ? MODEL_COPY_IN
                          : out ? MODEL_COPY_OUT
                                : MODEL_COPY,
                          &runs));
    if (runs)
        run(&c);
    if (c.to.place != MODEL_PAGEABLE && c.from.place != MODEL_PAGEABLE)
        return cudaSuccess;
    model.counts.unpinned_copies++;
    return model_finish_stream(stream, __func__);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream)
{
    bool runs;
    MODEL_CALL();

    if (model_place(memory, bytes) != model_current)
        return cudaErrorInvalidValue;
    MODEL_TRY(model_queue(stream, MODEL_FILL, &runs));
    if (runs)
        memset(model_content(memory), value, bytes);
    return cudaSuccess;
}

/* Returns when host memory has been read; the copy itself may be under way. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (kind != cudaMemcpyHostToDevice ||
        model_place(to, bytes) != model_current)
        return cudaErrorInvalidValue;
    memcpy(model_content(to), from, bytes);
    model.device[model_current].copies_under_way = true;
    return cudaSuccess;
}
