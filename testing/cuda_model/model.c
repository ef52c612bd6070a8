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

int model_fault(const char *op)
{
    int fault = 0;

    for (int i = 0; i < FAULTS; i++)
        if (strcmp(faults[i].op, op) == 0 && --faults[i].left == 0)
            fault = faults[i].kind[0];
    return fault;
}

cudaError_t model_refusal(int fault)
{
    if (fault == 'o')
        return cudaErrorMemoryAllocation;
    return fault == 'r' ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t model_admit(const char *op)
{
    MODEL_TRY(model_check(model_current));
    return model_refusal(model_fault(op));
}

/* ---- contexts ------------------------------------------------------------ */

cudaError_t model_exists(int device)
{
    return device >= 0 && device < model.count ? cudaSuccess
                                               : cudaErrorInvalidDevice;
}

cudaError_t model_context(int device, unsigned flags)
{
    MODEL_TRY(model_exists(device));
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
    MODEL_TRY(model_context(model_current, cudaDeviceScheduleAuto));
    return device == model_current ? model.device[device].broken
                                   : cudaErrorInvalidResourceHandle;
}

/* ---- beginning and ending ------------------------------------------------ */

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

void cuda_model_begin(const char *texts)
{
    MODEL_CALL();

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
    MODEL_CALL();

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
    for (int i = 0; i < model.count && i < MODEL_DEVICES; i++)
        model.device[i].place = lists[i] - '0';
}

__attribute__((constructor)) static void load(void)
{
    const char *texts = getenv("CUDA_MODEL_FAULT");
    const int64_t mib = 1 << 20;

    model.count = (int)from_environment("CUDA_MODEL_DEVICES", 1);
    model.driver = (int)from_environment("CUDA_MODEL_DRIVER", CUDART_VERSION);
    model.memory = from_environment("CUDA_MODEL_MEMORY", 256) * mib;
    model.context = from_environment("CUDA_MODEL_CONTEXT", 0) * mib;
    model.peers = from_environment("CUDA_MODEL_PEERS", 1) != 0;
    for (int i = 0; i < MODEL_DEVICES; i++)
        model.device[i].place = i;
    share(getenv("CUDA_MODEL_SHARED"));
    if (getenv("CUDA_MODEL_VISIBLE") != NULL)
        read_visible(getenv("CUDA_MODEL_VISIBLE"));
    if (model.count < 0 || model.count > MODEL_DEVICES)
        model_die("there cannot be %d devices", model.count);
    cuda_model_begin(texts != NULL ? texts : "");
    if (getenv("CUDA_MODEL_REPORT") != NULL)
        atexit(report);
}
