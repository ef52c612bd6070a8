/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/options.h"

#include <stddef.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"

#define AT(member) offsetof(xdg_options_t, member)
#define SIZE_MOST 2147483647.0
#define DAYS_MOST (366.0 * 86400.0)

enum { TUNED_SIZE = 2048 };

/* clang-format off */
#define SIZE(name, member, help)                                               \
    {name, "SIZE", XH_OPTION_INT, AT(member), help, 1, SIZE_MOST, 0}
#define FACTOR(name, help)                                                     \
    {#name, "X", XH_OPTION_REAL, AT(product.name), help, -1e300, 1e300, 0}
#define FLAG(name, help) {#name, NULL, XH_OPTION_FLAG, AT(name), help, 0, 0, 0}
#define TEXT(name, help)                                                      \
    {#name, "FILE", XH_OPTION_TEXT, AT(name), help, 0, 0, 0}
#define ASK(name, help, choice)                                                \
    {name, NULL, XH_OPTION_CHOICE, AT(ask), help, 0, 0, choice}

static const xh_option_t rows[] = {
    SIZE("m", m, "rows of C; 4000"),
    SIZE("n", n, "columns of C; M"),
    SIZE("k", k, "columns of op(A); 256, with --torture M, with --tune all"),
    FLAG(transa, "op(A) is A's transpose"),
    FLAG(transb, "op(B) is B's transpose"),
    FACTOR(alpha, "factor of op(A) op(B); 1"),
    FACTOR(beta, "factor of C; 1"),
    SIZE("lda", product.a.ld, "elements between columns of A; rows of A"),
    SIZE("ldb", product.b.ld, "elements between columns of B; rows of B"),
    SIZE("ldc", product.c.ld, "elements between columns of C; M"),
    {"devices", "LIST", XH_OPTION_SETTING, 0,
     "none, auto, or a list such as cuda:0,1 and emu:2", 0, 0, 0},
    {"threads", "COUNT", XH_OPTION_INT, AT(threads),
     "host threads; one per core that feeds no device", 1, 4096, 0},
    {"repeat", "COUNT", XH_OPTION_INT, AT(repeat),
     "measure each rate COUNT times and take the median; 5", 1, 100000, 0},
    FLAG(verify, "check every product by checksum vectors"),
    TEXT(json, "write all figures, settings and the machine to FILE"),
    TEXT(map, "draw who computed which tile as SVG"),
    {"set", "NAME=VALUE", XH_OPTION_SET, 0,
     "change one of the settings below", 0, 0, 0},
    {"torture", "SECONDS", XH_OPTION_REAL, AT(torture),
     "multiply for SECONDS in the memory of each device and on the cores, "
     "and check all products",
     0.1, DAYS_MOST, 0},
    {"tune", "SECONDS", XH_OPTION_REAL, AT(tune),
     "look for the fastest configuration of each device's GEMM, and "
     "keep it",
     0.1, DAYS_MOST, 0},
    ASK("probe-device",
        "measure each device's link, and its DGEMM on data that it holds",
        XDG_ASK_PROBE),
    ASK("operations",
        "measure gemm, syrk, trsm and gemv on data that each device holds, and "
        "check them",
        XDG_ASK_OPERATIONS),
    ASK("list-devices", "print what there is to compute with",
        XDG_ASK_DEVICES),
    FLAG(force, "let --json and --map replace any file, not only their own"),
    FLAG(quiet, "only warnings and errors on stderr"),
    ASK("help", "print this text", XDG_ASK_HELP),
    ASK("version", "print the version", XDG_ASK_VERSION),
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Set the stored shape of V, where op(V) is rows x cols. */
static void shape(xh_view_t *v, bool transposed, int64_t rows, int64_t cols)
{
    v->rows = transposed ? cols : rows;
    v->cols = transposed ? rows : cols;
    v->ld = v->ld > 0 ? v->ld : v->rows;
}

/* Set the defaults of missing options. */
static void complete(xdg_options_t *o)
{
    bool torture;

    if (o->torture > 0 && o->ask == XDG_ASK_RATES)
        o->ask = XDG_ASK_TORTURE;
    else if (o->tune > 0 && o->ask == XDG_ASK_RATES)
        o->ask = XDG_ASK_TUNE;
    torture = o->ask == XDG_ASK_TORTURE;
    if (o->m == 0)
        o->m = o->ask == XDG_ASK_TUNE ? TUNED_SIZE : 4000;
    o->n = o->n > 0 ? o->n : o->m;
    if (o->k == 0 && o->ask != XDG_ASK_TUNE)
        o->k = torture ? o->m : 256;
    if (o->repeat == 0 && !torture)
        o->repeat = 5;
    o->product.trans_a = o->transa ? XH_TRANS : XH_NO_TRANS;
    o->product.trans_b = o->transb ? XH_TRANS : XH_NO_TRANS;
    shape(&o->product.a, o->transa, o->m, o->k);
    shape(&o->product.b, o->transb, o->k, o->n);
    shape(&o->product.c, false, o->m, o->n);
}

static bool is_tall_enough(const char *name, const xh_view_t *v)
{
    if (v->ld >= v->rows)
        return true;
    xh_log_error(
        "--ld%s: %lld is less than the number of rows; the nearest is %lld",
        name, (long long)v->ld, (long long)v->rows);
    return false;
}

static xh_status_t check(const xdg_options_t *options)
{
    const xh_gemm_t *p = &options->product;

    if (!is_tall_enough("a", &p->a) || !is_tall_enough("b", &p->b) ||
        !is_tall_enough("c", &p->c))
        return XH_ERR_INPUT;
    if (options->map != NULL && options->ask != XDG_ASK_RATES) {
        xh_log_error("--map draws a product of a run without --torture, "
                     "--probe-device, --operations and --tune");
        return XH_ERR_INPUT;
    }
    if (options->tune > 0 &&
        (options->ask != XDG_ASK_TUNE || options->json != NULL)) {
        xh_log_error("--tune writes no record");
        return XH_ERR_INPUT;
    }
    if (options->ask == XDG_ASK_TORTURE && options->repeat > 0) {
        xh_log_error("--repeat and --torture cannot be combined: --torture "
                     "multiplies until its seconds are over");
        return XH_ERR_INPUT;
    }
    return XH_OK;
}

xh_status_t xdg_options_parse(int argc, char **argv, xdg_options_t *options_p)
{
    xdg_options_t options = {.product = {.alpha = 1.0, .beta = 1.0}};

    XH_TRY(xh_command_line_read(argc, argv, rows, ROWS, NULL, &options));
    complete(&options);
    XH_TRY(check(&options));
    *options_p = options;
    return XH_OK;
}

void xdg_options_print_help(FILE *out)
{
    fprintf(out,
            "Usage: xdgemm [OPTION]...\n\nMultiply matrices in host memory, C "
            ":= beta C + alpha op(A) op(B), on the\nhost's cores alone, on "
            "each device alone, and on all together, and report\nthe "
            "rates.\n\nOptions; the default stands behind the semicolon:\n");
    xh_command_line_print_help(rows, ROWS, out);
    fprintf(out, "\nSettings, for --set or as a variable XHPL_NAME of the "
                 "environment:\n");
    xh_settings_print_help(NULL, out);
    fprintf(out, "\nExit status: 0 all is right; 1 a wrong product; 2 bad "
                 "input or not enough\nmemory; 3 a failure at run time; 128 + "
                 "its number a signal "
                 "that ended --torture.\n");
}
