/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/log.h"
#include "base/text.h"

enum {
    OUTPUT_LINE = 3,
    FILE_SIZE_MOST = 1 << 20,
    SHOWN_MOST = 40,                  /* bytes of a token in a message */
    TOKEN_SIZE = XHPL_OUTPUT_SIZE + 1 /* longer tokens are cut */
};

/* the rest of a line */
typedef struct {
    const char *at, *end;
} span_t;

/* the file and its contents */
typedef struct {
    span_t line[XHPL_DAT_LINES]; /* line[i] is line number i + 1 */
    int lines;                   /* in the file, at most 31 */
    xhpl_parameters_t parameters;
    xhpl_dat_notes_t *notes;
    xhpl_dat_error_t *error;
} reader_t;

/* The comments of HPL 2.3, word for word: scripts find lines by them. */
static const char *const comments[XHPL_DAT_LINES + 1] = {
    [3] = "output file name (if any)",
    [4] = "device out (6=stdout,7=stderr,file)",
    [5] = "# of problems sizes (N)",
    [6] = "Ns",
    [7] = "# of NBs",
    [8] = "NBs",
    [9] = "PMAP process mapping (0=Row-,1=Column-major)",
    [10] = "# of process grids (P x Q)",
    [11] = "Ps",
    [12] = "Qs",
    [13] = "threshold",
    [14] = "# of panel fact",
    [15] = "PFACTs (0=left, 1=Crout, 2=Right)",
    [16] = "# of recursive stopping criterium",
    [17] = "NBMINs (>= 1)",
    [18] = "# of panels in recursion",
    [19] = "NDIVs",
    [20] = "# of recursive panel fact.",
    [21] = "RFACTs (0=left, 1=Crout, 2=Right)",
    [22] = "# of broadcast",
    [23] = "BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
    [24] = "# of lookahead depth",
    [25] = "DEPTHs (>=0)",
    [26] = "SWAP (0=bin-exch,1=long,2=mix)",
    [27] = "swapping threshold",
    [28] = "L1 in (0=transposed,1=no-transposed) form",
    [29] = "U  in (0=transposed,1=no-transposed) form",
    [30] = "Equilibration (0=no,1=yes)",
    [31] = "memory alignment in double (> 0)"};

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

/*
 * Take the next token off line; an empty one at the end of the line. A 0 byte
 * becomes the end of a line, which no value contains.
 */
static void next_token(span_t *line, char token[TOKEN_SIZE])
{
    size_t length = 0;

    while (line->at < line->end && blank(*line->at))
        line->at++;
    for (; line->at < line->end && !blank(*line->at); line->at++)
        if (length + 1 < TOKEN_SIZE)
            token[length++] = *line->at != '\0' ? *line->at : '\n';
    token[length] = '\0';
}

/* ---- a line that is another's -------------------------------------------- */

/* Does line index + 1 end in the comment of line `number`, after numbers or, on
 * the line of the output file, a name? */
static bool has_comment_of(const reader_t *reader, int index, int number)
{
    span_t line = reader->line[index];
    const char *comment = comments[number];
    size_t length = comment != NULL ? strlen(comment) : 0, before;

    while (line.end > line.at && blank(line.end[-1]))
        line.end--;
    before = (size_t)(line.end - line.at);
    if (length == 0 || before <= length ||
        memcmp(line.end - length, comment, length) != 0)
        return false;
    before -= length;
    for (size_t i = 0; i < before && number != OUTPUT_LINE; i++)
        if (strchr("0123456789.+-eE \t", line.at[i]) == NULL)
            return false;
    return blank(line.at[before - 1]);
}

/* The number of the line whose comment line index + 1 has; 0: none, or its own
 * comment. */
static int belongs_to(const reader_t *reader, int index)
{
    for (int number = 1; number <= XHPL_DAT_LINES; number++)
        if (has_comment_of(reader, index, number))
            return number == index + 1 ? 0 : number;
    return 0;
}

/* Report that lines from .. to - 1 are missing. */
static void say_missing(xhpl_dat_error_t *error, int from, int to)
{
    if (to == from + 1 && comments[from] != NULL)
        snprintf(error->text, sizeof(error->text),
                 "this line, '%s', is missing: found the value of line %d, "
                 "'%s', instead",
                 comments[from], to, comments[to]);
    else if (to == from + 1)
        snprintf(
            error->text, sizeof(error->text),
            "this line is missing: found the value of line %d, '%s', instead",
            to, comments[to]);
    else
        snprintf(error->text, sizeof(error->text),
                 "lines %d to %d are missing: found the value of line %d, "
                 "'%s', instead",
                 from, to - 1, to, comments[to]);
}

/* The first line, up to the one that was refused, that has the comment of
 * another line is the error: later errors follow from it. */
static void blame_moved_line(const reader_t *reader)
{
    xhpl_dat_error_t *error = reader->error;

    for (int i = 0; i < reader->lines && i < error->line; i++) {
        int number = belongs_to(reader, i);

        if (number == 0)
            continue;
        error->line = i + 1;
        if (number > i + 1)
            say_missing(error, i + 1, number);
        else
            snprintf(error->text, sizeof(error->text),
                     "found the value of line %d, '%s'; above it are lines "
                     "that no HPL.dat has",
                     number, comments[number]);
        return;
    }
}

/* ---- values -------------------------------------------------------------- */

/* advice  in  what is allowed, and the nearest valid value */
static xh_status_t refuse(reader_t *reader, int line, const char *token,
                          const char *wanted, const char *advice)
{
    xhpl_dat_error_t *error = reader->error;
    char shown[SHOWN_MOST + 8] = "nothing";

    if (token[0] != '\0')
        snprintf(shown, sizeof(shown), "'%.*s%s'", SHOWN_MOST, token,
                 strlen(token) > SHOWN_MOST ? "..." : "");
    error->line = line;
    snprintf(error->text, sizeof(error->text), "found %s in place of %s; %s",
             shown, wanted, advice);
    return XH_ERR_INPUT;
}

/* Fail if the file ends before line. */
static xh_status_t need_line(reader_t *reader, int line)
{
    if (line <= reader->lines)
        return XH_OK;
    reader->error->line = reader->lines + 1;
    snprintf(reader->error->text, sizeof(reader->error->text),
             "the file ends after %d lines; allowed: all %d lines",
             reader->lines, XHPL_DAT_LINES);
    return XH_ERR_INPUT;
}

/* Read how many values the list of quantity has. */
static xh_status_t read_count(reader_t *reader, xhpl_quantity_t quantity)
{
    static const xhpl_quantity_row_t number = {
        .least = 1, .most = XHPL_LIST_MOST, .initial = 1};
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    char token[TOKEN_SIZE], wanted[64], advice[128];
    span_t line; /* P and Q share their line */

    if (row->count_line == 0)
        return XH_OK;
    XH_TRY(need_line(reader, row->count_line));
    line = reader->line[row->count_line - 1];
    next_token(&line, token);
    if (xhpl_integer_parse(token, number.least, number.most,
                           &reader->parameters.list[quantity].count) == XH_OK)
        return XH_OK;
    snprintf(wanted, sizeof(wanted), "the number of %s values", row->label);
    xhpl_quantity_advice(&number, token, XHPL_NUMBERS, advice, sizeof(advice));
    return refuse(reader, row->count_line, token, wanted, advice);
}

/* Add a note, once per line. */
static void note(reader_t *reader, const xhpl_quantity_row_t *row,
                 const char *token, int value)
{
    xhpl_dat_notes_t *notes = reader->notes;
    xhpl_dat_error_t *last = &notes->note[notes->count];

    if (notes->count > 0 && last[-1].line == row->line)
        return;
    notes->count++;
    last->line = row->line;
    snprintf(last->text, sizeof(last->text),
             "'%.40s' is taken as %d%s%s%s for %s, as HPL 2.3 does", token,
             value, row->forms != NULL ? " (" : "",
             row->forms != NULL ? row->forms[value - row->least] : "",
             row->forms != NULL ? ")" : "", row->what);
}

/* Read an integer that is not allowed but that HPL 2.3 runs, or the word that
 * the comment of the device line offers. */
static bool read_leniently(reader_t *reader, xhpl_quantity_t quantity,
                           int index, const char *token)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    int *value = &reader->parameters.list[quantity].value[index], any;

    if (quantity == XHPL_DEVICE && strcasecmp(token, "file") == 0) {
        *value = 0; /* any but 6 and 7 */
        return true;
    }
    if (!row->is_lenient ||
        xhpl_integer_parse(token, INT_MIN, INT_MAX, &any) != XH_OK ||
        (row->words == NULL && any > row->most))
        return false;
    *value = row->fallback;
    note(reader, row, token, row->fallback);
    return true;
}

static xh_status_t read_values(reader_t *reader, xhpl_quantity_t quantity)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    int count = reader->parameters.list[quantity].count;
    char token[TOKEN_SIZE], wanted[128], advice[320];

    XH_TRY(need_line(reader, row->line));
    for (int i = 0; i < count; i++) {
        next_token(&reader->line[row->line - 1], token);
        if (xhpl_parameters_store(quantity, i, token, XHPL_NUMBERS,
                                  &reader->parameters) == XH_OK ||
            read_leniently(reader, quantity, i, token))
            continue;
        snprintf(wanted, sizeof(wanted), "%s, value %d of %d", row->what, i + 1,
                 count);
        xhpl_quantity_advice(row, token, XHPL_NUMBERS, advice, sizeof(advice));
        return refuse(reader, row->line, token, count > 1 ? wanted : row->what,
                      advice);
    }
    return XH_OK;
}

/* The name of the output file matters only if the device is a file. */
static xh_status_t read_output(reader_t *reader)
{
    int device = xhpl_parameters_value(&reader->parameters, XHPL_DEVICE);
    char name[TOKEN_SIZE], advice[64];

    next_token(&reader->line[OUTPUT_LINE - 1], name);
    if (device == XHPL_DEVICE_STDOUT || device == XHPL_DEVICE_STDERR)
        return XH_OK;
    if (name[0] == '\0' || strlen(name) >= XHPL_OUTPUT_SIZE ||
        strchr(name, '\n') != NULL) {
        snprintf(advice, sizeof(advice), "allowed: a name of 1 to %d bytes",
                 XHPL_OUTPUT_SIZE - 1);
        return refuse(reader, OUTPUT_LINE, name, "the output file", advice);
    }
    strcpy(reader->parameters.output, name);
    return XH_OK;
}

/* Read in the order of the file, so that the first wrong line is reported. */
static xh_status_t read_all(reader_t *reader)
{
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        XH_TRY(read_count(reader, q));
        XH_TRY(read_values(reader, q));
        if (q == XHPL_DEVICE)
            XH_TRY(read_output(reader));
    }
    return XH_OK;
}

xh_status_t xhpl_dat_parse(const char *text, size_t length,
                           xhpl_parameters_t *parameters_p,
                           xhpl_dat_notes_t *notes_p, xhpl_dat_error_t *error_p)
{
    reader_t reader = {.notes = notes_p, .error = error_p}, whole = reader;
    xh_status_t status;

    notes_p->count = 0;
    xhpl_parameters_default(&reader.parameters);
    split_lines(&reader, text, length);
    split_lines(&whole, text, length);
    status = read_all(&reader);
    if (status == XH_OK)
        *parameters_p = reader.parameters;
    else
        blame_moved_line(&whole);
    return status;
}

xh_status_t xhpl_dat_read(const char *path, xhpl_parameters_t *parameters_p)
{
    size_t length;
    char *text = xh_text_read(path, FILE_SIZE_MOST, &length);
    xh_status_t status = XH_ERR_IO;
    xhpl_dat_notes_t notes;
    xhpl_dat_error_t error;

    if (text == NULL)
        xh_log_error(
            "cannot read %s: %s; a run needs this file, or the "
            "option -n; xhpl --plan --write HPL.dat makes one for this "
            "machine",
            path, strerror(errno));
    else {
        status = xhpl_dat_parse(text, length, parameters_p, &notes, &error);
        for (int i = 0; status == XH_OK && i < notes.count; i++)
            xh_log_warning("%s, line %d: %s", path, notes.note[i].line,
                           notes.note[i].text);
        if (status != XH_OK)
            xh_log_error("%s, line %d: %s", path, error.line, error.text);
    }
    free(text);
    return status;
}

/* ---- writing ------------------------------------------------------------- */

enum { FIRST = 4, WIDTH = 12 }; /* first line of numbers; width of the values */

/* The quantity whose values, or their number, are in line. */
static xhpl_quantity_t quantity_of(int line)
{
    int q = 0;

    while (xhpl_quantity(q)->line != line &&
           xhpl_quantity(q)->count_line != line)
        q++;
    return q;
}

static void write_line(FILE *out, int line, const xhpl_parameters_t *parameters)
{
    xhpl_quantity_t quantity = quantity_of(line);
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    const xhpl_list_t *list = &parameters->list[quantity];
    int length = 0;

    if (line == row->count_line)
        length = fprintf(out, "%d", list->count);
    else if (quantity == XHPL_THRESHOLD)
        length = fprintf(out, "%.17g", parameters->threshold);
    else
        for (int i = 0; i < list->count; i++)
            length += fprintf(out, "%s%d", i > 0 ? " " : "", list->value[i]);
    fprintf(out, "%*s %s\n", length < WIDTH ? WIDTH - length : 0, "",
            comments[line]);
}

void xhpl_dat_write(FILE *out, const xhpl_parameters_t *parameters)
{
    fprintf(out, "HPLinpack benchmark input file\nwritten by xhpl\n");
    fprintf(out, "%-*s %s\n", WIDTH, parameters->output, comments[OUTPUT_LINE]);
    for (int line = FIRST; line <= XHPL_DAT_LINES; line++)
        write_line(out, line, parameters);
}

/* Create a new file; errno tells the error. */
static xh_status_t create(const char *name, FILE **out_p)
{
    *out_p = fopen(name, "wx");
    if (*out_p != NULL)
        return XH_OK;
    if (errno == EEXIST)
        xh_log_error("--write: %s exists, and is not replaced: remove it, or "
                     "name another file",
                     name);
    else
        xh_log_error("--write: %s cannot be written: %s", name,
                     strerror(errno));
    return XH_ERR_INPUT;
}

xh_status_t xhpl_dat_try(const char *name)
{
    FILE *out;

    XH_TRY(create(name, &out));
    fclose(out);
    unlink(name);
    return XH_OK;
}

xh_status_t xhpl_dat_create(const char *name,
                            const xhpl_parameters_t *parameters)
{
    FILE *out;

    XH_TRY(create(name, &out));
    xhpl_dat_write(out, parameters);
    if (fclose(out) == 0)
        return XH_OK;
    xh_log_error("--write: %s cannot be written: %s", name, strerror(errno));
    unlink(name);
    return XH_ERR_INPUT;
}
