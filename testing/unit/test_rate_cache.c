/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include "testing/unit/capture.h"
#include "testing/unit/fake_root.h"
#include "testing/unit/unit.h"

static const char model[] = "Some GPU/2 (80 GB)";
static const char file[] = "Some_GPU_2__80_GB_.tiles";
static const char *root; /* an empty folder for each case */

static hyb_rate_table_t table_of(double rate)
{
    hyb_rate_table_t table = {0};

    hyb_rate_table_set(&table, 1024, 256, rate);
    hyb_rate_table_set(&table, 2048, 256, 2.0 * rate);
    return table;
}

/* root/below of path, valid until the next call */
static const char *in_root(const char *below)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s%s", root, below);
    return path;
}

static int enter(void **state)
{
    (void)state;
    root = fake_root_create();
    setenv("XDG_CACHE_HOME", in_root("/cache"), 1);
    setenv("HOME", in_root("/home"), 1);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    fake_root_destroy();
    return 0;
}

static void write_file(const char *text, size_t length)
{
    char path[256];
    FILE *f;

    assert_ok(hyb_rate_cache_path(model, path, sizeof(path)));
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    fclose(f);
}

/* Load without showing what is said about it. */
static xh_status_t load(hyb_rate_table_t *table_p, const char **said_p)
{
    xh_status_t status;

    capture_begin();
    status = hyb_rate_cache_load(model, table_p);
    *said_p = capture_end(NULL);
    return status;
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

TEST_SET_UP(the_file_is_below_the_cache_folder)
{
    char path[256], expected[256];

    snprintf(expected, sizeof(expected), "%s/cache/xhpl/%s", root, file);
    assert_ok(hyb_rate_cache_path(model, path, sizeof(path)));
    assert_string_equal(path, expected);
    snprintf(expected, sizeof(expected), "%s/home/.cache/xhpl/%s", root, file);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    assert_ok(hyb_rate_cache_path(model, path, sizeof(path)));
    assert_string_equal(path, expected);
    unsetenv("XDG_CACHE_HOME");
    assert_ok(hyb_rate_cache_path(model, path, sizeof(path)));
    assert_string_equal(path, expected);
}

TEST_SET_UP(no_model_leads_out_of_the_folder)
{
    char path[256];

    assert_ok(hyb_rate_cache_path("../../x", path, sizeof(path)));
    assert_string_equal(strrchr(path, '/'), "/.._.._x.tiles");
}

TEST_SET_UP(a_path_that_is_too_long_is_refused)
{
    char path[256], text[5000];
    size_t length;

    hyb_rate_cache_path(model, path, sizeof(path));
    length = strlen(path);
    assert_int_equal(hyb_rate_cache_path(model, path, length), XH_ERR_INPUT);
    assert_ok(hyb_rate_cache_path(model, path, length + 1));
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(hyb_rate_cache_path(text, path, 5000), XH_ERR_INPUT);
    text[0] = '/';
    setenv("XDG_CACHE_HOME", text, 1);
    assert_int_equal(hyb_rate_cache_path(model, path, 5000), XH_ERR_INPUT);
}

TEST_SET_UP(a_saved_table_loads)
{
    hyb_rate_table_t saved = table_of(5.0), loaded;
    const char *said;

    assert_ok(hyb_rate_cache_save(model, &saved));
    assert_ok(load(&loaded, &said));
    assert_string_equal(said, "");
    assert_int_equal(loaded.count, 2);
    assert_true(loaded.point[1].rate == 10.0);
    saved = table_of(7.0);
    assert_ok(hyb_rate_cache_save(model, &saved));
    assert_ok(load(&loaded, &said));
    assert_true(loaded.point[1].rate == 14.0);
    assert_int_equal(files_in(in_root("/cache/xhpl")), 1);
}

TEST_SET_UP(without_a_file_nothing_is_said)
{
    hyb_rate_table_t loaded = {.count = -7};
    const char *said;

    assert_int_equal(load(&loaded, &said), XH_ERR_IO);
    assert_string_equal(said, "");
    assert_int_equal(loaded.count, -7);
}

TEST_SET_UP(a_foreign_file_is_ignored_and_rewritten)
{
    static const char zeros[10000];
    hyb_rate_table_t table = table_of(5.0), loaded = {.count = -7};
    char text[2 * HYB_RATE_TEXT];
    const char *said;
    size_t length;

    assert_ok(hyb_rate_cache_save(model, &table));
    hyb_rate_table_print(&table, model, text, HYB_RATE_TEXT);
    length = strlen(text);
    write_file(text, length - 1);
    assert_int_equal(load(&loaded, &said), XH_ERR_INPUT);
    assert_non_null(strstr(said, file));
    write_file("", 0);
    assert_int_equal(load(&loaded, &said), XH_ERR_INPUT);
    write_file(zeros, sizeof(zeros));
    assert_int_equal(load(&loaded, &said), XH_ERR_INPUT);
    memset(text + length, '1', sizeof(text) - length);
    write_file(text, sizeof(text));
    assert_int_equal(load(&loaded, &said), XH_ERR_INPUT);
    hyb_rate_table_print(&table, "Some GPU 2 (80 GB)", text, HYB_RATE_TEXT);
    write_file(text, strlen(text));
    assert_int_equal(load(&loaded, &said), XH_ERR_INPUT);
    assert_int_equal(loaded.count, -7);
    assert_ok(hyb_rate_cache_save(model, &table));
    assert_ok(load(&loaded, &said));
}

TEST_SET_UP(a_folder_that_cannot_be_written_is_said)
{
    hyb_rate_table_t table = table_of(5.0);

    setenv("XDG_CACHE_HOME", "/proc/self", 1);
    assert_said(hyb_rate_cache_save(model, &table), XH_ERR_IO,
                "/proc/self/xhpl/");
}

/* A folder in the place of the file: nothing of the attempt stays. */
TEST_SET_UP(what_cannot_be_put_in_place_is_removed)
{
    hyb_rate_table_t table = table_of(5.0);
    xh_status_t status;
    char path[256];

    assert_ok(hyb_rate_cache_save("other", &table));
    assert_ok(hyb_rate_cache_path(model, path, sizeof(path)));
    assert_int_equal(mkdir(path, 0777), 0);
    capture_begin();
    status = hyb_rate_cache_save(model, &table);
    capture_end(NULL);
    assert_int_equal(status, XH_ERR_IO);
    assert_int_equal(files_in(in_root("/cache/xhpl")), 2);
}

TEST_SET_UP(without_any_folder_the_run_goes_on)
{
    hyb_rate_table_t table = table_of(5.0);
    char path[256];

    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(hyb_rate_cache_path(model, path, sizeof(path)),
                     XH_ERR_INPUT);
    assert_int_equal(hyb_rate_cache_load(model, &table), XH_ERR_INPUT);
    assert_said(hyb_rate_cache_save(model, &table), XH_ERR_INPUT, model);
}

TEST_MAIN()
