/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/hpl/reference_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testing/ptest/dat_file.h"

enum { SIZE_MOST = 1 << 16 };

char *reference_file_read(const char *name, size_t *length_p)
{
    const char *source = getenv("TEST_XHPL_SOURCE");
    char *text = malloc(SIZE_MOST);
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/testing/data/reference/%s",
             source != NULL ? source : ".", name);
    file = fopen(path, "rb");
    if (text == NULL || file == NULL) {
        perror(path);
        abort();
    }
    *length_p = fread(text, 1, SIZE_MOST - 1, file);
    text[*length_p] = '\0';
    fclose(file);
    return text;
}

xhpl_parameters_t reference_file_parameters(const char *name)
{
    xhpl_parameters_t parameters;
    xhpl_dat_error_t error;
    xhpl_dat_notes_t notes;
    size_t length;
    char *text = reference_file_read(name, &length);

    if (xhpl_dat_parse(text, length, &parameters, &notes, &error) != XH_OK) {
        fprintf(stderr, "%s, line %d: %s\n", name, error.line, error.text);
        abort();
    }
    free(text);
    return parameters;
}

bool reference_file_is_same(const xhpl_parameters_t *a,
                            const xhpl_parameters_t *b)
{
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        if (a->list[q].count != b->list[q].count ||
            memcmp(a->list[q].value, b->list[q].value,
                   (size_t)a->list[q].count * sizeof(int)) != 0)
            return false;
    return a->threshold == b->threshold && strcmp(a->output, b->output) == 0;
}
