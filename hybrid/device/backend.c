/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/backend.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/settings.h"
#include "base/owner.h"
#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/cache_file.h"

#define PREFIX "libhyb_"
#define SUFFIX ".so"
#define NAME_CHARACTERS                                                        \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

enum {
    FOLDERS = 3,
    FOLDER = 1100 /* bytes of the longest folder that is searched */
};

typedef struct {
    char path[FOLDERS][FOLDER];
    int count;
} folders_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const hyb_backend_t *known[HYB_BACKENDS];
static int known_count;

/* ---- functions for plug-ins --------------------------------------------- */

__attribute__((format(printf, 4, 5))) static void
log_line(xh_log_level_t level, const char *backend, int index,
         const char *format, ...)
{
    char line[1024];
    va_list values;

    va_start(values, format);
    vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    xh_log_message(level, "%s device %d: %s", backend, index, line);
}

static const hyb_host_t host = {xh_settings_text, log_line,
                                xh_clock_now,     hyb_gemm_alone,
                                hyb_cache_load,   hyb_cache_store};

/* ---- the list ----------------------------------------------------------- */

static bool is_name(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length < HYB_BACKEND_NAME &&
           strspn(name, NAME_CHARACTERS) == length;
}

static const hyb_backend_t *find_known(const char *name)
{
    for (int i = 0; i < known_count; i++)
        if (strcmp(known[i]->name, name) == 0)
            return known[i];
    return NULL;
}

static bool is_complete(const hyb_backend_t *b)
{
    enum { COPIES = 1 << HYB_OP_COPY_IN | 1 << HYB_OP_COPY_OUT };

    return b->count != NULL && b->describe != NULL && b->open != NULL &&
           b->close != NULL && b->memory_left != NULL &&
           b->buffer_create != NULL && b->buffer_destroy != NULL &&
           b->queue_create != NULL && b->queue_destroy != NULL &&
           b->event_create != NULL && b->event_destroy != NULL &&
           b->event_record != NULL && b->queue_wait != NULL &&
           b->event_wait != NULL && b->event_elapsed != NULL &&
           b->work != NULL && (b->ops & COPIES) == COPIES &&
           (b->parameters == NULL ||
            (b->config != NULL && b->set_config != NULL));
}

/* Return why `backend` cannot be used, or NULL if it can. */
static const char *defect(const hyb_backend_t *backend)
{
    if (backend == NULL || backend->abi != HYB_BACKEND_ABI)
        return "it was built for another version of this program";
    if (!is_complete(backend))
        return "its table of functions has gaps";
    return known_count == HYB_BACKENDS ? "there are too many backends" : NULL;
}

xh_status_t hyb_backend_register(const hyb_backend_t *backend)
{
    const char *why;

    pthread_mutex_lock(&lock);
    why = defect(backend);
    if (why == NULL &&
        (!is_name(backend->name) || find_known(backend->name) != NULL))
        why = "its name is missing or taken";
    if (why == NULL)
        known[known_count++] = backend;
    pthread_mutex_unlock(&lock);
    if (why == NULL)
        return XH_OK;
    xh_log_error("a backend was not registered: %s", why);
    return XH_ERR_DEVICE;
}

/* ---- plug-ins ----------------------------------------------------------- */

static void add_folder(folders_t *folders, const char *start, int length,
                       const char *rest)
{
    int used = snprintf(folders->path[folders->count], FOLDER, "%.*s%s", length,
                        start, rest);

    if (used > 0 && used < FOLDER)
        folders->count++;
}

static void list_folders(folders_t *folders_p)
{
    const char *own = xh_settings_text("plugin_dir");
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    const char *slash;

    folders_p->count = 0;
    add_folder(folders_p, own, (int)strlen(own), "");
    if (length <= 0)
        return;
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (slash == NULL)
        return;
    add_folder(folders_p, program, (int)(slash - program), "");
    add_folder(folders_p, program, (int)(slash - program), "/../lib/xhpl");
}

/* Open the file at path and register its backend under `name`. */
static xh_status_t open_plugin(const char *path, const char *name,
                               const hyb_backend_t **backend_p, char *why_p)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const hyb_backend_t *backend;
    const char *why;
    __typeof__(hyb_backend_entry) *entry;

    if (library == NULL) {
        snprintf(why_p, HYB_BACKEND_WHY, "%s", dlerror());
        return XH_ERR_DEVICE;
    }
    entry = (__typeof__(entry))dlsym(library, "hyb_backend_entry");
    if (entry == NULL) {
        snprintf(why_p, HYB_BACKEND_WHY, "%s is not a plug-in of this program",
                 path);
        dlclose(library);
        return XH_ERR_DEVICE;
    }
    backend = entry(&host);
    why = defect(backend);
    if (why == NULL && strcmp(backend->name, name) != 0)
        why = "it has another name than its file";
    if (why != NULL) {
        snprintf(why_p, HYB_BACKEND_WHY, "%s cannot be used: %s", path, why);
        return XH_ERR_DEVICE;
    }
    *backend_p = known[known_count++] = backend;
    return XH_OK;
}

/* Can only users whom this program trusts write to the file? */
static bool is_trusted(const char *path, int flags, char *why_p)
{
    char why[XH_OWNER_WHY];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    bool trusted = fd < 0 || /* a missing file fails to load anyway */
                   xh_owner_is_trusted(fd, "/proc/self/exe", why);

    if (fd >= 0)
        close(fd);
    if (!trusted)
        snprintf(why_p, HYB_BACKEND_WHY,
                 "%s is not used: %s; only you, root and the owner of this "
                 "program may have write access to a plug-in",
                 path, why);
    return trusted;
}

static xh_status_t find_plugin(const char *name,
                               const hyb_backend_t **backend_p, char *why_p)
{
    char path[FOLDER + sizeof(PREFIX SUFFIX) + HYB_BACKEND_NAME];
    folders_t folders;
    int used;

    list_folders(&folders);
    for (int i = 0; i < folders.count; i++) {
        snprintf(path, sizeof(path), "%s/" PREFIX "%s" SUFFIX, folders.path[i],
                 name);
        if (access(path, F_OK) != 0)
            continue;
        return !is_trusted(folders.path[i], O_DIRECTORY, why_p) ||
                       !is_trusted(path, 0, why_p)
                   ? XH_ERR_DEVICE
                   : open_plugin(path, name, backend_p, why_p);
    }
    used = snprintf(why_p, HYB_BACKEND_WHY,
                    "there is no " PREFIX "%s" SUFFIX " in ", name);
    for (int i = 0; i < folders.count; i++)
        used += snprintf(why_p + used, HYB_BACKEND_WHY - (size_t)used, "%s%s",
                         i > 0 ? ", " : "", folders.path[i]);
    return XH_ERR_INPUT;
}

xh_status_t hyb_backend_find(const char *name, const hyb_backend_t **backend_p,
                             char *why_p)
{
    const hyb_backend_t *backend;
    xh_status_t status = XH_OK;

    if (!is_name(name)) {
        snprintf(why_p, HYB_BACKEND_WHY, "no backend is called \"%.80s\"",
                 name);
        return XH_ERR_INPUT;
    }
    pthread_mutex_lock(&lock);
    backend = find_known(name);
    if (backend == NULL)
        status = find_plugin(name, &backend, why_p);
    pthread_mutex_unlock(&lock);
    if (status == XH_OK)
        *backend_p = backend;
    return status;
}

/* ---- names -------------------------------------------------------------- */

static int add_name(char (*names)[HYB_BACKEND_NAME], int count,
                    const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return count;
    if (count == HYB_BACKENDS || !is_name(name))
        return count;
    strcpy(names[count], name);
    return count + 1;
}

/* Add <name> for each file "libhyb_<name>.so" in `folder`. */
static int add_files(char (*names)[HYB_BACKEND_NAME], int count,
                     const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    char name[sizeof(entry->d_name)];
    int end;

    if (entries == NULL)
        return count;
    while ((entry = readdir(entries)) != NULL) {
        end = 0;
        if (sscanf(entry->d_name, PREFIX "%[A-Za-z0-9_]" SUFFIX "%n", name,
                   &end) == 1 &&
            end > 0 && entry->d_name[end] == '\0')
            count = add_name(names, count, name);
    }
    closedir(entries);
    return count;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

int hyb_backend_names(char (*names_p)[HYB_BACKEND_NAME])
{
    folders_t folders;
    int count = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < known_count; i++)
        count = add_name(names_p, count, known[i]->name);
    pthread_mutex_unlock(&lock);
    list_folders(&folders);
    for (int i = 0; i < folders.count; i++)
        count = add_files(names_p, count, folders.path[i]);
    qsort(names_p, (size_t)count, HYB_BACKEND_NAME, by_name);
    return count;
}
