/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/cuda_model/model.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

model_t model = {.lock = PTHREAD_MUTEX_INITIALIZER};
__thread int model_current;

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

void *model_object(size_t bytes)
{
    static _Alignas(max_align_t) char objects[64 << 20];
    static size_t used;
    void *made = objects + used;

    used += (bytes + sizeof(max_align_t) - 1) & -sizeof(max_align_t);
    if (used > sizeof(objects))
        model_die("too many objects");
    return made;
}

/* ---- memory -------------------------------------------------------------- */

/* Bytes taken of each device of the machine, by all processes that share it. */
static _Atomic int64_t *taken;

static void share(const char *path)
{
    const size_t bytes = MODEL_DEVICES * sizeof(*taken);
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT, 0600);

    if (path != NULL && (file < 0 || ftruncate(file, (off_t)bytes) != 0))
        model_die("%s cannot be shared", path);
    taken = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (taken == MAP_FAILED)
        model_die("no memory to share");
}

int64_t model_memory_left(int device)
{
    return model.memory - atomic_load(&taken[model.device[device].place]);
}

bool model_memory_take(int device, int64_t bytes)
{
    _Atomic int64_t *all = &taken[model.device[device].place];
    int64_t before = atomic_load(all);

    do
        if (bytes > model.memory - before)
            return false;
    while (!atomic_compare_exchange_weak(all, &before, before + bytes));
    model.device[device].used += bytes;
    return true;
}

/* As the driver does when a process ends. */
__attribute__((destructor)) static void give_all(void)
{
    for (int i = 0; i < MODEL_DEVICES; i++)
        model_memory_take(i, -model.device[i].used);
}

/* ---- faults -------------------------------------------------------------- */

enum { FAULTS = 16 };

static struct {
    char kind[2], op[16];
    long left; /* calls until then */
} faults[FAULTS];

static void read_faults(const char *text)
{
    memset(faults, 0, sizeof(faults));
    for (int i = 0; *text != '\0'; i++) {
        if (i == FAULTS ||
            sscanf(text, "%1[fros]%*[a-z]@%15[a-z_]:%ld", faults[i].kind,
                   faults[i].op, &faults[i].left) != 3)
            model_die("\"%s\" is no fault", text);
        text += strcspn(text, ",");
        text += *text == ',';
    }
}

/* Count a call of op; its fault as a letter, or 0. */
static int fault_of(const char *op)
{
    int fault = 0;

    for (int i = 0; i < FAULTS; i++)
        if (strcmp(faults[i].op, op) == 0 && --faults[i].left == 0)
            fault = faults[i].kind[0];
    return fault;
}

/* What a call with fault returns at once. */
static cudaError_t refusal(int fault)
{
    return fault == 'o'   ? cudaErrorMemoryAllocation
           : fault == 'r' ? cudaErrorInvalidValue
                          : cudaSuccess;
}

/* ---- contexts ------------------------------------------------------------ */

static cudaError_t exists(int i)
{
    return i >= 0 && i < model.count ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Make the context of device if it has none. */
static cudaError_t context(int device, unsigned flags)
{
    TRY(exists(device));
    if (model.device[device].context)
        return cudaSuccess;
    if (!model_memory_take(device, model.context))
        return cudaErrorMemoryAllocation;
    model.device[device].context = true;
    model.counts.contexts++;
    model.counts.flags = flags;
    return cudaSuccess;
}

cudaError_t model_check(int device)
{
    TRY(context(model_current, cudaDeviceScheduleAuto));
    return device == model_current ? model.device[device].broken
                                   : cudaErrorInvalidResourceHandle;
}

/* ---- work, which runs as it is queued ------------------------------------ */

cudaError_t model_admit(const char *op)
{
    TRY(model_check(model_current));
    return refusal(fault_of(op));
}

cudaError_t model_queue(cudaStream_t stream, const char *op)
{
    int fault;

    TRY(model_check(stream->device));
    fault = fault_of(op);
    TRY(refusal(fault));
    stream->stalls = stream->stalls || fault == 's';
    if (fault == 'f' && !stream->stalls)
        model.device[stream->device].broken = cudaErrorLaunchFailure;
    return cudaSuccess;
}

bool model_runs(cudaStream_t stream)
{
    return !stream->stalls &&
           model.device[stream->device].broken == cudaSuccess;
}

cudaError_t model_finish(int device, cudaStream_t stream, const char *name)
{
    TRY(model_check(device));
    for (cudaStream_t s = model.streams; s != NULL; s = s->next)
        if (s->stalls && s->device == device && (stream == NULL || s == stream))
            model_die("%s waits for device %d, which never ends", name, device);
    return cudaSuccess;
}

/* ---- beginning and ending ------------------------------------------------ */

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

void cuda_model_begin(const char *texts)
{
    LOCK();

    model_memory_begin();
    give_all();
    for (int i = 0; i < MODEL_DEVICES; i++)
        model.device[i] = (model_device_t){.place = model.device[i].place};
    model.streams = NULL;
    model.counts = (cuda_model_counts_t){.calls = 0};
    model.processors =
        (int)from_environment("CUDA_MODEL_PROCESSORS", MODEL_PROCESSORS);
    read_faults(texts);
}

cuda_model_counts_t cuda_model_counts(void)
{
    LOCK();

    model.counts.calls--;
    return model.counts;
}

static void report(void)
{
    cuda_model_counts_t c = cuda_model_counts();

    fprintf(
        stderr,
        "CUDA model: left memory %d, pinned %d, streams %d, events %d, "
        "handles %d, libraries %d; unpinned copies %d, emulated products %d\n",
        c.memory, c.pinned, c.streams, c.events, c.handles, c.libraries,
        c.unpinned_copies, c.emulated_products);
}

/* This process's of lists such as "01/23", by the launcher's number. */
static void read_visible(const char *lists)
{
    long rank = from_environment("OMPI_COMM_WORLD_LOCAL_RANK",
                                 from_environment("MPI_LOCALRANKID", 0));

    for (; rank > 0 && strchr(lists, '/') != NULL; rank--)
        lists = strchr(lists, '/') + 1;
    model.count = (int)strspn(lists, "0123");
    if (model.count > MODEL_DEVICES)
        model_die("there cannot be %d devices", model.count);
    for (int i = 0; i < model.count; i++)
        model.device[i].place = lists[i] - '0';
}

__attribute__((constructor)) static void load(void)
{
    const char *texts = getenv("CUDA_MODEL_FAULT"),
               *visible = getenv("CUDA_MODEL_VISIBLE");
    const int64_t mib = 1 << 20;

    read_visible(visible != NULL ? visible : "0");
    model.driver = (int)from_environment("CUDA_MODEL_DRIVER", CUDART_VERSION);
    model.memory = from_environment("CUDA_MODEL_MEMORY", 256) * mib;
    model.context = from_environment("CUDA_MODEL_CONTEXT", 0) * mib;
    model.peers = from_environment("CUDA_MODEL_PEERS", 1) != 0;
    share(getenv("CUDA_MODEL_SHARED"));
    cuda_model_begin(texts != NULL ? texts : "");
    if (getenv("CUDA_MODEL_REPORT") != NULL)
        atexit(report);
}

/* ---- devices ------------------------------------------------------------- */

/* All errors are returned where they occur. */
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorLaunchFailure      ? "a kernel failed"
           : error == cudaErrorMemoryAllocation ? "out of memory"
                                                : "an error";
}

CALL(cudaDriverGetVersion, (int *version_p), cudaSuccess,
     *version_p = model.driver)

CALL(cudaGetDeviceCount, (int *count_p),
     model.driver < CUDART_VERSION ? cudaErrorInsufficientDriver
     : model.count == 0            ? cudaErrorNoDevice
                                   : cudaSuccess,
     *count_p = model.count)

CALL(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
     context(device, flags == cudaInitDeviceFlagsAreValid
                         ? device_flags
                         : cudaDeviceScheduleAuto),
     (void)0)

/* Makes the context, since CUDA 12. */
CALL(cudaSetDevice, (int device), context(device, cudaDeviceScheduleAuto),
     model_current = device)

CALL(cudaDeviceSynchronize, (void), model_finish(model_current, NULL, __func__),
     model.device[model_current].copies_under_way = false)

CALL(cudaMemGetInfo, (size_t * free_p, size_t *all_p),
     model_check(model_current),
     *free_p = (size_t)model_memory_left(model_current),
     *all_p = (size_t)model.memory)

CALL(cudaGetDeviceProperties,
     (struct cudaDeviceProp * properties_p, int device), exists(device),
     *properties_p = (struct cudaDeviceProp){
         .name = "model of a CUDA device",
         .totalGlobalMem = (size_t)model.memory,
         .multiProcessorCount = model.processors,
         .cooperativeLaunch = model.processors > 0,
         .major = 9}) /* Hopper */

CALL(cudaDeviceGetPCIBusId, (char *text_p, int length, int device),
     exists(device),
     snprintf(text_p, (size_t)length, "0000:A%d:00.0",
              model.device[device].place))

CALL(cudaDeviceCanAccessPeer, (int *can_p, int device, int other),
     exists(device), TRY(exists(other));
     *can_p = model.peers && device != other)

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    model_device_t *d = &model.device[model_current];
    LOCK();

    TRY(model_check(model_current));
    TRY(exists(other));
    if (flags != 0 || other == model_current || !model.peers)
        return cudaErrorInvalidValue;
    if ((d->reaches >> other & 1) != 0)
        return cudaErrorPeerAccessAlreadyEnabled;
    d->reaches |= 1u << other;
    return cudaSuccess;
}

/* ---- devices, as HIP has them -------------------------------------------- */

CALL(hipSetDeviceFlags, (unsigned flags), cudaSuccess,
     model.counts.flags = flags)

CALL(hipDeviceGetName, (char *text_p, int bytes, int device), exists(device),
     snprintf(text_p, (size_t)bytes, "model of a HIP device"))

CALL(hipDeviceTotalMem, (size_t * bytes_p, int device), exists(device),
     *bytes_p = (size_t)model.memory)

enum { COOPERATIVE_LAUNCH = 10, PROCESSORS = 63 };

CALL(hipDeviceGetAttribute, (int *value_p, int attribute, int device),
     attribute == COOPERATIVE_LAUNCH || attribute == PROCESSORS
         ? exists(device)
         : cudaErrorInvalidValue,
     *value_p = attribute == PROCESSORS ? model.processors
                                        : model.processors > 0)
