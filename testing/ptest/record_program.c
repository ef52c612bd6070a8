/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include "facts.h" /* made by the Makefile: XH_REVISION, XH_COMPILE */
#include "testing/ptest/record_value.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

json_t *xhpl_record_program(void)
{
    json_t *object = json_object();

    xhpl_json_set_text(object, "name", "xhpl");
    xhpl_json_set_text(object, "version", XH_VERSION);
    xhpl_json_set_text(object, "revision", XH_REVISION);
    xhpl_json_set_text(object, "compiler", COMPILER);
    xhpl_json_set_text(object, "compile_command", XH_COMPILE);
    return object;
}

/* The system keeps the words where they were; getopt only moves pointers. */
json_t *xhpl_record_command_line(void)
{
    json_t *array = json_array();
    FILE *in = fopen("/proc/self/cmdline", "r");
    char *word = NULL;
    size_t capacity = 0;

    if (in == NULL)
        return array;
    while (getdelim(&word, &capacity, '\0', in) > 0) {
        json_t *text = xhpl_json_text(word);

        json_array_append_new(array,
                              json_is_string(text) ? text : json_string(""));
    }
    free(word);
    fclose(in);
    return array;
}
