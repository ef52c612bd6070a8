/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/options.h"

#include <stddef.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"

#define AT(member) offsetof(xdg_options_t, member)
#define SIZE_MOST 2147483647.0
#define DAYS_MOST (366.0 * 86400.0)

/* clang-format off */
static const xh_option_t rows[] = {
    {"m", "SIZE", XH_OPTION_INT, AT(shape.m),
     "rows of C; 4000", 1, SIZE_MOST, 0},
    {"n", "SIZE", XH_OPTION_INT, AT(shape.n),
     "columns of C; as m", 1, SIZE_MOST, 0},
    {"k", "SIZE", XH_OPTION_INT, AT(shape.k),
     "columns of op(A); 256, with --torture as m", 1, SIZE_MOST, 0},
    {"transa", NULL, XH_OPTION_FLAG, AT(shape.transa),
     "op(A) is A's transpose", 0, 0, 0},
    {"transb", NULL, XH_OPTION_FLAG, AT(shape.transb),
     "op(B) is B's transpose", 0, 0, 0},
    {"alpha", "X", XH_OPTION_REAL, AT(shape.alpha),
     "factor of op(A) op(B); 1", -1e300, 1e300, 0},
    {"beta", "X", XH_OPTION_REAL, AT(shape.beta),
     "factor of C; 1", -1e300, 1e300, 0},
    {"lda", "SIZE", XH_OPTION_INT, AT(shape.lda),
     "elements between A's columns; A's rows", 1, SIZE_MOST, 0},
    {"ldb", "SIZE", XH_OPTION_INT, AT(shape.ldb),
     "elements between B's columns; B's rows", 1, SIZE_MOST, 0},
    {"ldc", "SIZE", XH_OPTION_INT, AT(shape.ldc),
     "elements between C's columns; m", 1, SIZE_MOST, 0},
    {"devices", "LIST", XH_OPTION_SETTING, 0,
     "none, auto, or parts such as cuda:0,1 and emu:2", 0, 0, 0},
    {"threads", "COUNT", XH_OPTION_INT, AT(threads),
     "host threads; a core each that no device's feeder needs", 1, 4096, 0},
    {"repeat", "COUNT", XH_OPTION_INT, AT(repeat),
     "measure each rate so often, the median counts; 5", 1, 100000, 0},
    {"verify", NULL, XH_OPTION_FLAG, AT(verify),
     "check every product by checksum vectors", 0, 0, 0},
    {"json", "FILE", XH_OPTION_TEXT, AT(json),
     "write all figures, settings and the machine to FILE", 0, 0, 0},
    {"map", "FILE", XH_OPTION_TEXT, AT(map),
     "draw who computed which tile as SVG", 0, 0, 0},
    {"set", "NAME=VALUE", XH_OPTION_SET, 0,
     "change one of the settings below", 0, 0, 0},
    {"torture", "SECONDS", XH_OPTION_REAL, AT(torture),
     "multiply on and on, check sums of products, watch the devices",
     0.1, DAYS_MOST, 0},
    {"probe-device", NULL, XH_OPTION_CHOICE, AT(ask),
     "measure each device's link, and its DGEMM on data that it holds",
     0, 0, XDG_ASK_PROBE},
    {"list-devices", NULL, XH_OPTION_CHOICE, AT(ask),
     "print what there is to compute with", 0, 0, XDG_ASK_DEVICES},
    {"quiet", NULL, XH_OPTION_FLAG, AT(quiet),
     "only warnings and errors on stderr", 0, 0, 0},
    {"help", NULL, XH_OPTION_CHOICE, AT(ask),
     "print this text", 0, 0, XDG_ASK_HELP},
    {"version", NULL, XH_OPTION_CHOICE, AT(ask),
     "print the version", 0, 0, XDG_ASK_VERSION},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Options that were not given get their defaults. */
static void complete(xdg_options_t *options)
{
    xdg_shape_t *s = &options->shape;
    bool torture;

    if (options->torture > 0 && options->ask == XDG_ASK_RATES)
        options->ask = XDG_ASK_TORTURE;
    torture = options->ask == XDG_ASK_TORTURE;
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
    xh_status_t status =
        xh_command_line_read(argc, argv, rows, ROWS, NULL, &options);

    if (status != XH_OK)
        return status;
    complete(&options);
    status = check(&options);
    if (status == XH_OK)
        *options_p = options;
    return status;
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
    xh_command_line_print_help(rows, ROWS, out);
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
