/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "testing/unit/cuda_model_fixture.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <unistd.h>
#include "base/settings.h"
#include "hybrid/device/backend.h"

/* Its folder, beside this program's. */
static const char *folder(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *end;

    assert_true(length > 0);
    path[length] = '\0';
    end = strrchr(path, '/');
    assert_true(end + sizeof("/../cuda-model") < path + sizeof(path));
    strcpy(end, "/../cuda-model");
    return path;
}

/*
 * Open all files of the folder that match, for good: they are found by their
 * names from then on, also where a sanitizer stands in for the loader.
 */
static void *open_file(const char *pattern)
{
    char path[PATH_MAX + 32];
    void *library = NULL;
    glob_t found;

    snprintf(path, sizeof(path), "%s/%s", folder(), pattern);
    if (glob(path, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
        library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            fail_msg("%s", dlerror());
    }
    globfree(&found);
    return library;
}

static bool find(cuda_model_t *functions_p)
{
    char setting[PATH_MAX + 32], devices[] = {'0' + CUDA_MODEL_DEVICES, '\0'};
    void *library;

    setenv("CUDA_MODEL_DEVICES", devices, 1);
    library = open_file("libcuda_model.so");
    if (library == NULL)
        return false;
    open_file("libcublas.so.*");
    open_file("libnvidia-ml.so.1");
    *(void **)&functions_p->begin = dlsym(library, "cuda_model_begin");
    *(void **)&functions_p->counts = dlsym(library, "cuda_model_counts");
    snprintf(setting, sizeof(setting), "plugin_dir=%s", folder());
    assert_ok(xh_settings_load());
    assert_ok(xh_settings_assign(setting));
    return true;
}

static const cuda_model_t *open_model(void)
{
    static cuda_model_t functions;

    if (functions.begin == NULL && !find(&functions))
        return NULL;
    return &functions;
}

const cuda_model_t *cuda_model(void)
{
    const cuda_model_t *opened = open_model();

    if (opened == NULL)
        skip();
    return opened;
}

hyb_device_t *cuda_model_open(int index, const char *faults)
{
    hyb_device_choice_t choice = {NULL, index};
    hyb_device_t *device = NULL;

    cuda_model()->begin(faults);
    choice.backend = device_cases_backend("cuda");
    assert_ok(hyb_device_open(choice, NULL, 0, &device));
    return device;
}

int cuda_model_open_shared(void **state)
{
    const cuda_model_t *opened = open_model();

    *state = NULL;
    if (opened == NULL)
        return 0;
    opened->begin("");
    return device_cases_open("cuda", state) != 0 || *state == NULL;
}
