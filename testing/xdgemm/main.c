/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xdgemm: the product of two matrices on all processors of a node, its rate,
 * and whether it is right.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/product.h"
#include "testing/xdgemm/device_list.h"
#include "testing/xdgemm/interruption.h"
#include "testing/xdgemm/options.h"
#include "testing/xdgemm/record.h"
#include "testing/xdgemm/table.h"
#include "testing/xdgemm/tile_map.h"

enum { BY_SIGNAL = 128 }; /* added to its number: an exit status */

typedef struct {
    const xdg_options_t *options;
    hyb_machine_t *node;
    xdg_gemm_t gemm;
    xdg_executors_t executors;
    xdg_problem_t problem;
    json_t *record;   /* NULL: not wanted, or no memory */
    FILE *json, *map; /* NULL: not wanted */
    bool wrong;       /* a product is wrong */
} session_t;

/* ---- files and the exit status ------------------------------------------ */

/* Open the file that an option names; path NULL: none. Reports errors. */
static xh_status_t open_file(const char *path, FILE **file_p)
{
    if (path == NULL)
        return XH_OK;
    *file_p = fopen(path, "w");
    if (*file_p != NULL)
        return XH_OK;
    xh_log_error("cannot write to %s: %s", path, strerror(errno));
    return XH_ERR_INPUT;
}

/* The first of status and what closing file comes to; NULL: no file. */
static xh_status_t close_file(const char *path, FILE *file, xh_status_t status)
{
    bool failed = file != NULL && ferror(file) != 0;

    if (file == NULL || (fclose(file) == 0 && !failed))
        return status;
    xh_log_error("cannot write all of %s", path);
    return status == XH_OK ? XH_ERR_IO : status;
}

static int exit_status_of(xh_status_t status)
{
    if (status == XH_OK)
        return XH_EXIT_PASSED;
    return status == XH_ERR_INPUT || status == XH_ERR_MEMORY ? XH_EXIT_INPUT
                                                             : XH_EXIT_RUNTIME;
}

/* ---- rates -------------------------------------------------------------- */

static void draw_map(const session_t *s, const xdg_rates_t *rates)
{
    const hyb_report_t *report =
        xdg_series_median(&rates->series[rates->count - 1]);

    if (s->map != NULL && report != NULL)
        xdg_tile_map_write(report, &s->executors, s->problem.product.c, s->map);
}

static xh_status_t measure(session_t *s, xdg_verifier_t *verifier)
{
    const xh_gemm_t *product = &s->problem.product;
    xdg_bench_t bench = {&s->gemm, &s->executors, &s->problem, verifier};
    xdg_rates_t rates;
    xh_status_t status = xdg_rates_measure(&bench, s->options->repeat, &rates);

    if (status == XH_OK) {
        xdg_table_print(&rates, &s->executors, product, stdout);
        draw_map(s, &rates);
    }
    if (s->record != NULL)
        xdg_record_rates(s->record, &rates, &s->executors,
                         xh_gemm_flop(product));
    xdg_rates_release(&rates);
    return status;
}

static void say_verified(session_t *s, const xdg_verifier_t *verifier)
{
    s->wrong = verifier->wrong > 0;
    printf("\nverified: %lld products, %lld wrong\n",
           (long long)verifier->checked, (long long)verifier->wrong);
    if (s->record != NULL)
        xdg_record_verified(s->record, verifier);
}

static xh_status_t run_rates(session_t *s)
{
    xdg_verifier_t verifier;
    xh_status_t status;

    if (!s->options->verify)
        return measure(s, NULL);
    status = xdg_verifier_open(s->node, &s->executors, &s->problem, &verifier);
    if (status != XH_OK)
        return status;
    if (s->problem.product.beta == 0.0)
        xdg_problem_poison(&s->problem);
    status = measure(s, &verifier);
    say_verified(s, &verifier);
    xdg_verifier_close(&verifier);
    return status;
}

/* ---- torture ------------------------------------------------------------ */

static xh_status_t torture(session_t *s, xdg_verifier_t *verifier)
{
    xdg_torture_t torture;
    xh_status_t status =
        xdg_torture_run(&s->gemm, verifier, s->options->torture, &torture);

    xdg_torture_print(&torture, verifier, stdout);
    say_verified(s, verifier);
    if (s->record != NULL)
        xdg_record_torture(s->record, &torture, &s->executors,
                           xh_gemm_flop(&s->problem.product));
    return status;
}

static xh_status_t run_torture(session_t *s)
{
    xdg_verifier_t verifier;
    xh_status_t status =
        xdg_verifier_open(s->node, &s->executors, &s->problem, &verifier);

    xdg_interruption_watch();
    if (status != XH_OK)
        return status;
    status = torture(s, &verifier);
    xdg_verifier_close(&verifier);
    return status;
}

/* ---- probe -------------------------------------------------------------- */

static xh_status_t probe_one(session_t *s, int index)
{
    const char *name = s->executors.name[index + 1];
    xdg_probe_t p;
    xh_status_t status =
        xdg_probe_device(hyb_machine_device(s->node, index),
                         &s->problem.product, s->options->repeat, &p);

    if (status != XH_OK)
        return status;
    printf("%-12s %12.3f %12.3f %12.3f %12.2f\n", name, p.in / 1e9, p.out / 1e9,
           p.both / 1e9, p.resident / 1e9);
    if (s->record != NULL)
        xdg_record_probe(s->record, name, &p);
    return XH_OK;
}

static xh_status_t run_probe(session_t *s)
{
    const xh_gemm_t *p = &s->problem.product;
    xh_status_t status = XH_OK;

    printf("m = %lld, n = %lld, k = %lld, median of %lld\n\n",
           (long long)p->c.rows, (long long)p->c.cols,
           (long long)xh_gemm_depth(p), (long long)s->options->repeat);
    printf("%-12s %12s %12s %12s %12s\n", "device", "in GB/s", "out GB/s",
           "both GB/s", "Gflop/s");
    for (int i = 0; i + 1 < s->executors.count && status == XH_OK; i++)
        status = probe_one(s, i);
    return status;
}

/* ---- all runs ----------------------------------------------------------- */

/* Checks need devices that compute results. */
static xh_status_t refuse_model(const session_t *s)
{
    bool checks = s->options->verify || s->options->ask == XDG_ASK_TORTURE;

    if (!checks || !xdg_executors_model(&s->executors))
        return XH_OK;
    xh_log_error("emu_dry=on computes nothing: there is nothing to check");
    return XH_ERR_INPUT;
}

/* The product asked for, adapted to this kind of run. */
static xdg_shape_t shape_of(const session_t *s)
{
    xdg_shape_t shape = s->options->shape;

    if (s->options->ask == XDG_ASK_TORTURE) {
        shape.alpha = 1.0;
        shape.beta = 0.0;
    }
    if (s->options->ask == XDG_ASK_PROBE)
        for (int i = 0; i + 1 < s->executors.count; i++)
            shape = xdg_probe_shape(&shape, s->executors.device[i].memory_free);
    return shape;
}

static xh_status_t open_node(session_t *s)
{
    xh_status_t status =
        hyb_machine_open((int)s->options->threads, NULL, &s->node);

    if (status == XH_OK)
        status = xdg_gemm_open(s->node, &s->gemm);
    if (status == XH_OK)
        status = xdg_executors_find(s->node, &s->executors);
    if (status == XH_OK)
        status = refuse_model(s);
    if (status == XH_OK && !s->options->quiet)
        hyb_machine_describe(s->node, "xdgemm: ", stderr);
    return status;
}

static xh_status_t open_problem(session_t *s)
{
    xdg_shape_t shape = shape_of(s);
    bool torture = s->options->ask == XDG_ASK_TORTURE;
    xh_status_t status = xdg_shape_check_memory(&shape);

    if (status == XH_OK)
        status = xdg_problem_open(
            s->node, &shape, torture ? XDG_NORMAL : XDG_UNIFORM, &s->problem);
    if (status == XH_OK && s->json != NULL)
        s->record =
            xdg_record_begin(s->node, &s->executors, &s->problem.product);
    return status;
}

static int exit_status(const session_t *s, xh_status_t status)
{
    if (status != XH_OK)
        return exit_status_of(status);
    if (s->wrong)
        return XH_EXIT_FAILED;
    return xdg_interruption() != 0 ? BY_SIGNAL + xdg_interruption()
                                   : XH_EXIT_PASSED;
}

/* Write the record of a run that ended with status. */
static xh_status_t keep_record(session_t *s, xh_status_t status)
{
    xh_status_t written;

    if (s->json == NULL)
        return status;
    if (s->record != NULL)
        json_object_set_new(s->record, "exit_status",
                            json_integer(exit_status(s, status)));
    written = xdg_record_write(s->record, s->json);
    return status == XH_OK ? written : status;
}

static xh_status_t carry_out(session_t *s)
{
    static xh_status_t (*const run[])(session_t *) = {
        [XDG_ASK_RATES] = run_rates,
        [XDG_ASK_TORTURE] = run_torture,
        [XDG_ASK_PROBE] = run_probe,
    };
    xh_status_t status = xdg_shape_check_memory(&s->options->shape);

    if (status == XH_OK)
        status = open_file(s->options->json, &s->json);
    if (status == XH_OK)
        status = open_file(s->options->map, &s->map);
    if (status == XH_OK)
        status = open_node(s);
    if (status == XH_OK)
        status = open_problem(s);
    if (status == XH_OK) {
        status = run[s->options->ask](s);
        status = keep_record(s, status);
    }
    return status;
}

static xh_status_t release(session_t *s, xh_status_t status)
{
    status = close_file(s->options->json, s->json, status);
    status = close_file(s->options->map, s->map, status);
    json_decref(s->record);
    if (s->node != NULL)
        xdg_problem_close(s->node, &s->problem);
    xdg_gemm_close(&s->gemm);
    hyb_machine_close(s->node);
    return status;
}

static int run_session(const xdg_options_t *options)
{
    session_t s = {.options = options};
    xh_status_t status;

    xh_blas_library_set_threads(1); /* team threads call it */
    status = release(&s, carry_out(&s));
    return exit_status(&s, status);
}

static int list_devices(const xdg_options_t *options)
{
    FILE *json = NULL;
    xh_status_t status = open_file(options->json, &json);

    if (status == XH_OK)
        status = xdg_device_list(stdout, json);
    return exit_status_of(close_file(options->json, json, status));
}

static int answer(const xdg_options_t *options)
{
    switch (options->ask) {
    case XDG_ASK_HELP:
        xdg_options_print_help(stdout);
        return XH_EXIT_PASSED;
    case XDG_ASK_VERSION:
        xdg_options_print_version(stdout);
        return XH_EXIT_PASSED;
    case XDG_ASK_DEVICES:
        return list_devices(options);
    default:
        return run_session(options);
    }
}

int main(int argc, char **argv)
{
    xdg_options_t options;
    int status;

    xh_log_identify("xdgemm", -1, "");
    if (xh_settings_load() != XH_OK ||
        xdg_options_parse(argc, argv, &options) != XH_OK)
        return XH_EXIT_INPUT;
    if (options.quiet)
        xh_log_limit(XH_LOG_WARNING);
    status = answer(&options);
    if (fflush(stdout) == 0)
        return status;
    xh_log_error("cannot write all of the report");
    return XH_EXIT_RUNTIME;
}
