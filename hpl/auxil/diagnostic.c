/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "base/status.h"
#include "hpl/auxil/diagnostic.h"

typedef struct {
    char *text; /* of HPL_DIAGNOSTIC_SIZE */
    size_t length;
} line_t;

static void add_values(line_t *line, const char *form, va_list values)
    __attribute__((format(printf, 2, 0)));
static void add(line_t *line, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

static void add_values(line_t *line, const char *form, va_list values)
{
    size_t left = HPL_DIAGNOSTIC_SIZE - line->length;
    int wanted = vsnprintf(line->text + line->length, left, form, values);

    if (wanted > 0)
        line->length += Mmin((size_t)wanted, left - 1);
}

static void add(line_t *line, const char *form, ...)
{
    va_list values;

    va_start(values, form);
    add_values(line, form, values);
    va_end(values);
}

void hpl_diagnostic_print(const hpl_origin_t *origin, const char *form,
                          va_list values, char line_p[HPL_DIAGNOSTIC_SIZE])
{
    line_t line = {.text = line_p, .length = 0};

    add(&line, "HPL %s", origin->kind);
    if (origin->process != NULL)
        add(&line, " from %s,", origin->process);
    if (origin->line > 0)
        add(&line, " on line %d of", origin->line);
    else
        add(&line, " in");
    add(&line, " function %s: ", origin->function);
    add_values(&line, form, values);
    while (line.length > 0 && line.text[line.length - 1] == '\n')
        line.length--;
    line_p[line.length] = '\0';
}

void hpl_diagnostic_write(FILE *stream, const hpl_origin_t *origin,
                          const char *form, va_list values)
{
    char line[HPL_DIAGNOSTIC_SIZE];

    hpl_diagnostic_print(origin, form, values, line);
    fprintf(stream, "%s\n", line);
    fflush(stream);
}

void HPL_abort(int LINE, const char *SRNAME, const char *FORM, ...)
{
    hpl_origin_t origin = {.kind = "ERROR", .function = SRNAME, .line = LINE};
    va_list values;

    va_start(values, FORM);
    hpl_diagnostic_write(stderr, &origin, FORM, values);
    va_end(values);
    exit(XH_EXIT_RUNTIME);
}

void HPL_warn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...)
{
    hpl_origin_t origin = {.kind = "WARNING", .function = SRNAME, .line = LINE};
    va_list values;

    va_start(values, FORM);
    hpl_diagnostic_write(STREAM, &origin, FORM, values);
    va_end(values);
}

void HPL_fprintf(FILE *STREAM, const char *FORM, ...)
{
    va_list values;

    va_start(values, FORM);
    vfprintf(STREAM, FORM, values);
    va_end(values);
    fflush(STREAM);
}
