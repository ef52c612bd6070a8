/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"

typedef enum {
    KIND_INT,     /* int64_t at offset */
    KIND_REAL,    /* double at offset */
    KIND_FLAG,    /* bool at offset */
    KIND_TEXT,    /* const char * at offset */
    KIND_ASK,     /* no argument; ask becomes `ask` */
    KIND_TORTURE, /* KIND_REAL, and ask becomes `ask` */
    KIND_DEVICES, /* the setting of that name */
    KIND_SETTING  /* name=value */
} kind_t;

typedef struct {
    const char *name;
    const char *argument; /* its name in --help, NULL: takes none */
    kind_t kind;
    size_t offset; /* in xdg_options_t */
    double least, most;
    xdg_ask_t ask;
    const char *help;
} row_t;

#define AT(member) offsetof(xdg_options_t, member)
#define SIZE_MOST 2147483647.0
#define DAYS_MOST (366.0 * 86400.0)

/* clang-format off */
static const row_t rows[] = {
    {"m", "SIZE", KIND_INT, AT(shape.m), 1, SIZE_MOST, 0,
     "rows of C; 4000"},
    {"n", "SIZE", KIND_INT, AT(shape.n), 1, SIZE_MOST, 0,
     "columns of C; as m"},
    {"k", "SIZE", KIND_INT, AT(shape.k), 1, SIZE_MOST, 0,
     "columns of op(A); 256, with --torture as m"},
    {"transa", NULL, KIND_FLAG, AT(shape.transa), 0, 0, 0,
     "op(A) is A's transpose"},
    {"transb", NULL, KIND_FLAG, AT(shape.transb), 0, 0, 0,
     "op(B) is B's transpose"},
    {"alpha", "X", KIND_REAL, AT(shape.alpha), -1e300, 1e300, 0,
     "factor of op(A) op(B); 1"},
    {"beta", "X", KIND_REAL, AT(shape.beta), -1e300, 1e300, 0,
     "factor of C; 1"},
    {"lda", "SIZE", KIND_INT, AT(shape.lda), 1, SIZE_MOST, 0,
     "elements between A's columns; A's rows"},
    {"ldb", "SIZE", KIND_INT, AT(shape.ldb), 1, SIZE_MOST, 0,
     "elements between B's columns; B's rows"},
    {"ldc", "SIZE", KIND_INT, AT(shape.ldc), 1, SIZE_MOST, 0,
     "elements between C's columns; m"},
    {"devices", "LIST", KIND_DEVICES, 0, 0, 0, 0,
     "none, auto, or parts such as cuda:0,1 and emu:2"},
    {"threads", "COUNT", KIND_INT, AT(threads), 1, 4096, 0,
     "host threads; a core each that no device's feeder needs"},
    {"repeat", "COUNT", KIND_INT, AT(repeat), 1, 100000, 0,
     "measure each rate so often, the median counts; 5"},
    {"verify", NULL, KIND_FLAG, AT(verify), 0, 0, 0,
     "check every product by checksum vectors"},
    {"json", "FILE", KIND_TEXT, AT(json), 0, 0, 0,
     "write all figures, settings and the machine to FILE"},
    {"map", "FILE", KIND_TEXT, AT(map), 0, 0, 0,
     "draw who computed which tile as SVG"},
    {"set", "NAME=VALUE", KIND_SETTING, 0, 0, 0, 0,
     "change one of the settings below"},
    {"torture", "SECONDS", KIND_TORTURE, AT(torture), 0.1, DAYS_MOST,
     XDG_ASK_TORTURE,
     "multiply on and on, check sums of products, watch the devices"},
    {"probe-device", NULL, KIND_ASK, 0, 0, 0, XDG_ASK_PROBE,
     "measure each device's link, and its DGEMM on data that it holds"},
    {"list-devices", NULL, KIND_ASK, 0, 0, 0, XDG_ASK_DEVICES,
     "print what there is to compute with"},
    {"quiet", NULL, KIND_FLAG, AT(quiet), 0, 0, 0,
     "only warnings and errors on stderr"},
    {"help", NULL, KIND_ASK, 0, 0, 0, XDG_ASK_HELP,
     "print this text"},
    {"version", NULL, KIND_ASK, 0, 0, 0, XDG_ASK_VERSION,
     "print the version"},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void fill_getopt_table(struct option table[ROWS + 1])
{
    memset(&table[ROWS], 0, sizeof(table[ROWS]));
    for (int i = 0; i < ROWS; i++)
        table[i] = (struct option){rows[i].name,
                                   rows[i].argument != NULL ? required_argument
                                                            : no_argument,
                                   NULL, i};
}

/* A value that is not a number has no nearest one but the least. */
static xh_status_t refuse_number(const row_t *row, const char *text, double x)
{
    double nearest =
        isnan(x) ? fmax(row->least, 0.0) : fmin(fmax(x, row->least), row->most);

    if (row->kind == KIND_INT)
        nearest = floor(nearest);
    xh_log_error("%s%s: '%.80s' is not allowed; allowed: %s %.12g to %.12g; "
                 "the nearest is %.12g",
                 xh_command_line_dashes(row->name), row->name, text,
                 row->kind == KIND_INT ? "whole numbers," : "numbers,",
                 row->least, row->most, nearest);
    return XH_ERR_INPUT;
}

static xh_status_t read_number(const row_t *row, const char *text,
                               double *number_p)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end != '\0')
        x = NAN;
    if (!(x >= row->least && x <= row->most) ||
        (row->kind == KIND_INT && x != floor(x)))
        return refuse_number(row, text, x);
    *number_p = x;
    return XH_OK;
}

static xh_status_t assign_devices(const char *list)
{
    char assignment[512];

    if (snprintf(assignment, sizeof(assignment), "devices=%s", list) <
        (int)sizeof(assignment))
        return xh_settings_assign(assignment);
    xh_log_error("--devices: a list of %zu characters is too long",
                 strlen(list));
    return XH_ERR_INPUT;
}

static xh_status_t apply(int option, const char *text, void *context)
{
    const row_t *row = &rows[option];
    xdg_options_t *options = context;
    void *member = (char *)options + row->offset;
    xh_status_t status = XH_OK;
    double x = 0.0;

    switch (row->kind) {
    case KIND_INT:
        status = read_number(row, text, &x);
        *(int64_t *)member = (int64_t)x;
        return status;
    case KIND_TORTURE:
        options->ask = row->ask;
        return read_number(row, text, member);
    case KIND_REAL:
        return read_number(row, text, member);
    case KIND_FLAG:
        *(bool *)member = true;
        return XH_OK;
    case KIND_TEXT:
        *(const char **)member = text;
        return XH_OK;
    case KIND_ASK:
        options->ask = row->ask;
        return XH_OK;
    case KIND_DEVICES:
        return assign_devices(text);
    default:
        return xh_settings_assign(text);
    }
}

/* What was not given has its default. */
static void complete(xdg_options_t *options)
{
    xdg_shape_t *s = &options->shape;
    bool torture = options->ask == XDG_ASK_TORTURE;

    s->m = s->m > 0 ? s->m : 4000;
    s->n = s->n > 0 ? s->n : s->m;
    if (s->k == 0)
        s->k = torture ? s->m : 256;
    s->lda = s->lda > 0 ? s->lda : xdg_a_rows(s);
    s->ldb = s->ldb > 0 ? s->ldb : xdg_b_rows(s);
    s->ldc = s->ldc > 0 ? s->ldc : s->m;
    if (options->repeat == 0 && !torture)
        options->repeat = 5;
}

static xh_status_t check_ld(const char *name, int64_t ld, int64_t rows_stored)
{
    if (ld >= rows_stored)
        return XH_OK;
    xh_log_error("--ld%s: %lld is less than the matrix has rows; the nearest "
                 "is %lld",
                 name, (long long)ld, (long long)rows_stored);
    return XH_ERR_INPUT;
}

static xh_status_t check(const xdg_options_t *options)
{
    const xdg_shape_t *s = &options->shape;
    xh_status_t status = check_ld("a", s->lda, xdg_a_rows(s));

    if (status == XH_OK)
        status = check_ld("b", s->ldb, xdg_b_rows(s));
    if (status == XH_OK)
        status = check_ld("c", s->ldc, s->m);
    if (status == XH_OK && options->map != NULL &&
        options->ask != XDG_ASK_RATES) {
        xh_log_error("--map draws a product of a run without --torture and "
                     "--probe-device");
        status = XH_ERR_INPUT;
    }
    if (status == XH_OK && options->ask == XDG_ASK_TORTURE &&
        options->repeat > 0) {
        xh_log_error("--repeat counts products, --torture's number comes from "
                     "its seconds: only one of them can be given");
        status = XH_ERR_INPUT;
    }
    return status;
}

xh_status_t xdg_options_parse(int argc, char **argv, xdg_options_t *options_p)
{
    xdg_options_t options = {.shape = {.alpha = 1, .beta = 1}};
    struct option table[ROWS + 1];
    xh_status_t status;

    fill_getopt_table(table);
    status = xh_command_line_read(argc, argv, table, apply, &options);
    if (status != XH_OK)
        return status;
    complete(&options);
    status = check(&options);
    if (status == XH_OK)
        *options_p = options;
    return status;
}

static void print_row(FILE *out, const row_t *row)
{
    fprintf(out, "  %s%s%s%s\n      %s\n", xh_command_line_dashes(row->name),
            row->name, row->argument == NULL ? "" : " ",
            row->argument == NULL ? "" : row->argument, row->help);
}

void xdg_options_print_help(FILE *out)
{
    fprintf(out, "Usage: xdgemm [OPTION]...\n"
                 "\n"
                 "Multiply matrices in host memory, C := beta C + alpha op(A) "
                 "op(B), on the\nhost's cores alone, on each device alone, and "
                 "on all together, and report\nthe rates.\n"
                 "\n"
                 "Options, with what they are if not given:\n");
    for (int i = 0; i < ROWS; i++)
        print_row(out, &rows[i]);
    fprintf(out, "\nSettings, for --set or as a variable XHPL_NAME of the "
                 "environment:\n");
    xh_settings_print_help(out);
    fprintf(out, "\nExit status: 0 all is right; 1 a wrong product; 2 bad "
                 "input or not enough\nmemory; 3 a failure at run time; 128 + "
                 "its number a signal "
                 "that ended --torture.\n");
}

void xdg_options_print_version(FILE *out)
{
    fprintf(out, "xdgemm %s\n", XH_VERSION);
}
