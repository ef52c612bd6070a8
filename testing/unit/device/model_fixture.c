/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "testing/unit/device/model_fixture.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <unistd.h>
#include "base/settings.h"
#include "testing/unit/device/device_cases.h"

static void (*model_begin)(const char *faults);
static cuda_model_counts_t (*model_counts)(void);

/*
 * Open what stands for CUDA in the folder beside this program's, for good: it
 * is found by name from then on, also where a sanitizer stands in for the
 * loader. False if there is nothing.
 */
static bool find_model(void)
{
    char program[PATH_MAX] = "", setting[PATH_MAX + 32], pattern[PATH_MAX + 32];
    void *library = NULL;
    glob_t found;

    assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
    *strrchr(program, '/') = '\0';
    snprintf(setting, sizeof(setting), "plugin_dir=%s/../../cuda-model",
             program);
    snprintf(pattern, sizeof(pattern), "%s/../../cuda-model/lib[!h]*", program);
    setenv("CUDA_MODEL_VISIBLE", "01", 1);
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_GLOBAL);
        if (library == NULL)
            fail_msg("%s", dlerror());
    }
    globfree(&found);
    *(void **)&model_begin = dlsym(RTLD_DEFAULT, "cuda_model_begin");
    *(void **)&model_counts = dlsym(RTLD_DEFAULT, "cuda_model_counts");
    assert_ok(xh_settings_load());
    assert_ok(xh_settings_assign(setting));
    return true;
}

bool model_fixture_begin(const char *faults)
{
    if (model_begin == NULL && !find_model())
        return false;
    model_begin(faults);
    return true;
}

cuda_model_counts_t model_fixture_counts(void)
{
    return model_counts();
}

void model_fixture_assert_nothing_left(void)
{
    const cuda_model_counts_t c = model_counts();

    assert_int_equal(c.memory, 0);
    assert_int_equal(c.pinned, 0);
    assert_int_equal(c.streams, 0);
    assert_int_equal(c.events, 0);
    assert_int_equal(c.handles, 0);
    assert_int_equal(c.libraries, 0);
    assert_int_equal(c.emulated_products, 0);
}

hyb_device_t *model_fixture_device(const char *backend, int index)
{
    hyb_device_choice_t choice = {device_cases_backend(backend), index};
    hyb_device_t *device = NULL;
    const char *why;

    assert_true(index < choice.backend->count(&why));
    assert_ok(hyb_device_open(choice, NULL, 0, &device));
    return device;
}

/* The plug-in is found before device_cases_open loads the settings again. */
int model_fixture_open(const char *backend, void **state_p)
{
    *state_p = NULL;
    return model_fixture_begin("") && device_cases_backend(backend) != NULL &&
           (device_cases_open(backend, state_p) != 0 || *state_p == NULL);
}
