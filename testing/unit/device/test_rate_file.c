/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rates.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hybrid/device/cache_file.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

static const char model[] = "Some GPU/2 (80 GB)";
static const char file[] = "Some_GPU_2__80_GB_.tiles";
static const char *root; /* an empty folder for each case */

static hyb_rate_table_t table_of(double rate)
{
    return (hyb_rate_table_t){.link_rate = 55e9,
                              .rate = {{rate, 2.0 * rate}, {0.5 * rate}}};
}

/* root/below of path, valid until the next call */
static const char *in_root(const char *below)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s%s", root, below);
    return path;
}

UNIT_STEP(enter)
{
    root = fake_root_create();
    setenv("XDG_CACHE_HOME", in_root("/cache"), 1);
    setenv("HOME", in_root("/home"), 1);
}

UNIT_STEP(leave)
{
    fake_root_destroy();
}

/* Replace the file's text. */
static void write_file(const char *text, size_t length)
{
    assert_ok(hyb_cache_store(model, "tiles", text, length, "it"));
}

/* The file's text, with an end; returns its length. */
static size_t read_file(char text[HYB_RATE_TEXT])
{
    size_t length;
    char *found = hyb_cache_load(model, "tiles", &length);

    assert_non_null(found);
    memcpy(text, found, length);
    text[length] = '\0';
    free(found);
    return length;
}

/* Load without showing what is said about it. */
static bool load(hyb_rate_table_t *table_p, const char **said_p)
{
    bool there;

    *said_p = heard(there = hyb_rate_table_load(model, table_p));
    return there;
}

static int files_in(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 2;
}

#define TEST_SET_UP(name) TEST_WITH(name, enter, leave)

TEST_SET_UP(a_pipe_in_the_cache_folder_is_no_file_and_nothing_waits_for_it)
{
    char path[HYB_CACHE_PATH];
    void *data;
    size_t bytes;

    assert_ok(hyb_cache_path("model", "tiles", path));
    assert_ok(hyb_cache_store("model", "tiles", "x", 1, "rates"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_in(heard(data = hyb_cache_load("model", "tiles", &bytes)),
              "not a regular file");
    assert_null(data);
    assert_int_equal(unlink(path), 0);
}

TEST_SET_UP(the_file_is_below_the_cache_folder)
{
    char path[HYB_CACHE_PATH], expected[256];

    snprintf(expected, sizeof(expected), "%s/cache/xhpl/%s", root, file);
    assert_ok(hyb_cache_path(model, "tiles", path));
    assert_string_equal(path, expected);
    snprintf(expected, sizeof(expected), "%s/home/.cache/xhpl/%s", root, file);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    assert_ok(hyb_cache_path(model, "tiles", path));
    assert_string_equal(path, expected);
    unsetenv("XDG_CACHE_HOME");
    assert_ok(hyb_cache_path(model, "tiles", path));
    assert_string_equal(path, expected);
}

TEST_SET_UP(no_model_leads_out_of_the_folder_or_is_too_long)
{
    char path[HYB_CACHE_PATH], text[5000];

    assert_ok(hyb_cache_path("../../x", "tiles", path));
    assert_string_equal(strrchr(path, '/'), "/.._.._x.tiles");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(hyb_cache_path(text, "tiles", path), XH_ERR_INPUT);
    text[0] = '/';
    setenv("XDG_CACHE_HOME", text, 1);
    assert_int_equal(hyb_cache_path(model, "tiles", path), XH_ERR_INPUT);
}

TEST_SET_UP(a_saved_table_loads)
{
    hyb_rate_table_t saved = table_of(5.0), loaded;
    const char *said;

    assert_ok(hyb_rate_table_save(model, &saved));
    assert_true(load(&loaded, &said));
    assert_string_equal(said, "");
    assert_true(loaded.link_rate == 55e9);
    assert_memory_equal(loaded.rate, saved.rate, sizeof(saved.rate));
    for (int i = 0; i < HYB_RATE_DEPTHS * HYB_RATE_SIZES; i++)
        saved.rate[i / HYB_RATE_SIZES][i % HYB_RATE_SIZES] = 1e15 + 1e10 * i;
    assert_ok(hyb_rate_table_save(model, &saved));
    assert_true(load(&loaded, &said));
    assert_true(loaded.rate[1][1] == 1.00006e15);
    assert_int_equal(files_in(in_root("/cache/xhpl")), 1);
}

/* Every text one byte away, or cut short, is refused or means a table. */
TEST_SET_UP(damaged_text_is_refused)
{
    static const char bytes[] = "9\n.";
    hyb_rate_table_t table = table_of(5.0), loaded;
    char text[HYB_RATE_TEXT], bad[HYB_RATE_TEXT], again[HYB_RATE_TEXT];
    size_t length;
    const char *said;

    assert_ok(hyb_rate_table_save(model, &table));
    length = read_file(text);
    for (size_t i = 0; i < length; i++) {
        write_file(text, i);
        assert_false(load(&loaded, &said));
        memcpy(bad, text, length + 1);
        for (const char *c = bytes; *c != '\0'; c++) {
            bad[i] = *c;
            write_file(bad, length);
            if (!load(&loaded, &said))
                continue;
            assert_ok(hyb_rate_table_save(model, &loaded));
            read_file(again);
            assert_string_equal(again, bad);
        }
    }
}

/* Nothing is said where there is none. */
TEST_SET_UP(a_foreign_file_is_ignored_and_rewritten)
{
    static const char zeros[10000];
    hyb_rate_table_t table = table_of(5.0), loaded = {.link_rate = -7};
    char text[HYB_RATE_TEXT];
    const char *said;
    size_t length;

    assert_false(load(&loaded, &said));
    assert_string_equal(said, "");
    assert_ok(hyb_rate_table_save(model, &table));
    length = read_file(text);
    write_file(zeros, sizeof(zeros));
    assert_false(load(&loaded, &said));
    assert_in(said, file);
    strstr(text, "GPU/2")[3] = ' '; /* another model of that file */
    write_file(text, length);
    assert_false(load(&loaded, &said));
    assert_true(loaded.link_rate == -7);
    assert_ok(hyb_rate_table_save(model, &table));
    assert_true(load(&loaded, &said));
}

TEST_SET_UP(a_folder_that_cannot_be_written_is_said)
{
    hyb_rate_table_t table = table_of(5.0);

    setenv("XDG_CACHE_HOME", "/proc/self", 1);
    assert_said(hyb_rate_table_save(model, &table), XH_ERR_IO,
                "/proc/self/xhpl/");
}

/* A folder in the place of the file: nothing of the attempt stays. */
TEST_SET_UP(what_cannot_be_put_in_place_is_removed)
{
    hyb_rate_table_t table = table_of(5.0);
    xh_status_t status;
    char path[HYB_CACHE_PATH];

    assert_ok(hyb_rate_table_save("other", &table));
    assert_ok(hyb_cache_path(model, "tiles", path));
    assert_int_equal(mkdir(path, 0777), 0);
    unheard(status = hyb_rate_table_save(model, &table));
    assert_int_equal(status, XH_ERR_IO);
    assert_int_equal(files_in(in_root("/cache/xhpl")), 2);
}

TEST_SET_UP(without_any_folder_the_run_goes_on)
{
    hyb_rate_table_t table = table_of(5.0);
    char path[HYB_CACHE_PATH];

    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(hyb_cache_path(model, "tiles", path), XH_ERR_INPUT);
    assert_false(hyb_rate_table_load(model, &table));
    assert_said(hyb_rate_table_save(model, &table), XH_ERR_INPUT, model);
}
