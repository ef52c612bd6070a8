/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: json */
#include "testing/ptest/record_parts.h"

#include <string.h>
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

/* A memory device of 0x22 bytes whose texts are slot, maker and part. */
#define DEVICE(size, size_in_mb, speed)                                        \
    "\x11\x22\x01\x00"                                                         \
    "........" size "..\x01......\x02..\x03." size_in_mb speed "DIMM A1\0"     \
    " Maker \0"                                                                \
    "PN-7\0\0"
#define OTHER "\x04\x06..ab\0\0" /* of another type, without texts */
#define OTHER_WITH_TEXT                                                        \
    "\x04\x05..c"                                                              \
    "pu\0\0" /* one text */
#define END "\x7f\x04..\0\0"

static void write_tables(const char *bytes, size_t size)
{
    static const char file[] = "sys/firmware/dmi/tables/DMI";
    char path[4096];
    FILE *out;

    fake_root_write(file, "");
    snprintf(path, sizeof(path), "%s/%s", fake_root, file);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

#define MODULES_OF(bytes) modules_of(bytes, sizeof(bytes) - 1)

static json_t *modules_of(const char *bytes, size_t size)
{
    write_tables(bytes, size);
    return xhpl_record_modules(fake_root);
}

static json_int_t number(const json_t *modules, size_t index, const char *key)
{
    return json_integer_value(
        json_object_get(json_array_get(modules, index), key));
}

#define TEST_IN_ROOT(name) TEST_WITH(name, fake_root_open, fake_root_close)

TEST_IN_ROOT(modules_are_found_between_other_structures)
{
    json_t *modules = MODULES_OF(
        OTHER DEVICE("\x00\x40", "....", "\x80\x0c")
            OTHER_WITH_TEXT DEVICE("\x00\x00", "....", "\x80\x0c") /* empty */
        DEVICE("\xff\x7f", "\x00\x00\x01\x00", "\x00\x00") END);
    const json_t *one = json_array_get(modules, 0);

    assert_int_equal(json_array_size(modules), 2);
    assert_int_equal(number(modules, 0, "bytes"), (json_int_t)16 << 30);
    assert_int_equal(number(modules, 0, "speed_mts"), 3200);
    assert_string_equal(json_string_value(json_object_get(one, "slot")),
                        "DIMM A1");
    assert_string_equal(json_string_value(json_object_get(one, "maker")),
                        "Maker");
    assert_string_equal(json_string_value(json_object_get(one, "part")),
                        "PN-7");
    assert_int_equal(number(modules, 1, "bytes"), (json_int_t)64 << 30);
    assert_true(
        json_is_null(json_object_get(json_array_get(modules, 1), "speed_mts")));
    json_decref(modules);
}

/* Whatever a file holds, nothing behind its end is read. */
TEST_IN_ROOT(tables_that_are_cut_give_what_is_whole)
{
    static const char tables[] = DEVICE("\x00\x40", "....", "\x80\x0c")
        DEVICE("\x00\x40", "....", "\x80\x0c") END;
    size_t whole = sizeof(tables) - 1;

    for (size_t size = 0; size <= whole; size++) {
        json_t *modules = modules_of(tables, size);

        assert_true(json_array_size(modules) <= 2);
        json_decref(modules);
    }
}

TEST_IN_ROOT(where_nothing_is_told_there_is_none)
{
    assert_null(xhpl_record_modules(fake_root));
    assert_null(MODULES_OF(OTHER END));
}
