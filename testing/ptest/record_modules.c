/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdlib.h>
#include <string.h>
#include "base/sysfile.h"
#include "testing/json/json.h"

/*
 * The firmware's tables as SMBIOS lays them out: consecutive structures, each a
 * type, the length of its formatted part, that part, and texts that end in 0
 * bytes; two 0 bytes end the last text. Numbers are little-endian; texts are
 * numbered from 1.
 */
enum {
    TYPE = 0,
    LENGTH = 1,
    MEMORY_DEVICE = 17,
    TABLES_MOST = 1 << 20, /* bytes */
    /* offsets in a memory device, and its least size */
    SIZE = 0x0c,
    SLOT = 0x10,
    MAKER = 0x17,
    PART = 0x1a,
    SIZE_IN_MB = 0x1c,
    SPEED = 0x20,
    ALL = 0x22,
    /* of SIZE */
    IN_KB = 0x8000,
    UNKNOWN = 0xffff,
    ELSEWHERE = 0x7fff /* in SIZE_IN_MB */
};

static unsigned word(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

/* Size of a memory device in bytes; 0: the slot is empty, or unknown. */
static int64_t bytes_of(const unsigned char *device)
{
    const int64_t kb = 1024, mb = 1024 * kb;
    unsigned size = word(device + SIZE);

    if (size == UNKNOWN)
        return 0;
    if (size == ELSEWHERE)
        return mb * (word(device + SIZE_IN_MB) |
                     (int64_t)word(device + SIZE_IN_MB + 2) << 16);
    return (size & IN_KB) != 0 ? kb * (size & ~(unsigned)IN_KB) : mb * size;
}

/* Text number `number` after the formatted part, without surrounding blanks; ""
 * if there is none. */
static json_t *text_of(const unsigned char *device, int number)
{
    const char *at = (const char *)device + device[LENGTH];
    char text[64];

    for (; number > 1 && *at != '\0'; number--)
        at += strlen(at) + 1;
    at += strspn(at, " ");
    snprintf(text, sizeof(text), "%s", number == 1 ? at : "");
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';)
        text[--end] = '\0';
    return xh_json_text(text);
}

static json_t *module_of(const unsigned char *device)
{
    return XH_JSON_OBJECT({"slot", text_of(device, device[SLOT])},
                          {"bytes", json_integer(bytes_of(device))},
                          {"speed_mts", xh_json_positive(word(device + SPEED))},
                          {"maker", text_of(device, device[MAKER])},
                          {"part", text_of(device, device[PART])});
}

/* The start of the next structure; NULL: this one exceeds the end. */
static const unsigned char *after(const unsigned char *at,
                                  const unsigned char *end)
{
    for (at += at[LENGTH]; at + 1 < end; at++)
        if (at[0] == '\0' && at[1] == '\0')
            return at + 2;
    return NULL;
}

json_t *xhpl_record_modules(const char *root)
{
    unsigned char *tables = calloc(TABLES_MOST + 1, 1);
    char path[XH_SYSFILE_PATH];
    json_t *modules = json_array();
    const unsigned char *at = tables, *next, *end = tables;
    FILE *in = NULL;

    if (tables != NULL &&
        xh_sysfile_path(root, "sys/firmware/dmi/tables/DMI", path))
        in = fopen(path, "rb");
    if (in != NULL) {
        end += fread(tables, 1, TABLES_MOST, in);
        fclose(in);
    }
    while (end - at > LENGTH && (next = after(at, end)) != NULL) {
        if (at[TYPE] == MEMORY_DEVICE && at[LENGTH] >= ALL && bytes_of(at) > 0)
            json_array_append_new(modules, module_of(at));
        at = next;
    }
    free(tables);
    if (json_array_size(modules) > 0)
        return modules;
    json_decref(modules);
    return NULL;
}
