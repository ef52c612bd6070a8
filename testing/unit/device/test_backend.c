/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#define _GNU_SOURCE
#include "hybrid/device/backend.h"

#include <dlfcn.h>
#include <unistd.h>
#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_cases.h"
#include "testing/unit/device/fake_backend.h"
#include "testing/unit/unit.h"

static hyb_backend_t soft;  /* emulated devices, otherwise as fake_backend */
static hyb_backend_t asked; /* by name only, likewise */

/* ---- a folder for plug-ins ---------------------------------------------- */

static char folder[] = "/tmp/test_backend_XXXXXX";
static const char *const files[] = {
    "libhyb_text.so", /* no library */
    "libhyb_libc.so", /* a library that is no plug-in */
    "libhyb_.so",
    "libhyb_else.txt",
    "hyb_other.so",
    "libhyb_a_name_that_is_too_long.so", /* not one of a plug-in */
};

enum { FILES = COUNT_OF(files) };

static const char *in_folder(const char *file)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return path;
}

static int write_file(const char *file)
{
    FILE *out = fopen(in_folder(file), "w");

    return out == NULL || fputs("text\n", out) < 0 || fclose(out) != 0;
}

static int link_libc(const char *file)
{
    void *symbol = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    Dl_info info;

    return symbol == NULL || dladdr(symbol, &info) == 0 ||
           symlink(info.dli_fname, in_folder(file)) != 0;
}

static int make_folder(void)
{
    char assignment[64];

    if (mkdtemp(folder) == NULL || link_libc(files[1]) != 0)
        return -1;
    for (int i = 0; i < FILES; i++)
        if (i != 1 && write_file(files[i]) != 0)
            return -1;
    snprintf(assignment, sizeof(assignment), "plugin_dir=%s", folder);
    return xh_settings_assign(assignment) != XH_OK;
}

static void remove_folder(void)
{
    for (int i = 0; i < FILES; i++)
        unlink(in_folder(files[i]));
    rmdir(folder);
}

static bool register_backends(void)
{
    soft = fake_backend;
    soft.name = "soft";
    soft.emulated = true;
    asked = fake_backend;
    asked.name = "asked";
    asked.by_name_only = true;
    return hyb_backend_register(&fake_backend) == XH_OK &&
           hyb_backend_register(&soft) == XH_OK &&
           hyb_backend_register(&asked) == XH_OK && make_folder() == 0;
}

UNIT_STEP(set_up)
{
    fake_reset();
}

/* ---- loading ------------------------------------------------------------ */

/* What is said when name does not load. */
static const char *load_refusal(const char *name, xh_status_t expected)
{
    static char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend = &soft;

    assert_int_equal(hyb_backend_find(name, &backend, why), expected);
    assert_ptr_equal(backend, &soft);
    return why;
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, NULL)

TEST_SET_UP(a_plugin_loads_once)
{
    const hyb_backend_t *first = device_cases_backend("emu"),
                        *again = device_cases_backend("emu");

    assert_string_equal(first->name, "emu");
    assert_true(first->emulated);
    assert_ptr_equal(first, again);
}

TEST_SET_UP(a_missing_plugin_names_the_folders)
{
    const char *text = load_refusal("missing", XH_ERR_INPUT);

    assert_in(text, "libhyb_missing.so");
    assert_in(text, folder);
    assert_in(text, "/../lib/xhpl");
}

TEST_SET_UP(a_name_is_no_path)
{
    load_refusal("../emu", XH_ERR_INPUT);
    load_refusal("", XH_ERR_INPUT);
    load_refusal("a_name_that_is_too_long", XH_ERR_INPUT);
}

TEST_SET_UP(a_file_that_is_no_plugin_does_not_load)
{
    assert_in(load_refusal("text", XH_ERR_DEVICE), "libhyb_text.so");
    assert_in(load_refusal("libc", XH_ERR_DEVICE), "is not a plug-in");
}

TEST_SET_UP(names_are_those_that_could_load)
{
    static const char *const expected[] = {"emu", "fake", "libc", "soft",
                                           "text"};
    char names[HYB_BACKENDS][HYB_BACKEND_NAME];
    int count = hyb_backend_names(names);
    size_t found = 0;

    for (int i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
        assert_null(strstr(names[i], "name"));
        if (found < 5 && strcmp(names[i], expected[found]) == 0)
            found++;
    }
    assert_int_equal(found, 5);
}

/* ---- registering -------------------------------------------------------- */

/* A backend called name, but for the change, is refused in one line. */
static xh_status_t registered(hyb_backend_t changed, const char *name)
{
    xh_status_t status;

    changed.name = name;
    assert_int_equal(
        capture_lines(heard(status = hyb_backend_register(&changed))), 1);
    return status;
}

TEST_SET_UP(a_backend_of_another_version_or_name_or_with_gaps_is_refused)
{
    hyb_backend_t old = fake_backend, poor = fake_backend, idle = fake_backend;

    old.abi = HYB_BACKEND_ABI + 1;
    assert_int_equal(registered(old, "other"), XH_ERR_DEVICE);
    poor.ops = 1u << HYB_OP_COPY_IN;
    assert_int_equal(registered(poor, "other"), XH_ERR_DEVICE);
    idle.work = NULL;
    assert_int_equal(registered(idle, "other"), XH_ERR_DEVICE);
    assert_int_equal(registered(fake_backend, "fake"), XH_ERR_DEVICE);
    assert_int_equal(registered(fake_backend, "comma,"), XH_ERR_DEVICE);
}

/* ---- choosing ----------------------------------------------------------- */

/* text chooses what expected lists, as "fake0 soft1 ". */
static void assert_chooses(const char *text, const char *expected)
{
    hyb_device_choice_t *chosen = NULL;
    char list[256] = "";
    size_t used = 0;
    int count = -1;

    assert_ok(hyb_devices_choose(text, &chosen, &count));
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d ",
                                 chosen[i].backend->name, chosen[i].index);
    assert_string_equal(list, expected);
    free(chosen);
}

static void assert_refuses(const char *text, const char *reason)
{
    hyb_device_choice_t *chosen = NULL;
    xh_status_t status;
    int count = -1;
    const char *said =
        heard(status = hyb_devices_choose(text, &chosen, &count));

    assert_int_equal(status, XH_ERR_INPUT);
    assert_int_equal(capture_lines(said), 1);
    assert_in(said, reason);
    assert_null(chosen);
    assert_int_equal(count, -1);
}

TEST_SET_UP(what_is_listed_is_chosen)
{
    static const char *const lists[][2] = {
        {"none", ""},
        {"fake:0", "fake0 "},
        {"fake", "fake0 fake1 fake2 "},
        {"soft", "soft0 "},
        {"soft:2,fake:0,2", "soft0 soft1 fake0 fake2 "},
        {"fake:0,2,soft:1", "fake0 fake2 soft0 "},
        {"fake,soft", "fake0 fake1 fake2 soft0 "},
        {"asked:1", "asked1 "},
    };

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        assert_chooses(lists[i][0], lists[i][1]);
}

TEST_SET_UP(what_is_not_there_is_refused_and_what_is_nearest_named)
{
    static const char *const lists[][2] = {
        {"fake:3", "only 0 to 2; the nearest is fake:2"},
        {"fake:x", "; the nearest is fake:0"},
        {"soft:9", "; the nearest is soft:3"},
        {"soft:0", "; the nearest is soft:1"},
        {"fakes:1", "; the nearest is fake"},
        {"fake:0,sofd:2", "; the nearest is soft"},
        {"nono", "; the nearest is none"},
        {"Auto", "; the nearest is auto"},
        {"fake,1", "as in cuda:0,1"},
    };

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        assert_refuses(lists[i][0], lists[i][1]);
}

TEST_SET_UP(what_makes_no_sense_is_refused)
{
    static const char *const texts[] = {
        "",
        "1",
        ",",
        "fake,",
        "fake,,soft",
        "fake:",
        "fake:-1",
        "fake:1x",
        "fake: 1",
        "fake:1,1",
        "soft:1,2",
        "fake:0,fake",
        "fake,fake:0",
        "none,fake",
        "fake,auto",
        "soft:+1",
        "fake:99999999999999999999",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_refuses(texts[i], "devices \"");
}

TEST_SET_UP(no_device_at_all_is_an_error_with_its_reason)
{
    fake.devices = 0;
    fake.reason = "the driver is missing";
    assert_refuses("fake:0", "the driver is missing");
    assert_refuses("fake", "fake has no device: the driver is missing");
    assert_refuses("soft,fake", "the driver is missing");
}

TEST_SET_UP(auto_leaves_out_what_is_emulated_or_broken)
{
    hyb_device_choice_t *chosen = NULL;
    int count = -1, fakes = 0;
    const char *text;

    text = heard(assert_ok(hyb_devices_choose("auto", &chosen, &count)));
    for (int i = 0; i < count; i++) {
        assert_false(chosen[i].backend->emulated);
        assert_false(chosen[i].backend->by_name_only);
        fakes += chosen[i].backend == &fake_backend;
    }
    assert_int_equal(fakes, 3);
    assert_in(text, "libhyb_text.so");
    assert_null(strstr(text, "error"));
    free(chosen);
}

int main(void)
{
    int failed = !register_backends() || unit_run() != 0;

    remove_folder();
    return failed;
}
