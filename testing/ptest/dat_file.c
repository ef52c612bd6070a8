/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"

enum {
    OUTPUT_LINE = 3,
    FILE_SIZE_MOST = 1 << 20,
    SHOWN_MOST = 40,                  /* bytes of a token in a message */
    TOKEN_SIZE = XHPL_OUTPUT_SIZE + 1 /* longer tokens are cut */
};

/* what is left of a line */
typedef struct {
    const char *at, *end;
} span_t;

/* the file and its contents */
typedef struct {
    span_t line[XHPL_DAT_LINES]; /* number i + 1 */
    int lines;                   /* of the file, at most 31 */
    xhpl_parameters_t parameters;
    xhpl_dat_error_t *error;
} reader_t;

/* ---- reading ------------------------------------------------------------- */

static void split_lines(reader_t *reader, const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end && reader->lines < XHPL_DAT_LINES) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        if (stop == NULL)
            stop = end;
        reader->line[reader->lines++] = (span_t){text, stop};
        text = stop < end ? stop + 1 : end;
    }
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Take the next token off line; it is empty at the line's end. */
static void next_token(span_t *line, char token[TOKEN_SIZE])
{
    size_t length = 0;

    while (line->at < line->end && blank(*line->at))
        line->at++;
    for (; line->at < line->end && !blank(*line->at); line->at++)
        if (length + 1 < TOKEN_SIZE)
            token[length++] = *line->at != '\0' ? *line->at : '?';
    token[length] = '\0';
}

/* nearest  in  the nearest valid value; "": there is none */
static xh_status_t refuse(reader_t *reader, int line, const char *token,
                          const char *wanted, const char *allowed,
                          const char *nearest)
{
    xhpl_dat_error_t *error = reader->error;
    char shown[SHOWN_MOST + 8] = "nothing";
    bool names = token[0] != '\0' && *nearest != '\0';

    if (token[0] != '\0')
        snprintf(shown, sizeof(shown), "'%.*s%s'", SHOWN_MOST, token,
                 strlen(token) > SHOWN_MOST ? "..." : "");
    error->line = line;
    snprintf(error->text, sizeof(error->text),
             "found %s in place of %s; allowed: %s%s%s", shown, wanted, allowed,
             names ? "; the nearest is " : "", names ? nearest : "");
    return XH_ERR_INPUT;
}

/* Line number line, or the refusal of a file that ends before it. */
static xh_status_t need_line(reader_t *reader, int line, span_t *line_p)
{
    if (line > reader->lines) {
        reader->error->line = reader->lines + 1;
        snprintf(reader->error->text, sizeof(reader->error->text),
                 "the file ends after %d lines; allowed: all %d lines",
                 reader->lines, XHPL_DAT_LINES);
        return XH_ERR_INPUT;
    }
    *line_p = reader->line[line - 1];
    return XH_OK;
}

/* How many values the list of quantity has. */
static xh_status_t read_count(reader_t *reader, xhpl_quantity_t quantity)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    char token[TOKEN_SIZE], wanted[64], allowed[64], nearest[16];
    span_t line;
    xh_status_t status;

    if (row->count_line == 0)
        return XH_OK;
    snprintf(wanted, sizeof(wanted), "the number of %s values", row->label);
    status = need_line(reader, row->count_line, &line);
    if (status != XH_OK)
        return status;
    next_token(&line, token);
    if (xhpl_integer_parse(token, 1, XHPL_LIST_MOST,
                           &reader->parameters.list[quantity].count) == XH_OK)
        return XH_OK;
    snprintf(allowed, sizeof(allowed), "an integer from 1 to %d",
             XHPL_LIST_MOST);
    snprintf(nearest, sizeof(nearest), "%.0f",
             xhpl_integer_nearest(token, 1, XHPL_LIST_MOST, 1));
    return refuse(reader, row->count_line, token, wanted, allowed, nearest);
}

static xh_status_t refuse_value(reader_t *reader, xhpl_quantity_t quantity,
                                const char *token, const char *wanted)
{
    char allowed[256], nearest[64];

    xhpl_quantity_allowed(quantity, allowed, sizeof(allowed));
    xhpl_quantity_nearest(quantity, token, XHPL_NUMBERS, nearest,
                          sizeof(nearest));
    return refuse(reader, xhpl_quantity(quantity)->line, token, wanted, allowed,
                  nearest);
}

static xh_status_t read_values(reader_t *reader, xhpl_quantity_t quantity)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    int count = reader->parameters.list[quantity].count;
    char token[TOKEN_SIZE], wanted[128];
    span_t line;
    xh_status_t status;

    status = need_line(reader, row->line, &line);
    for (int i = 0; i < count && status == XH_OK; i++) {
        next_token(&line, token);
        status = xhpl_parameters_store(quantity, i, token, XHPL_NUMBERS,
                                       &reader->parameters);
        if (status == XH_OK)
            continue;
        snprintf(wanted, sizeof(wanted), "%s, value %d of %d", row->what, i + 1,
                 count);
        status = refuse_value(reader, quantity, token,
                              count > 1 ? wanted : row->what);
    }
    return status;
}

/* The output file's name matters only if the device is a file. */
static xh_status_t read_output(reader_t *reader)
{
    int device = xhpl_parameters_value(&reader->parameters, XHPL_DEVICE);
    span_t *line = &reader->line[OUTPUT_LINE - 1];
    const char *zero = memchr(line->at, '\0', (size_t)(line->end - line->at));
    char name[TOKEN_SIZE], allowed[64];

    next_token(line, name);
    if (device == XHPL_DEVICE_STDOUT || device == XHPL_DEVICE_STDERR)
        return XH_OK;
    if (name[0] == '\0' || strlen(name) >= XHPL_OUTPUT_SIZE ||
        (zero != NULL && zero < line->at)) {
        snprintf(allowed, sizeof(allowed), "a name of 1 to %d bytes",
                 XHPL_OUTPUT_SIZE - 1);
        return refuse(reader, OUTPUT_LINE, name, "the output file", allowed,
                      "");
    }
    strcpy(reader->parameters.output, name);
    return XH_OK;
}

/* The table's order is the file's, so the first line at fault is reported. */
static xh_status_t read_quantities(reader_t *reader)
{
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        xh_status_t status = read_count(reader, q);

        if (status == XH_OK)
            status = read_values(reader, q);
        if (status == XH_OK && q == XHPL_DEVICE)
            status = read_output(reader);
        if (status != XH_OK)
            return status;
    }
    return XH_OK;
}

xh_status_t xhpl_dat_parse(const char *text, size_t length,
                           xhpl_parameters_t *parameters_p,
                           xhpl_dat_error_t *error_p)
{
    reader_t reader = {.error = error_p};
    xh_status_t status;

    xhpl_parameters_default(&reader.parameters);
    split_lines(&reader, text, length);
    status = read_quantities(&reader);
    if (status == XH_OK)
        *parameters_p = reader.parameters;
    return status;
}

/* The bytes of the file at path, to be freed by the caller. */
static xh_status_t load(const char *path, char **text_p, size_t *length_p)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    int failure = errno;

    if (file != NULL) {
        text = malloc(FILE_SIZE_MOST);
        failure = ENOMEM;
    }
    if (text != NULL) {
        errno = 0;
        length = fread(text, 1, FILE_SIZE_MOST, file);
        failure = ferror(file) ? errno : 0;
    }
    if (file != NULL)
        fclose(file);
    if (length == FILE_SIZE_MOST)
        failure = EFBIG;
    if (failure != 0) {
        xh_log_error(
            "cannot read %s: %s; a run needs this file, or the "
            "options -n, --nb, -p and -q; xhpl --plan --write HPL.dat makes "
            "one for this machine",
            path, strerror(failure));
        free(text);
        return XH_ERR_IO;
    }
    *text_p = text;
    *length_p = length;
    return XH_OK;
}

xh_status_t xhpl_dat_read(const char *path, xhpl_parameters_t *parameters_p)
{
    xhpl_dat_error_t error;
    xh_status_t status;
    size_t length;
    char *text;

    status = load(path, &text, &length);
    if (status != XH_OK)
        return status;
    status = xhpl_dat_parse(text, length, parameters_p, &error);
    if (status != XH_OK)
        xh_log_error("%s, line %d: %s", path, error.line, error.text);
    free(text);
    return status;
}

/* ---- writing ------------------------------------------------------------- */

enum { FIRST = 4, LAST = 31, WIDTH = 12 }; /* lines of numbers; a column */

/* The quantity whose values, or whose count, are in line. */
static xhpl_quantity_t quantity_of(int line)
{
    int q = 0;

    while (xhpl_quantity(q)->line != line &&
           xhpl_quantity(q)->count_line != line)
        q++;
    return q;
}

static void write_comment(FILE *out, int length, const char *before,
                          const char *what)
{
    fprintf(out, "%*s %s%s\n", length < WIDTH ? WIDTH - length : 0, "", before,
            what);
}

static void write_values(FILE *out, xhpl_quantity_t quantity,
                         const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *list = &parameters->list[quantity];
    int length = 0;

    if (quantity == XHPL_THRESHOLD)
        length = fprintf(out, "%.17g", parameters->threshold);
    for (int i = 0; i < list->count && quantity != XHPL_THRESHOLD; i++)
        length += fprintf(out, "%s%d", i > 0 ? " " : "", list->value[i]);
    write_comment(out, length, "", xhpl_quantity(quantity)->what);
}

static void write_line(FILE *out, int line, const xhpl_parameters_t *parameters)
{
    xhpl_quantity_t quantity = quantity_of(line);

    if (xhpl_quantity(quantity)->line == line)
        write_values(out, quantity, parameters);
    else
        write_comment(out, fprintf(out, "%d", parameters->list[quantity].count),
                      "how many values: ", xhpl_quantity(quantity)->what);
}

void xhpl_dat_write(FILE *out, const xhpl_parameters_t *parameters)
{
    fprintf(out, "HPLinpack benchmark input file\nwritten by xhpl\n");
    fprintf(out, "%s output file\n", parameters->output);
    for (int line = FIRST; line <= LAST; line++)
        write_line(out, line, parameters);
}

/* A new file; errno says why there is none. */
static xh_status_t create(const char *name, FILE **out_p)
{
    *out_p = fopen(name, "wx");
    if (*out_p != NULL)
        return XH_OK;
    if (errno == EEXIST)
        xh_log_error("--write: %s exists, and is left as it is", name);
    else
        xh_log_error("--write: %s cannot be written: %s", name,
                     strerror(errno));
    return XH_ERR_INPUT;
}

xh_status_t xhpl_dat_try(const char *name)
{
    FILE *out;
    xh_status_t status = create(name, &out);

    if (status == XH_OK) {
        fclose(out);
        unlink(name);
    }
    return status;
}

xh_status_t xhpl_dat_create(const char *name,
                            const xhpl_parameters_t *parameters)
{
    FILE *out;
    xh_status_t status = create(name, &out);

    if (status != XH_OK)
        return status;
    xhpl_dat_write(out, parameters);
    if (fclose(out) == 0)
        return XH_OK;
    xh_log_error("--write: %s cannot be written: %s", name, strerror(errno));
    unlink(name);
    return XH_ERR_INPUT;
}
